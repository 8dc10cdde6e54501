import Remote
import SyncEngine
import SyncModel
import TestSupport
import Testing

/// Who is at the other end of a line.
enum Peer: CaseIterable, CustomTestStringConvertible, Sendable {
  /// The model; an undelete brings a row back as it was, or carries the item.
  case model(carriesUndeletes: Bool)
  /// tsync-server on its database.
  case server(Dialect)

  static let allCases =
    [model(carriesUndeletes: false), model(carriesUndeletes: true)]
    + Dialect.allCases.map { server($0) }

  var testDescription: String {
    switch self {
    case .model(let carriesUndeletes): carriesUndeletes ? "model, whole undeletes" : "model"
    case .server(let dialect): "tsync-server as \(dialect)"
    }
  }
}

/// A client's line to a peer that has two tables, both empty.
final class Contact {
  /// The kinds of writes.
  static let kinds = Operation.Kind.allCases
  /// Those over a row that is known.
  static let guarded = kinds.filter { $0 != .insert }

  /// The line.
  var backend: any Backend
  /// The table that is meant.
  var table: TableName
  private var server: Server?

  init(_ peer: Peer) throws {
    let tables = [try TableName("todoitem"), try TableName("other")]
    table = tables[0]
    switch peer {
    case .model(let carriesUndeletes):
      let model = ModelServer()
      model.tables = Set(tables)
      var line = ModelBackend(to: model, client: 0)
      (line.undeletesWhole, line.pageSize) = (carriesUndeletes, 2)
      backend = line
    case .server(let dialect):
      let server = try Server(.file, tables: tables)
      let address = server.addresses[0]
      let answer = try server.answer(
        HTTPRequest(tag: 0, method: "GET", url: "\(address)/tables/todoitem", headers: []))
      let dataset = try #require(answer.header("X-Tsync-Dataset"))
      backend = RESTBackend(
        Exchange(DirectTransport(server: server), with: try ServerAddress(Text(address))),
        facts: ServerFacts(dialect: dialect, dataset: Text(dataset)),
        settings: RemoteSettings(pageSize: 2))
      self.server = server
    }
  }

  deinit { try? server?.end() }

  /// A write, and what it does.
  typealias Write = (attempt: Attempt, operation: Operation)

  /// Makes a write.
  func write(
    _ kind: Operation.Kind, _ id: String, _ text: String?, over base: Row? = nil
  ) throws -> Write {
    let key = ItemKey(table, try ItemID(Text(id)))
    let item = kind == .delete ? nil : try text.map { try Item(text: $0) }
    let operation = Operation(key: key, kind: kind, item: item, base: base)
    try backend.check(operation)
    let attempt = Attempt(
      key: key, kind: kind, version: base?.version, item: item, digest: nil)
    return (attempt, operation)
  }

  /// Sends writes together, each of another item.
  func send(_ writes: [Write]) throws -> [ItemKey: Reply.Outcome] {
    try Self.send(writes, over: &backend)
  }

  static func send(
    _ writes: [Write], over backend: inout any Backend
  ) throws -> [ItemKey: Reply.Outcome] {
    var rest = writes[...]
    var outcomes: [ItemKey: Reply.Outcome] = [:]
    try backend.send(
      next: { rest.popFirst().map { ($0.attempt, $0.operation) } },
      done: { attempt, reply in
        #expect(outcomes.updateValue(reply.outcome, forKey: attempt.key) == nil)
        #expect(reply.stop == nil)
      }, meanwhile: {})
    return outcomes
  }

  /// Sends one write.
  func send(
    _ kind: Operation.Kind, _ id: String, _ text: String?, over base: Row? = nil
  ) throws -> Reply.Outcome {
    let write = try write(kind, id, text, over: base)
    return try #require(try send([write])[write.attempt.key])
  }

  /// Makes a row.
  func made(_ id: String, _ text: String, _ more: String = "") throws -> Row {
    try done(.insert, id, .text(text, more), over: nil)
  }

  /// Changes a row; one that is deleted comes back.
  func changed(_ row: Row, _ text: String) throws -> Row {
    guard row.deleted else { return try done(.update, "\(row.id)", .text(text), over: row) }
    let back = try done(.undelete, "\(row.id)", .text(text), over: row)
    return back.item == (try Item(text: .text(text))) ? back : try changed(back, text)
  }

  /// Deletes a row; answers its tombstone.
  func removed(_ row: Row) throws -> Row { try done(.delete, "\(row.id)", nil, over: row) }

  private func done(
    _ kind: Operation.Kind, _ id: String, _ text: String?, over base: Row?
  ) throws -> Row {
    let outcome = try send(kind, id, text, over: base)
    guard case .done = outcome else { throw Undone(outcome: outcome) }
    return try #require(try read(id))
  }

  /// Reads a row, or its tombstone; `nil` where there is neither.
  func read(_ id: String) throws -> Row? {
    switch try backend.read(ItemKey(table, try ItemID(Text(id)))) {
    case .row(let row): return row
    case .absent: return nil
    case .refused(let reason):
      Issue.record("\(reason)")
      return nil
    }
  }

  /// Pulls the table; `each` answers after each page whether to go on.
  func pull(
    from token: DeltaToken? = nil, each: (Page) throws -> Bool = { _ in true }
  ) throws -> [Page] {
    var (pages, line): ([Page], any Backend) = ([], backend)
    try line.pages(of: table, from: token) { page in
      #expect(page.refused == [])
      pages.append(page)
      return try each(page)
    }
    return pages
  }
}

/// What a write came to that was to be done.
private struct Undone: Error { let outcome: Reply.Outcome }

extension Reply.Outcome {
  /// The status with which the server said that its row is another one, or gone.
  var status: Int? {
    switch self {
    case .disputed(let refusal), .absent(let refusal): refusal.status
    default: nil
    }
  }
}

extension [Page] {
  /// The ids of the rows in their order.
  var ids: [String] { flatMap(\.rows).map { "\($0.id)" } }
}

extension Item {
  /// Reads an item.
  init(text: String) throws {
    self.init(try #require(try JSON(parsing: Array(text.utf8)).object))
  }
}

extension String {
  /// The text of an item.
  static func text(_ text: String, _ more: String = "") -> String {
    #"{"text":"\#(text)"\#(more)}"#
  }
}

/// Hands requests to a server without a socket; of those that are under way at once, the last is
/// answered first.
private struct DirectTransport: Transport {
  let server: Server

  mutating func run(
    width: Int, next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    while true {
      var flying: [HTTPRequest] = []
      while flying.count < width, let request = try next() { flying.append(request) }
      if flying.isEmpty { return }
      try meanwhile()
      for request in flying.reversed() { try done(request, .success(server.answer(request))) }
    }
  }
}
