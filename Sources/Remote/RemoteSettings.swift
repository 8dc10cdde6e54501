/// The settings of the remote; each value has a key in the configuration.
package struct RemoteSettings: Hashable, Sendable {
  /// How many rows a page is asked for, 1 or more.
  package var pageSize: Int
  /// How many writes are under way at once; `nil` is 32 for tsync-server, 8 elsewhere.
  package var jobs: Int?
  /// How many seconds before the last pull's start the next one begins; `nil` is 0 for a server that
  /// promises commit order, 120 elsewhere.
  package var overlapSeconds: Int?

  /// Makes settings; a page has 1,000 rows: the most that the servers of the family give.
  package init(pageSize: Int = 1_000, jobs: Int? = nil, overlapSeconds: Int? = nil) {
    self.pageSize = max(pageSize, 1)
    self.jobs = jobs
    self.overlapSeconds = overlapSeconds
  }
}
