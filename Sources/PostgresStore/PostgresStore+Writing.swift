import Glibc
import SyncModel
import Synchronization
package import TableServer

extension PostgresStore {
  package func transaction(_ writes: [ScopedWrite]) async throws -> [WriteOutcome] {
    try await writer.run { lane in
      var transaction = PostgresTransaction(WriteGroup(writes), of: self, on: lane)
      return try transaction.run()
    }
  }
}

/// A transaction that is tried until it is known to be done.
///
/// ```
///   BEGIN, the clocks in order, the state, the mark, the rows → outcomes → rows, clocks, the mark, COMMIT
/// ```
///
/// What stands before an arrow is sent together. The mark says which of this process's tries was committed
/// last: whether a COMMIT without an answer was done is read from it by the next try, once that has the
/// clocks, so that what may still commit the former try has ended.
private struct PostgresTransaction {
  private let group: WriteGroup
  private let store: PostgresStore
  private let lane: PostgresLane
  /// What the tries come to whose COMMIT was sent, by their numbers.
  private var sent: [String: [WriteOutcome]] = [:]

  /// How often a transaction is tried where others are in its way.
  private static let tries = 20
  /// How far the clocks may be apart, in milliseconds.
  private static let skew: Int64 = 10_000

  init(_ group: WriteGroup, of store: PostgresStore, on lane: PostgresLane) {
    (self.group, self.store, self.lane) = (group, store, lane)
  }

  /// Carries it out.
  ///
  /// - Throws: `TableError.storeFailed`, after which nobody knows whether it was done; `StoreDamage`.
  mutating func run() throws -> [WriteOutcome] {
    let end = ContinuousClock.now + store.patience
    var tries = 0
    while true {
      do {
        return try once()
      } catch let fault as PostgresFault {
        switch fault {
        case .lost: break
        // division_by_zero: a row was not there in the version that was read.
        case .refused("22012", _):
          lane.rollBack()
          throw StoreDamage("an item changed within a transaction")
        // serialization_failure, deadlock_detected, lock_not_available
        case .refused(let state, _) where ["40001", "40P01", "55P03"].contains(state):
          lane.rollBack()
          tries += 1
        case .refused:
          lane.rollBack()
          throw fault.failure
        }
        guard tries < Self.tries, ContinuousClock.now < end else { throw fault.failure }
        // A server that is started again needs longer than one whose others are in the way.
        usleep(.random(in: 0..<UInt32(tries == 0 ? 100_000 : 10_000 * tries)))
      } catch {
        lane.rollBack()
        throw error
      }
    }
  }

  private mutating func once() throws -> [WriteOutcome] {
    var calls = [PostgresCall(.begin)]
    calls += group.scopes.map { PostgresCall(.lockClock, $0.table.text.string, $0.owner.string) }
    calls += [PostgresCall(.meta, "state"), PostgresCall(.meta, store.mark), PostgresCall(.time)]
    calls += group.keys.map { key in
      PostgresCall(
        .row, key.scope.table.text.string, key.scope.owner.string, key.id.text.string)
    }
    let start = Moment.now.milliseconds
    let found = try lane.send(calls)
    let clocks = found[1..<(1 + group.scopes.count)]
    let (states, marks) = (found[clocks.endIndex], found[clocks.endIndex + 1])
    // The stamps are this machine's time: one far ahead would put the table's ahead for good.
    guard let time = found[clocks.endIndex + 2].number(0, 0), abs(time - start) <= Self.skew else {
      throw TableError.storeFailed("this clock and that of PostgreSQL differ by over 10 s")
    }
    if marks.count > 0, let done = sent[marks.text(0, 0) ?? ""] {
      lane.rollBack()
      return done
    }
    try states.state().permitWrites()
    let new = zip(group.scopes, clocks).filter { $1.count == 0 }.map(\.0)
    guard new.isEmpty else {
      lane.rollBack()
      for scope in new {
        _ = try lane.send(.addClock, scope.table.text.string, scope.owner.string)
      }
      return try once()
    }
    var stamps: [Scope: Stamp] = [:]
    for (scope, clock) in zip(group.scopes, clocks) {
      guard let moment = clock.number(0, 0), let count = clock.number(0, 1),
        let stamp = Stamp(moment: moment, count: count)
      else { throw StoreDamage("the stamp of table '\(scope.table)' is not valid") }
      stamps[scope] = stamp
    }
    let rows = Dictionary(
      zip(group.keys, found[(clocks.endIndex + 3)...]), uniquingKeysWith: { $1 })
    let result = try group.result(over: stamps, now: store.now, salt: store.salt) { key in
      guard let rows = rows[key], rows.count > 0 else { return nil }
      return try rows.storedRow(0, key.id)
    }
    guard !result.changes.isEmpty else {
      lane.rollBack()
      return result.outcomes
    }
    let number = store.begun.withLock { begun in
      begun += 1
      return "\(begun) \(Moment.now.milliseconds)"
    }
    sent[number] = result.outcomes
    _ = try lane.send(
      result.changes.map { $0.row.call($0.scope, replacing: $0.old) }
        + result.stamps.sorted { $0.key < $1.key }.map { scope, stamp in
          PostgresCall(
            .setClock, scope.table.text.string, scope.owner.string,
            "\(stamp.moment.milliseconds)", "\(stamp.count)")
        } + [PostgresCall(.setMeta, store.mark, number), PostgresCall(.commit)])
    return result.outcomes
  }
}

extension StoredRow {
  /// Stores the row: a new one, or in place of the one with a version.
  func call(_ scope: Scope, replacing old: Version? = nil) -> PostgresCall {
    let (table, owner, id) = (scope.table.text.string, scope.owner.string, id.text.string)
    let text = String(decoding: RowText(self).bytes, as: UTF8.self)
    let (moment, version) = ("\(updatedAt.milliseconds)", version.text.string)
    let deleted = isDeleted ? "1" : "0"
    if let old {
      return PostgresCall(
        .update, table, owner, id, old.text.string, moment, version, deleted, text)
    }
    return PostgresCall(
      .insert, table, owner, id, "\(createdAt.milliseconds)", moment, version, deleted, text)
  }
}
