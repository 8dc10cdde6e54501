import GRDB
import SyncModel
import TableServer

/// Carries out writes in transactions that all writes waiting at the same time share.
///
/// While a transaction is being made durable, new writes gather for the next one: one fsync serves
/// as many as there are.
actor GroupCommit {
  private struct Job: Sendable {
    var write: RowWrite
    var table: TableName
    var done: CheckedContinuation<WriteOutcome, any Error>
  }

  /// How many writes share a transaction at most, so that the first of them needn't wait long.
  private static let largest = 256

  private let pool: DatabasePool
  private let now: @Sendable () -> Moment
  private let salt: @Sendable () -> UInt32
  private var waiting: [Job] = []
  private var isCommitting = false

  init(
    _ pool: DatabasePool, now: @escaping @Sendable () -> Moment,
    salt: @escaping @Sendable () -> UInt32
  ) {
    self.pool = pool
    self.now = now
    self.salt = salt
  }

  /// Carries out a write; when it returns the write is durable.
  ///
  /// - Throws: What kept this write from being stored.
  func carryOut(_ write: RowWrite, in table: TableName) async throws -> WriteOutcome {
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(Job(write: write, table: table, done: continuation))
      guard !isCommitting else { return }
      isCommitting = true
      Task { await self.commitAll() }
    }
  }

  private func commitAll() async {
    while !waiting.isEmpty {
      let jobs = Array(waiting.prefix(Self.largest))
      waiting.removeFirst(jobs.count)
      await commit(jobs)
    }
    isCommitting = false
  }

  private func commit(_ jobs: [Job]) async {
    do {
      let outcomes = try await transaction(jobs)
      for (job, outcome) in zip(jobs, outcomes) { job.done.resume(returning: outcome) }
    } catch {
      // All of it was rolled back. One write's fault must not be the others': each tries alone.
      guard jobs.count > 1 else {
        for job in jobs { job.done.resume(throwing: error) }
        return
      }
      for job in jobs { await commit([job]) }
    }
  }

  private func transaction(_ jobs: [Job]) async throws -> [WriteOutcome] {
    let (now, salt) = (now, salt)
    return try await pool.write { database in
      var batch = WriteBatch(now: now, salt: salt)
      let outcomes = try jobs.map { try batch.carryOut($0.write, in: $0.table, database) }
      try batch.keepStamps(database)
      return outcomes
    }
  }
}

/// The writes of one transaction, and the stamps that they have reached.
private struct WriteBatch {
  let now: @Sendable () -> Moment
  let salt: @Sendable () -> UInt32
  private var tables: [TableName: (number: Int64, stamp: Stamp)] = [:]

  init(now: @escaping @Sendable () -> Moment, salt: @escaping @Sendable () -> UInt32) {
    self.now = now
    self.salt = salt
  }

  mutating func carryOut(
    _ write: RowWrite, in table: TableName, _ database: Database
  ) throws -> WriteOutcome {
    let (number, stamp) = try tables[table] ?? TableNumber.make(table, database)
    let next = stamp.next(at: now(), salt: salt())
    let current = try StoredRow.fetch(write.id, in: number, database)
    let outcome = try write.outcome(for: current, stamp: next)
    tables[table] = (number, outcome.stored == nil ? stamp : next)
    switch outcome {
    case .created(let row): try row.insert(in: number, database)
    case .changed(let row): try row.update(from: current?.version, in: number, database)
    case .unchanged, .exists, .conflict, .deleted, .missing, .tooLarge: break
    }
    return outcome
  }

  func keepStamps(_ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "UPDATE tables SET moment = ?, count = ? WHERE number = ?")
    for (number, stamp) in tables.values {
      try statement.execute(arguments: [stamp.moment.milliseconds, stamp.count, number])
    }
  }
}

/// The numbers that stand for tables in the database.
enum TableNumber {
  /// Returns a table's number; `nil` where nothing was ever written to it.
  static func find(_ table: TableName, _ database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(sql: "SELECT number FROM tables WHERE name = ?")
    return try Int64.fetchOne(statement, arguments: [table.text.string])
  }

  /// Returns a table's number and the stamp of its last write; makes the table where it is new.
  static func make(
    _ table: TableName, _ database: Database
  ) throws -> (number: Int64, stamp: Stamp) {
    let statement = try database.cachedStatement(
      sql: "SELECT number, moment, count FROM tables WHERE name = ?")
    if let row = try GRDB.Row.fetchOne(statement, arguments: [table.text.string]) {
      let moment = try row.decode(Int64.self, atIndex: 1)
      let count = try row.decode(Int64.self, atIndex: 2)
      guard Moment.served.contains(moment), (0..<Int64.max).contains(count) else {
        throw StoreDamage("the stamp of table '\(table)' is not valid")
      }
      return (
        try row.decode(atIndex: 0), Stamp(moment: Moment(milliseconds: moment), count: count)
      )
    }
    try database.execute(
      sql: "INSERT INTO tables (name, moment, count) VALUES (?, 0, 0)",
      arguments: [table.text.string])
    return (database.lastInsertedRowID, Stamp(moment: Moment(milliseconds: 0), count: 0))
  }
}
