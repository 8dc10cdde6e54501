import FoundationEssentials
package import GRDB
package import SyncModel
package import TableServer

/// A store in one SQLite file, in WAL mode with `synchronous=FULL`.
///
/// Reads go on beside a write. Writes that wait are carried out in one transaction, so that they
/// share its fsync; each keeps its own outcome, and their order is the order of their stamps.
package final class SQLiteItemStore: ItemStore, TokenStore {
  package let dataset: Text
  /// The connections: one that writes, several that read.
  package let pool: DatabasePool
  private let writes: GroupCommit
  private let queryTime: Duration
  private let shapes = QueryShapes()

  /// Opens a file, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - path: The file; two more are made beside it, PATH-wal and PATH-shm.
  ///   - queryTime: How long a query may take.
  ///   - now: The clock.
  ///   - salt: Where each write's `Stamp.salt` is from.
  /// - Throws: `SQLiteStoreError`, or `StoreDamage`.
  package init(
    path: String, queryTime: Duration = ServedLimits.query,
    now: @escaping @Sendable () -> Moment = { .now },
    salt: @escaping @Sendable () -> UInt32 = Stamp.chance
  ) throws {
    do {
      pool = try DatabasePool(path: path, configuration: Self.configuration)
      // GRDB leaves NORMAL in WAL mode, which can lose the last commits when the power fails.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      dataset = Text(try pool.write { try Self.prepared($0, path: path) })
    } catch let error as DatabaseError {
      throw SQLiteStoreError.cannotOpen(path: path, reason: error.message ?? "\(error)")
    } catch {
      throw StoreDamage.found(in: error)
    }
    writes = GroupCommit(pool, now: now, salt: salt)
    self.queryTime = queryTime
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      for function in FilterFunction.allCases {
        database.add(function: DatabaseFunction(function, isFlipped: false))
        if function.arity == 2...2 {
          database.add(function: DatabaseFunction(function, isFlipped: true))
        }
      }
    }
    return configuration
  }

  /// Makes or checks the layout, and returns the dataset.
  private static func prepared(_ database: Database, path: String) throws -> String {
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if application == 0, version == 0, tables == 0 {
      try Schema.create(database, dataset: UUID().uuidString.lowercased())
    } else {
      guard application == Schema.application else { throw SQLiteStoreError.notAStore(path: path) }
      guard version <= Schema.version else {
        throw SQLiteStoreError.newerFormat(path: path, version: version)
      }
    }
    guard let dataset = try String.fetchOne(database, sql: "SELECT id FROM dataset"),
      UUID(uuidString: dataset) != nil
    else { throw StoreDamage("it has no dataset id") }
    return dataset
  }

  package func row(_ id: ItemID, in table: TableName) async throws -> StoredRow? {
    do {
      return try await pool.read { database in
        guard let number = try TableNumber.find(table, database) else { return nil }
        return try StoredRow.fetch(id, in: number, database)
      }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func page(_ request: PageRequest, of table: TableName) async throws -> Page {
    do {
      return try await pool.read { database in
        guard let number = try TableNumber.find(table, database) else {
          return Page(expecting: 0, total: request.countsAll ? 0 : nil)
        }
        return try QueryLimit.within(queryTime, database) {
          try PageSelect(request, in: number).page(database, keeping: shapes)
        }
      }
    } catch let error as DatabaseError where error.message == "parser stack overflow" {
      throw TableError.badRequest("$filter: it is nested too deeply")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      throw TableError.queryTooLong
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func write(_ write: RowWrite, in table: TableName) async throws -> WriteOutcome {
    do { return try await writes.carryOut(write, in: table) } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func close() async throws {
    // Who closes last moves the rows out of PATH-wal, and removes it. GRDB closes the readers last,
    // which may not write: here they go before the writer.
    pool.releaseMemory()
    try pool.close()
  }
}
