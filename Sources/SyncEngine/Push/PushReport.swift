package import SyncModel

/// The report of a push.
package struct PushReport: Equatable, Sendable {
  /// What happened, in the order in which it did.
  package var events: [Event] = []
  /// The inserts of unknown outcome whose rows may be there under ids of the server's.
  package var doubtful: Set<ItemKey> = []
  /// The tables that the server doesn't have, whose changes wait.
  package var missing: Set<TableName> = []
  /// Why the push ended early; `nil` where it didn't.
  package var stop: Stop?
  /// How many changes wait that could have been sent.
  package var unsent = 0
  /// How many rows were deleted because their files were missing, which no command has removed.
  package var vanished = 0

  /// Makes the report of a push that has done nothing yet.
  package init() {}
}
