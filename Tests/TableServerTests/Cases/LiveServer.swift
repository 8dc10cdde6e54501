import Hummingbird
import HummingbirdTesting
import Logging
import TableServer

/// The server in the test's own process, on a real socket, with times of a test's choice.
enum LiveServer {
  /// Runs with a server; `body` gets its port and its store.
  static func run(
    _ times: ConnectionTimes,
    _ body: @escaping @Sendable (UInt16, any ItemStore) async throws -> Void
  ) async throws {
    let store = MemoryItemStore()
    var options = ServerOptions(host: "127.0.0.1", port: 0, tables: [todoitem.table])
    options.times = times
    let responder = ServerResponder(store, options, access: nil, log: RequestLog { _ in })
    let application = Application(responder, options, logger: Logger(label: "test"))
    try await application.test(.live) { client in
      try await body(UInt16(client.port ?? 0), store)
    }
  }
}
