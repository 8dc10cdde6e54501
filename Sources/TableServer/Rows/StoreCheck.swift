import SyncModel

/// A reading of a whole store: each row against its text and its clock.
package struct StoreCheck: Sendable {
  /// What was found of one scope.
  package struct Count: Sendable {
    /// The scope.
    package let scope: Scope
    /// How many rows there are, tombstones included.
    package fileprivate(set) var rows = 0
    /// How many of them are tombstones.
    package fileprivate(set) var tombstones = 0
  }

  /// What each scope has, in their order.
  package private(set) var counts: [Count] = []
  /// What is damaged.
  package private(set) var damage: [StoreDamage] = []

  /// Reads a store, while servers may write to it.
  ///
  /// - Throws: Whatever keeps the store from being read.
  package init(of store: any ItemStore) async throws {
    for scope in try await store.stamps().keys.sorted() {
      var (count, moments, last): (Count, Set<Moment>, Text) = (Count(scope: scope), [], "")
      while true {
        let rows = try await store.rows(after: last, of: scope)
        for (id, row) in rows {
          last = id
          do {
            let row = try row.get()
            _ = try row.members()
            count.rows += 1
            count.tombstones += row.isDeleted ? 1 : 0
            if !moments.insert(row.updatedAt).inserted {
              damage.append(StoreDamage(item: id, "another item has its updatedAt"))
            }
          } catch {
            damage.append(error)
          }
        }
        if rows.isEmpty { break }
      }
      // The clock is read last: whatever was written meanwhile is not later.
      if let latest = moments.max(), let stamp = try await store.stamps()[scope],
        stamp.moment < latest
      {
        damage.append(StoreDamage("the stamp of table '\(scope.table)' is before that of a row"))
      }
      counts.append(count)
    }
  }
}
