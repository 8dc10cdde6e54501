import CPQ
import FoundationEssentials
package import SyncModel
import Synchronization
package import TableServer

/// A store in a database of PostgreSQL, which several servers may use at once.
///
/// The clock of a scope is a row that each transaction locks first: so stamps and commits have one order,
/// whoever writes.
package final class PostgresStore: CopiedStore {
  package let dataset: Text
  /// The layout that this code reads and writes.
  static let format = "2"
  /// How many reads may wait.
  private static let most = 256

  let writer: PostgresLane
  private let readers: [PostgresLane]
  private let queryTime: Duration
  /// For how long a transaction is tried.
  let patience: Duration
  let now: @Sendable () -> Moment
  let salt: @Sendable () -> UInt32
  /// The name under which the database keeps the last of this process's transactions.
  let mark = "group:\(UUID().uuidString.lowercased())"
  /// How many transactions this process has begun.
  let begun = Mutex<Int64>(0)

  /// Opens a database, and makes the tables where there are none.
  ///
  /// - Parameters:
  ///   - url: `postgres://USER@HOST/DATABASE`, or what else libpq takes.
  ///   - source: The dataset whose rows it is made for, where they are to be copied into it.
  ///   - mustExist: Whether to make no tables.
  ///   - readers: How many connections read.
  ///   - queryTime: How long a query may take.
  ///   - patience: For how long a transaction is tried.
  ///   - now: The clock.
  ///   - salt: Where each write's `Stamp.salt` is from.
  /// - Throws: `PostgresStoreError`.
  package init(
    url: String, copyOf source: Text? = nil, mustExist: Bool = false, readers: Int = 4,
    queryTime: Duration = ServedLimits.query,
    patience: Duration = .seconds(10),
    now: @escaping @Sendable () -> Moment = { .now },
    salt: @escaping @Sendable () -> UInt32 = Stamp.chance
  ) async throws {
    let library = try PostgresLibrary.shared()
    let options = try Self.options(of: url, library)
    writer = PostgresLane("writer", options, library)
    self.readers = (0..<readers).map { PostgresLane("reader \($0)", options, library) }
    (self.queryTime, self.patience, self.now, self.salt) = (queryTime, patience, now, salt)
    dataset = try await writer.run { lane in
      do throws(PostgresFault) { return try Self.prepared(lane, source, mustExist) } catch {
        switch error {
        case .lost(let words), .refused(_, let words):
          throw PostgresStoreError.cannotOpen(reason: words)
        }
      }
    }.get()
  }

  package func row(_ id: ItemID, in scope: Scope) async throws -> StoredRow? {
    try await read { lane in
      let rows = try lane.send(.row, scope.table.text.string, scope.owner.string, id.text.string)
      return rows.count == 0 ? nil : try rows.storedRow(0, id)
    }
  }

  package func page(_ request: PageRequest, of scope: Scope) async throws -> Page {
    let (plan, queryTime) = (FilterPlan(request), queryTime)
    return try await read { lane in
      var search = PageSearch(plan, request, scope, end: .now + queryTime)
      return try search.page(on: lane)
    }
  }

  package func stamps() async throws -> [Scope: Stamp] {
    try await read { lane in
      let rows = try lane.send(.clocks)
      return try (0..<rows.count).reduce(into: [:]) { stamps, row in
        guard let table = rows.text(row, 0).flatMap({ try? TableName(Text($0)) }),
          let owner = rows.text(row, 1), let moment = rows.number(row, 2),
          let count = rows.number(row, 3), let stamp = Stamp(moment: moment, count: count)
        else { throw StoreDamage("the stamp of a table is not valid") }
        stamps[Scope(table, owner: Text(owner))] = stamp
      }
    }
  }

  package func rows(after id: Text, of scope: Scope) async throws -> [ReadRow] {
    try await read { lane in
      let rows = try lane.send(
        .byID, scope.table.text.string, scope.owner.string, id.string, "1", "64")
      return (0..<rows.count).map { row in
        let id = Text(rows.text(row, 0) ?? "")
        return (id, Result(item: id) { try rows.storedRow(row, $0) })
      }
    }
  }

  package func state() async throws -> StoreState {
    try await read { try $0.send(.meta, "state").state() }
  }

  package func close() async throws {
    for lane in [writer] + readers { try await lane.run { $0.close() } }
  }

  /// Reads on the lane with the least to do; once more on another connection where that was lost.
  func read<Result: Sendable>(
    _ work: @escaping @Sendable (PostgresLane) throws -> Result
  ) async throws -> Result {
    let loads = readers.map(\.load)
    guard let lane = zip(loads, readers).min(by: { $0.0 < $1.0 })?.1,
      loads.reduce(0, +) < Self.most
    else { throw TableError.storeFailed("too many reads wait for PostgreSQL") }
    return try await lane.run { lane in
      do {
        do { return try work(lane) } catch PostgresFault.lost { return try work(lane) }
      } catch let fault as PostgresFault {
        throw fault.failure
      }
    }
  }
}

