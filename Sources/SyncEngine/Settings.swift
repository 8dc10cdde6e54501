package import SyncModel

/// The user's settings for the exchange of changes.
package struct Settings: Sendable {
  /// How items are merged that both sides changed, by table.
  package var policies: [TableName: MergePolicy]
  /// How many items a pull or push may delete, where the user said so; `nil` keeps the guards.
  package var maxDelete: Int?
  /// Whether a pull is only rehearsed, and shows the deletes that its guard stops.
  package var isRehearsal = false
  /// The time, in seconds since 1970, for the journal's records.
  package var now: Int64

  /// Makes settings.
  package init(
    policies: [TableName: MergePolicy] = [:], maxDelete: Int? = nil, now: Int64 = 0
  ) {
    self.policies = policies
    self.maxDelete = maxDelete
    self.now = now
  }

  /// Returns the policy of a table.
  package func policy(of table: TableName) -> MergePolicy { policies[table] ?? MergePolicy() }
}
