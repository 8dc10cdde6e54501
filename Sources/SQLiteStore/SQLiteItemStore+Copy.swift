import GRDB
import SyncModel
package import TableServer

extension SQLiteItemStore {
  package func become(_ state: StoreState, from old: StoreState) async throws {
    try await change(in: old) {
      try $0.execute(sql: "UPDATE dataset SET state = ?", arguments: [state.text])
    }
  }

  package func removeAll(in state: StoreState) async throws {
    try await change(in: state) {
      try $0.execute(sql: "DELETE FROM items; DELETE FROM tables; DELETE FROM tokens")
    }
  }

  package func fill(
    _ rows: [StoredRow], of scope: Scope, stamp: Stamp, in state: StoreState
  ) async throws {
    try await change(in: state) { database in
      let number = try ScopeNumber.make(scope, database).number
      for row in rows { try row.insert(in: number, database) }
      try ScopeNumber.keep(stamp, of: number, database)
    }
  }

  /// Changes a store that has a state.
  private func change(
    in state: StoreState, _ work: @escaping @Sendable (Database) throws -> Void
  ) async throws {
    do {
      try await pool.write { database in
        guard try Self.state(database) == state else { throw StoreCopy.Refusal.changed }
        try work(database)
      }
    } catch let error as DatabaseError where error.resultCode != .SQLITE_CORRUPT {
      throw TableError.storeFailed("SQLite: \(error)")
    } catch {
      throw StoreDamage.found(in: error)
    }
  }
}