extension PostgresFault {
  /// What it is to a request.
  var failure: TableError {
    switch self {
    case .lost(let words): .storeFailed("PostgreSQL: \(words)")
    // query_canceled
    case .refused("57014", _): .queryTooLong
    case .refused(let state, let words): .storeFailed("PostgreSQL: \(state) \(words)")
    }
  }
}

extension PostgresStore {
  /// Reads a URL into the parameters of a connection, with those that it leaves open.
  ///
  /// - Throws: ``PostgresStoreError``: it can't be read, or has a password in it.
  private static func options(
    of url: String, _ library: PostgresLibrary
  ) throws(PostgresStoreError) -> [(name: String, value: String)] {
    guard let list = library.table.pointee.conninfoParse(url, nil) else { throw .notAURL }
    defer { library.table.pointee.conninfoFree(list) }
    var given: [String: String] = [:]
    var option = list
    while let name = option.pointee.keyword {
      if let value = option.pointee.val { given[String(cString: name)] = String(cString: value) }
      option += 1
    }
    guard given["password"] == nil, given["sslpassword"] == nil else { throw .passwordInURL }
    let usual = [
      "target_session_attrs": "read-write", "connect_timeout": "3", "tcp_user_timeout": "5000",
      "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3",
      "application_name": "tsync-server", "client_encoding": "UTF8",
    ]
    return usual.merging(given) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Makes or checks the tables, and returns the dataset.
  private static func prepared(
    _ lane: PostgresLane, _ source: Text?, _ mustExist: Bool
  ) throws(PostgresFault) -> Result<Text, any Error> {
    guard try lane.send(.bytesInOrder).text(0, 0) == "t",
      try lane.send(.encoding).text(0, 0) == "UTF8"
    else { return .failure(PostgresStoreError.wrongOrder) }
    do throws(PostgresFault) { _ = try lane.send(.meta, "format") } catch {
      // undefined_table: a role that may make none is refused even where there are some.
      guard case .refused("42P01", _) = error else { throw error }
      guard !mustExist else {
        return .failure(PostgresStoreError.cannotOpen(reason: "it holds no store"))
      }
      for statement in [PostgresStatement.makeClocks, .makeItems, .makeTokens, .makeMeta] {
        do throws(PostgresFault) { _ = try lane.send(statement) } catch {
          // unique_violation, duplicate_object: another server makes it at the same time.
          guard case .refused(let state, _) = error, ["23505", "42710"].contains(state) else {
            throw error
          }
        }
      }
    }
    let state = source == nil ? .open : StoreCopy.beginning()
    _ = try lane.send(
      .addStore, format, source?.string ?? UUID().uuidString.lowercased(), state.text)
    guard try lane.send(.meta, "format").text(0, 0) == format else {
      return .failure(PostgresStoreError.otherFormat)
    }
    guard let dataset = try lane.send(.meta, "dataset").text(0, 0), UUID(uuidString: dataset) != nil
    else { return .failure(StoreDamage("it has no dataset id")) }
    try removeMarks(lane)
    return .success(Text(dataset))
  }

  /// Removes the marks of processes that have written nothing for a day.
  private static func removeMarks(_ lane: PostgresLane) throws(PostgresFault) {
    let rows = try lane.send(.allMeta)
    for row in 0..<rows.count {
      guard let name = rows.text(row, 0), name.utf8.starts(with: "group:".utf8),
        let moment = rows.text(row, 1)?.split(separator: " ").last.flatMap({ Int64($0) }),
        Moment.now.milliseconds - moment > 86_400_000
      else { continue }
      _ = try lane.send(.removeMeta, name)
    }
  }
}

extension PostgresRows {
  /// Reads the state of the store.
  ///
  /// - Throws: `StoreDamage`.
  func state() throws -> StoreState {
    guard count > 0, let state = text(0, 0).flatMap(StoreState.init) else {
      throw StoreDamage("its state is not valid")
    }
    return state
  }

  /// Reads a row; where it was `wanted` by its id, the text is held against the columns.
  ///
  /// - Throws: `StoreDamage` where a column holds what this server never writes, or another moment,
  ///   version or state than the row's text.
  func storedRow(_ row: Int, _ wanted: ItemID? = nil) throws -> StoredRow {
    guard let id = text(row, 0).flatMap({ try? ItemID(Text($0)) }), id == wanted ?? id else {
      throw StoreDamage(item: wanted?.text ?? "?", "its id is that of another item")
    }
    guard let createdAt = number(row, 1), let updatedAt = number(row, 2),
      let version = text(row, 3), let deleted = number(row, 4), [0, 1].contains(deleted),
      let bytes = bytes(row, 5)
    else { throw StoreDamage(item: id.text, "a column has a wrong type") }
    return try StoredRow(
      bytes, of: id, createdAt: Moment(milliseconds: createdAt),
      updatedAt: Moment(milliseconds: updatedAt), version: version, isDeleted: deleted == 1,
      isChecked: wanted != nil)
  }
}
