import CPQ
import Glibc

/// What keeps a statement from being carried out.
enum PostgresFault: Error {
  /// The connection is gone, or was never there; the text says why.
  case lost(String)
  /// The server refused a statement: its SQLSTATE, and its words.
  case refused(String, String)
}

/// A statement and the values of its parameters.
struct PostgresCall {
  let statement: PostgresStatement
  let values: [String?]

  init(_ statement: PostgresStatement, _ values: String?...) {
    self.init(statement, values: values)
  }

  init(_ statement: PostgresStatement, values: [String?]) {
    (self.statement, self.values) = (statement, values)
  }
}

/// The rows that a statement has returned.
final class PostgresRows {
  private let table: UnsafePointer<tsync_pq>
  private let result: OpaquePointer

  /// Takes over a result.
  fileprivate init(_ table: UnsafePointer<tsync_pq>, _ result: OpaquePointer) {
    (self.table, self.result) = (table, result)
  }

  deinit { table.pointee.clear(result) }

  /// How many rows there are.
  var count: Int { Int(table.pointee.ntuples(result)) }

  /// How many rows the statement has changed.
  var changed: Int { table.pointee.cmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// Returns the bytes of a value, which are this object's; `nil` for NULL.
  func bytes(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8>? {
    let (row, column) = (Int32(row), Int32(column))
    guard table.pointee.getisnull(result, row, column) == 0,
      let start = table.pointee.getvalue(result, row, column)
    else { return nil }
    let count = Int(table.pointee.getlength(result, row, column))
    return start.withMemoryRebound(to: UInt8.self, capacity: count) {
      UnsafeBufferPointer(start: $0, count: count)
    }
  }

  /// Returns a value as text; `nil` for NULL.
  func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a value as a number; `nil` for NULL, and for what is none.
  func number(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }
}

/// A connection, on which statements go out together and answers come in together.
///
/// Not for two threads at once.
final class PostgresConnection {
  private let table: UnsafePointer<tsync_pq>
  private let connection: OpaquePointer
  private var prepared: Set<PostgresStatement> = []

  /// For how long an answer may fail to come: the server's own limits are shorter.
  private static let patience: Int32 = 15_000

  /// Connects.
  ///
  /// - Throws: ``PostgresFault/lost(_:)``.
  init(_ options: [(name: String, value: String)], _ library: PostgresLibrary) throws(PostgresFault)
  {
    table = library.table
    let names = options.map { strdup($0.name) } + [nil]
    let values = options.map { strdup($0.value) } + [nil]
    defer { (names + values).forEach { free($0) } }
    let made = names.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer { names in
      values.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer { values in
        library.table.pointee.connectdbParams(names.baseAddress, values.baseAddress, 1)
      }
    }
    guard let made else { throw .lost("there is no memory") }
    connection = made
    guard Int(table.pointee.status(made)) == TSYNC_PQ_CONNECTED else {
      guard case .lost(let words) = lost(), let user = options.first(where: { $0.name == "user" })
      else { throw lost() }
      // What goes into a log names nobody.
      throw .lost(words.replacing("\"\(user.value)\"", with: "…"))
    }
    tsync_pq_silence(table, made)
    guard table.pointee.setnonblocking(made, 1) == 0, table.pointee.enterPipelineMode(made) == 1
    else { throw lost() }
  }

  deinit { table.pointee.finish(connection) }

  /// Carries out statements, and returns what each has returned.
  ///
  /// - Throws: What kept the first of them that failed from being carried out; those after it were not.
  func run(_ calls: [PostgresCall]) throws(PostgresFault) -> [PostgresRows] {
    // Of each result that comes: the statement that it says is prepared, or nil for an answer.
    var expected: [PostgresStatement?] = []
    var new: Set<PostgresStatement> = []
    for call in calls {
      if !prepared.contains(call.statement), new.insert(call.statement).inserted {
        let isSent = table.pointee.sendPrepare(
          connection, call.statement.name, call.statement.rawValue, 0, nil)
        guard isSent == 1 else { throw lost() }
        expected.append(call.statement)
      }
      try send(call)
      expected.append(nil)
    }
    guard table.pointee.pipelineSync(connection) == 1 else { throw lost() }
    var rows: [PostgresRows] = []
    var fault: PostgresFault?
    var next = 0
    while true {
      guard let result = try nextResult() else { continue }
      let answer = PostgresRows(table, result)
      switch Int(table.pointee.resultStatus(result)) {
      case TSYNC_PQ_PIPELINE_SYNC:
        if let fault { throw fault }
        return rows
      case TSYNC_PQ_COMMAND_OK, TSYNC_PQ_TUPLES_OK:
        if let statement = expected[next] {
          prepared.insert(statement)
        } else {
          rows.append(answer)
        }
      case TSYNC_PQ_PIPELINE_ABORTED: break
      default: fault = fault ?? self.fault(result)
      }
      next += 1
      if Int(table.pointee.status(connection)) != TSYNC_PQ_CONNECTED { throw lost() }
    }
  }

  private func send(_ call: PostgresCall) throws(PostgresFault) {
    let texts = call.values.map { value in value.flatMap { strdup($0) } }
    defer { texts.forEach { free($0) } }
    let isSent = texts.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer {
      table.pointee.sendQueryPrepared(
        connection, call.statement.name, Int32(call.values.count), $0.baseAddress, nil, nil, 0)
    }
    guard isSent == 1 else { throw lost() }
  }

  /// Waits for the next result; `nil` where a statement's results are over.
  private func nextResult() throws(PostgresFault) -> OpaquePointer? {
    var isSent = false
    while true {
      if !isSent {
        let rest = table.pointee.flush(connection)
        guard rest >= 0 else { throw lost() }
        isSent = rest == 0
      }
      if isSent, table.pointee.isBusy(connection) == 0 {
        return table.pointee.getResult(connection)
      }
      var socket = pollfd(
        fd: table.pointee.socket(connection), events: Int16(POLLIN | (isSent ? 0 : POLLOUT)),
        revents: 0)
      let ready = poll(&socket, 1, Self.patience)
      guard ready > 0 || ready < 0 && errno == EINTR else { throw .lost("it does not answer") }
      if socket.revents & Int16(POLLOUT) == 0 || socket.revents & Int16(POLLIN) != 0 {
        guard table.pointee.consumeInput(connection) == 1 else { throw lost() }
      }
    }
  }

  private func lost() -> PostgresFault {
    .lost(Self.line(table.pointee.errorMessage(connection).map { String(cString: $0) } ?? ""))
  }

  private func fault(_ result: OpaquePointer) -> PostgresFault {
    func field(_ code: Int) -> String {
      table.pointee.resultErrorField(result, Int32(code)).map { String(cString: $0) } ?? ""
    }
    let state = field(TSYNC_PQ_SQLSTATE)
    let words = Self.line(field(TSYNC_PQ_PRIMARY))
    // The server ends connections when it stops, and those that hold a transaction and are idle.
    let isLost =
      state.isEmpty
      || ["08", "57P01", "57P02", "57P03", "25P03"].contains {
        state.utf8.starts(with: $0.utf8)
      }
    return isLost ? .lost(words) : .refused(state, words)
  }

  private static func line(_ text: String) -> String {
    text.utf8.split(separator: UInt8(ascii: "\n")).first.map { String(Substring($0)) }
      ?? "the connection is lost"
  }
}
