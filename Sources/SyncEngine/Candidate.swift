package import SyncModel

/// An item whose file may differ from its base.
package struct Candidate: Equatable, Sendable {
  /// Which item; `nil` for something whose name stands for no id, which is then invalid.
  package var key: ItemKey?
  /// What lies there now.
  package var client: ClientState
  /// When it was last modified, in nanoseconds since 1970; 0 where nothing lies there.
  package var modified: Int64

  /// Makes a candidate.
  package init(key: ItemKey?, client: ClientState, modified: Int64) {
    self.key = key
    self.client = client
    self.modified = modified
  }
}
