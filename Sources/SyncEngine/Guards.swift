import SyncModel

/// The checks that stop a pull or push before it does damage (tsync-safety(7)).
package enum Guards {
  /// Returns how many of some items a filter may choose without a question: the larger of 20 and 30 %.
  package static func chosen(of count: Int) -> Int { max(20, count * 3 / 10) }

  /// Returns how many of a table's items may vanish at once without a question.
  ///
  /// As many as a filter may choose; but never all of three or more.
  package static func deletions(of live: Int) -> Int {
    let most = chosen(of: live)
    return live >= 3 ? min(most, live - 1) : most
  }

  /// Returns how many items a pull may remove without a question: too many neither of the `measured` nor of
  /// the live ones.
  package static func removals(of measured: Int, among live: Int) -> Int {
    min(deletions(of: measured), deletions(of: live))
  }

  /// How many files of a table may change the server unasked although no command has changed them: so
  /// many names fit a screen, and a glob or a lost directory takes more.
  static let unasked = 10

  /// Returns how many of a table's files may have vanished in a push without a question: where the table
  /// has three rows or more, never more than half of the `rest`, which nothing else explains.
  package static func vanished(of live: Int, rest: Int) -> Int {
    live >= 3 ? min(unasked, max(1, rest / 2)) : unasked
  }

  /// Returns how many of a push's operations may be answered by "there is no such row".
  package static func absences(of operations: Int) -> Int {
    max(5, operations * 3 / 10)
  }

  /// How far the clocks of a server's machines may differ: two minutes, in units of 100 ns.
  static let skew = 120 * Timestamp.perSecond

  /// Whether a replica may lack what has been known here since a time; both in seconds since 1970.
  static func mayBeLate(since: Int64, now: Int64) -> Bool {
    (0..<120).contains(now - since)
  }

  /// From so many items on a table is known again by its ids.
  static let recognisable = 10

  /// A replica may lack what was written a moment ago.
  package static let late = Stop.notSpeaking(
    "a replica may be late: it has an older state than this workspace; try again in 2 minutes")
}
