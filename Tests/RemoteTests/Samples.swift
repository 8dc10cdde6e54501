import Remote
import SyncEngine
import SyncModel

/// What the tests are made of.
enum Sample {
  static let table = table("todoitem")
  static let address = address("https://x.test")

  static func table(_ name: String) -> TableName {
    guard let table = try? TableName(Text(name)) else { fatalError("\(name) is no table") }
    return table
  }

  static func address(_ text: String) -> ServerAddress {
    guard let address = try? ServerAddress(Text(text)) else { fatalError("\(text) is no address") }
    return address
  }

  static func secret(_ text: String) -> Secret {
    guard let secret = try? Secret(Text(text)) else { fatalError("\(text) is no token") }
    return secret
  }

  static func key(_ id: String) -> ItemKey {
    guard let id = try? ItemID(Text(id)) else { fatalError("\(id) is no id") }
    return ItemKey(table, id)
  }

  static func object(_ text: String) -> JSONObject {
    guard let object = (try? JSON(parsing: Array(text.utf8)))?.object else {
      fatalError("no object: \(text)")
    }
    return object
  }

  static func item(_ text: String) -> Item { Item(object(text)) }

  static func row(_ text: String) -> Row {
    guard let row = try? Row(object(text)) else { fatalError("no row: \(text)") }
    return row
  }

  /// A row as a server has it.
  static func rowText(_ id: String, version: String? = "v2", deleted: Bool = false) -> String {
    #"{"id":"\#(id)","text":"milk","updatedAt":"2026-03-01T10:00:00.123Z","#
      + (version.map { #""version":"\#($0)","# } ?? "") + #""deleted":\#(deleted)}"#
  }

  static func operation(_ kind: Operation.Kind, _ id: String = "a1") -> Operation {
    let base = row(
      #"{"id":"\#(id)","text":"old","version":"v1","deleted":\#(kind == .undelete)}"#)
    return Operation(
      key: key(id), kind: kind, item: kind == .delete ? nil : item(#"{"text":"milk"}"#),
      base: kind == .insert ? nil : base)
  }

  /// A write, and what it does.
  static func attempt(
    _ kind: Operation.Kind, _ id: String = "a1"
  ) -> (attempt: Attempt, operation: Operation) {
    let operation = operation(kind, id)
    let attempt = Attempt(
      key: operation.key, kind: kind, version: operation.base?.version, item: operation.item,
      digest: nil)
    return (attempt, operation)
  }
}

extension Sample {
  /// The answer of a server that has written an item.
  static func done(_ id: String) -> HTTPAnswer { .json(200, rowText(id)) }

  /// The answer of a server that wants to be left alone for a while.
  static func busy(_ status: Int, _ wish: String?) -> HTTPAnswer {
    .json(status, #"{"error":"busy"}"#, wish.map { [HTTPField("Retry-After", $0)] } ?? [])
  }

  /// Updates of the items `i0`, `i1` and so on.
  static func updates(_ count: Int) -> [(attempt: Attempt, operation: Operation)] {
    (0..<count).map { attempt(.update, "i\($0)") }
  }

  /// Ids in their order.
  static func names(_ count: Int) -> [String] { (0..<count).map { "r\(1_000 + $0)" } }
}

extension HTTPRequest {
  /// The last segment of the path.
  var lastSegment: String { String(url.split(separator: "/").last ?? "") }
}

/// A process in which no time passes but by waiting, and chance always takes the most.
final class Stage {
  var time = 0
  var pauses: [Int] = []
  var lines: [String] = []
  var notices: [String] = []

  var dependencies: Dependencies {
    Dependencies(
      now: { self.time },
      pause: {
        self.pauses.append($0)
        self.time += $0
      }, random: { $0 }, trace: { self.lines.append($0) }, notice: { self.notices.append($0) })
  }

  func backend(
    _ transport: ScriptedTransport, facts: ServerFacts = ServerFacts(dialect: .datasync),
    authorization: Authorization = .none, settings: RemoteSettings = RemoteSettings()
  ) -> RESTBackend<ScriptedTransport> {
    RESTBackend(
      Exchange(
        transport, with: Sample.address, authorization: authorization, dependencies: dependencies),
      facts: facts, settings: settings)
  }
}

extension RESTBackend {
  /// Sends writes and collects the replies in their order.
  mutating func replies(
    to attempts: [(attempt: Attempt, operation: Operation)]
  ) throws -> [(id: String, reply: Reply)] {
    var rest = attempts[...]
    var replies: [(id: String, reply: Reply)] = []
    try send(next: { rest.popFirst().map { ($0.attempt, $0.operation) } }) {
      replies.append(($0.key.id.description, $1))
    }
    return replies
  }
}

extension Stage {
  /// Pulls a table; gives every page that was handed out.
  func pull(
    _ twin: TableTwin, from token: String? = nil, pageSize: Int = 1_000, dataset: Text? = nil
  ) throws -> [Page] {
    var pages: [Page] = []
    let transport = ScriptedTransport { request in
      var answer = twin.answer(request)
      if let dataset { answer.headers.append(HTTPField("X-Tsync-Dataset", dataset.string)) }
      return .success(answer)
    }
    var backend = backend(
      transport,
      facts: ServerFacts(
        dialect: twin.dialect, dataset: dataset, tables: twin.dialect.knownTables),
      settings: RemoteSettings(pageSize: pageSize))
    try backend.pages(of: Feed(Sample.table), from: token.map { DeltaToken(Text($0)) }) {
      pages.append($0)
      return true
    }
    return pages
  }
}

extension [Page] {
  /// The ids of the rows in their order.
  var ids: [String] { flatMap(\.rows).map(\.id.description) }
}

extension Dialect {
  /// What is known of the sample table, so that it isn't looked at before it is pulled.
  var knownTables: [TableName: TableFacts] {
    var facts = TableFacts()
    facts.hasTimes = true
    return self == .mobileServices ? [Sample.table: facts] : [:]
  }
}
