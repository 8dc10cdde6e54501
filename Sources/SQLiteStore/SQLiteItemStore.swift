import FoundationEssentials
package import GRDB
package import SyncModel
package import TableServer

/// A store in one SQLite file, in WAL mode with `synchronous=FULL`, or in SQLite's memory.
///
/// In a file, reads go on beside a write; in memory there is one connection, and all wait for each other.
package final class SQLiteItemStore: CopiedStore {
  package let dataset: Text
  /// The connections: one that writes, several that read; in memory one for both.
  package let pool: any DatabaseWriter
  private let now: @Sendable () -> Moment
  private let salt: @Sendable () -> UInt32
  private let queryTime: Duration
  private let shapes = QueryShapes()

  /// Opens a file, and makes it where there is none; without one, the rows are gone with the process.
  ///
  /// - Parameters:
  ///   - path: The file; two more are made beside it, PATH-wal and PATH-shm.
  ///   - source: The dataset whose rows it is made for, where they are to be copied into it.
  ///   - queryTime: How long a query may take.
  ///   - now: The clock.
  ///   - salt: Where each write's `Stamp.salt` is from.
  /// - Throws: `SQLiteStoreError`, or `StoreDamage`.
  package init(
    path: String?, copyOf source: Text? = nil, queryTime: Duration = ServedLimits.query,
    now: @escaping @Sendable () -> Moment = { .now },
    salt: @escaping @Sendable () -> UInt32 = Stamp.chance
  ) throws {
    let (place, configuration) = (path ?? "the memory", Self.configuration)
    do {
      pool =
        try path.map { try DatabasePool(path: $0, configuration: configuration) }
        ?? DatabaseQueue(configuration: configuration)
      // GRDB leaves NORMAL in WAL mode, which can lose the last commits when the power fails.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      dataset = Text(try pool.write { try Self.prepared($0, place, source) })
    } catch let error as DatabaseError {
      throw SQLiteStoreError.cannotOpen(path: place, reason: error.message ?? "\(error)")
    } catch {
      throw StoreDamage.found(in: error)
    }
    (self.now, self.salt) = (now, salt)
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
  private static func prepared(
    _ database: Database, _ path: String, _ source: Text?
  ) throws -> String {
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if application == 0, version == 0, tables == 0 {
      try Schema.create(
        database, dataset: source?.string ?? UUID().uuidString.lowercased(),
        state: source == nil ? .open : StoreCopy.beginning())
    } else {
      guard application == Schema.application else { throw SQLiteStoreError.notAStore(path: path) }
      guard version == Schema.version else { throw SQLiteStoreError.otherFormat(path: path) }
    }
    guard let dataset = try String.fetchOne(database, sql: "SELECT id FROM dataset"),
      UUID(uuidString: dataset) != nil
    else { throw StoreDamage("it has no dataset id") }
    return dataset
  }

  package func row(_ id: ItemID, in scope: Scope) async throws -> StoredRow? {
    do {
      return try await pool.read { database in
        guard let number = try ScopeNumber.find(scope, database) else { return nil }
        return try StoredRow.fetch(id, in: number, database)
      }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func page(_ request: PageRequest, of scope: Scope) async throws -> Page {
    if let filter = request.filter, SQLFilter(filter).nesting > SQLFilter.mostNesting {
      throw TableError.badRequest("$filter: the filter is nested too deeply")
    }
    do {
      return try await pool.read { database in
        guard let number = try ScopeNumber.find(scope, database) else {
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

  package func transaction(_ writes: [ScopedWrite]) async throws -> [WriteOutcome] {
    let (group, now, salt) = (WriteGroup(writes), now, salt)
    do {
      return try await pool.write { database in
        try Self.state(database).permitWrites()
        let known = try group.scopes.reduce(into: [:]) {
          $0[$1] = try ScopeNumber.make($1, database)
        }
        func number(_ scope: Scope) throws -> Int64 {
          guard let number = known[scope]?.number else {
            throw StoreDamage("a scope has no number")
          }
          return number
        }
        let result = try group.result(over: known.mapValues { $0.stamp }, now: now, salt: salt) {
          try StoredRow.fetch($0.id, in: number($0.scope), database)
        }
        for change in result.changes {
          let number = try number(change.scope)
          if let old = change.old {
            try change.row.update(from: old, in: number, database)
          } else {
            try change.row.insert(in: number, database)
          }
        }
        for (scope, stamp) in result.stamps {
          try ScopeNumber.keep(stamp, of: number(scope), database)
        }
        return result.outcomes
      }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func stamps() async throws -> [Scope: Stamp] {
    do {
      return try await pool.read { try ScopeNumber.stamps($0) }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func rows(after id: Text, of scope: Scope) async throws -> [ReadRow] {
    do {
      return try await pool.read { database in
        guard let number = try ScopeNumber.find(scope, database) else { return [] }
        let statement = try database.cachedStatement(
          sql: """
            SELECT \(StoredRow.columns) FROM items WHERE tbl = ? AND id > ? ORDER BY id LIMIT 64
            """)
        let rows = try GRDB.Row.fetchCursor(statement, arguments: [number, id.string])
        var found: [ReadRow] = []
        while let row = try rows.next() {
          let id = Text(try row.decode(String.self, atIndex: 0))
          found.append((id, Result(item: id) { try StoredRow(row, $0) }))
        }
        return found
      }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func state() async throws -> StoreState {
    do {
      return try await pool.read { try Self.state($0) }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  static func state(_ database: Database) throws -> StoreState {
    let text = try String.fetchOne(database.cachedStatement(sql: "SELECT state FROM dataset"))
    guard let state = text.flatMap(StoreState.init) else {
      throw StoreDamage("its state is not valid")
    }
    return state
  }

  package func close() async throws {
    // Who closes last moves the rows out of PATH-wal, and removes it. GRDB closes the readers last,
    // which may not write: here they go before the writer.
    (pool as? DatabasePool)?.releaseMemory()
    try pool.close()
  }
}
