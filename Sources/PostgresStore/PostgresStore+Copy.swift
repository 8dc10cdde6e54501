import SyncModel
package import TableServer

extension PostgresStore {
  package func become(_ state: StoreState, from old: StoreState) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      do {
        // Where the connection was lost, the one before may have done it.
        if try await self.state() != state {
          try await change([PostgresCall(.setMeta, "state", state.text)], in: old)
        }
        // A group reads the state once it has its clocks: those that have read the former one hold theirs
        // until they end, and the clock of a scope that has none yet is made before its group begins.
        return try await change([PostgresCall(.touchClocks)], in: state)
      } catch let error as TableError {
        guard ContinuousClock.now < end else { throw error }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  package func removeAll(in state: StoreState) async throws {
    for scope in try await stamps().keys {
      while let last = try await rows(after: "", of: scope).last?.id {
        try await change(
          [PostgresCall(.remove, scope.table.text.string, scope.owner.string, last.string)],
          in: state)
      }
    }
    try await change([PostgresCall(.removeTokens), PostgresCall(.removeClocks)], in: state)
  }

  package func fill(
    _ rows: [StoredRow], of scope: Scope, stamp: Stamp, in state: StoreState
  ) async throws {
    let (table, owner) = (scope.table.text.string, scope.owner.string)
    let clock = PostgresCall(
      .setClock, table, owner, "\(stamp.moment.milliseconds)", "\(stamp.count)")
    try await change(
      [PostgresCall(.addClock, table, owner), clock] + rows.map { $0.call(scope) }, in: state)
  }

  /// Changes a store that has a state, and keeps it until the change is done.
  private func change(_ calls: [PostgresCall], in state: StoreState) async throws {
    try await writer.run { lane in
      do {
        _ = try lane.send(
          [PostgresCall(.begin), PostgresCall(.holdState, state.text)] + calls
            + [PostgresCall(.commit)])
      } catch PostgresFault.refused("22012", _) {
        lane.rollBack()
        throw StoreCopy.Refusal.changed
      } catch let fault as PostgresFault {
        lane.rollBack()
        throw fault.failure
      }
    }
  }
}
