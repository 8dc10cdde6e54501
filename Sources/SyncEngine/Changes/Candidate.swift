package import SyncModel

/// An item whose file may differ from its base.
package struct Candidate: Equatable, Sendable {
  /// Which item; `nil` for something whose name stands for no id, which is then invalid.
  package var key: ItemKey?
  /// The state of the file.
  package var client: ClientState
  /// The time of its last change, in nanoseconds since 1970; 0 if there is no file.
  package var modified: Int64

  /// The base, where it was read to be compared.
  package var base: Base?

  package init(key: ItemKey?, client: ClientState, modified: Int64, base: Base? = nil) {
    self.key = key
    self.client = client
    self.modified = modified
    self.base = base
  }
}
