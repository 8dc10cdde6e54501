import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import SyncModel
import Synchronization
import TableServer
import Testing

/// The whole server without a socket.
struct TestServer: Sendable {
  let client: any TestClientProtocol
  let store: any ItemStore
  let log: TestLog

  /// What is sent by default: `3.0.0`, `2.0.0`, or nothing.
  var version: String? = "3.0.0"

  /// Runs with a server on a fresh store.
  static func run(
    _ kind: StoreKind = .memory, tables: [TableName] = [todoitem.table], access: Access? = nil,
    now: @escaping @Sendable () -> Moment = { .now },
    _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let log = TestLog()
    try await kind.withStore(now: now) { store in
      let options = ServerOptions(host: "127.0.0.1", port: 0, tables: tables)
      let responder = ServerResponder(
        store, options, access: access, log: RequestLog { log.append($0) })
      let application = Application(responder, options, logger: Logger(label: "test"))
      try await application.test(.router) { client in
        try await body(TestServer(client: client, store: store, log: log))
      }
    }
  }

  /// The same with another version header.
  func speaking(_ version: String?) -> TestServer {
    var other = self
    other.version = version
    return other
  }

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil,
    _ fields: [(HTTPField.Name, String)] = []
  ) async throws -> Reply {
    var headers = HTTPFields()
    if let version { headers[ServedDialect.versionField] = version }
    if json != nil { headers[.contentType] = "application/json" }
    for (name, value) in fields { headers[name] = value.isEmpty ? nil : value }
    let response = try await client.execute(
      uri: "/tables/" + path, method: method, headers: headers,
      body: json.map { ByteBuffer(string: $0) })
    return Reply(
      status: response.status.code, fields: response.headers,
      body: Array(response.body.readableBytesView))
  }
}

/// An answer.
struct Reply {
  let status: Int
  let fields: HTTPFields
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSON? { try? JSON(parsing: body) }
  var object: JSONObject? { json?.object }
  var version: Text? { object?["version"]?.text }
  var eTag: String? { fields[.eTag] }

  subscript(name: Text) -> JSON? { object?[name] }

  /// The ids of a list in any form.
  var ids: String? {
    let rows = json?.elements ?? self["items"]?.elements ?? self["results"]?.elements
    return rows?.map { $0.object?["id"]?.text?.string ?? "-" }.joined()
  }
}

/// What the server wrote to its log.
final class TestLog: Sendable {
  private let kept = Mutex<[String]>([])

  func append(_ line: String) { kept.withLock { $0.append(line) } }
  var lines: [String] { kept.withLock { $0 } }
}
