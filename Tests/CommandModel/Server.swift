import CurlTransport
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Remote
import SQLiteStore
import SyncModel
import Synchronization
import SystemPackage
import TableServer
import TestSupport

/// The server of one history: tsync-server's own answers, asked without a socket, or through one.
final class Server: @unchecked Sendable {
  /// Where its rows are kept, and how it is asked.
  enum Kind {
    /// In memory, without a socket.
    case memory
    /// In a database, without a socket.
    case file
    /// In memory, by libcurl and a socket.
    case socket
  }

  /// The addresses that name it, of which each is as good as another.
  let addresses: [String]
  /// How it is asked.
  let kind: Kind
  /// Its rows' texts by table and id, as they were last read; without the deleted ones.
  private(set) var rows: [TableName: [String: JSONObject]] = [:]

  private let store: any ItemStore
  private let responder: ServerResponder
  private let tables: [TableName]
  private let directory = TemporaryDirectory(inMemory: true)
  private let channel = EmbeddedChannel()
  private let logger = Logger(label: "model") { _ in SwiftLogNoOpLogHandler() }
  private let executor = WaitingExecutor()
  private let listening = Listening()
  private var listener: ServerThread?

  /// Starts it.
  init(_ kind: Kind, tables: [TableName]) throws {
    self.kind = kind
    self.tables = tables
    store = try SQLiteItemStore(path: kind == .file ? directory.path(of: "items.db") : nil)
    let options = ServerOptions(host: "127.0.0.1", port: 0, tables: tables)
    responder = ServerResponder(store, options, access: nil, log: RequestLog { _ in })
    guard kind == .socket else {
      addresses = ["http://127.0.0.1:1", "http://localhost:1"]
      return
    }
    let isListening = Gate()
    let port = Mutex(0)
    let application = Application(responder, options, logger: logger) { number in
      port.withLock { $0 = number }
      isListening.open()
    }
    // The other tests may keep the threads of Swift's own executor.
    let host = WaitingExecutor()
    listener = ServerThread.start { [listening] in
      _ = try? host.run({ try await application.run() }) { task in
        listening.task.withLock { $0 = task }
      }
    }
    guard isListening.wait() else { throw Errno.timedOut }
    let address = "http://127.0.0.1:\(port.withLock { $0 })"
    addresses = [address, "\(address)/"]
  }

  /// Ends it.
  func end() throws {
    listening.task.withLock { $0?.cancel() }
    listener?.join()
    try wait { [store] in try await store.close() }
  }

  /// Answers a request as the server does.
  func answer(_ request: Remote.HTTPRequest) throws -> HTTPAnswer {
    var head = HTTPTypes.HTTPRequest(
      method: .init(request.method) ?? .get, scheme: "http", authority: "127.0.0.1:1",
      path: "/" + request.url.split(separator: "/", maxSplits: 2).dropFirst(2).joined())
    for field in request.headers {
      guard let name = HTTPTypes.HTTPField.Name(field.name) else { continue }
      head.headerFields[name] = field.value
    }
    let body = RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))
    let asked = Request(head: head, body: body)
    let context = ServerContext(
      source: ApplicationRequestContextSource(channel: channel, logger: logger))
    return try wait { [responder] in
      let response = try await responder.respond(to: asked, context: context)
      let bytes = Mutex<[UInt8]>([])
      try await response.body.write(Collector(take: { more in bytes.withLock { $0 += more } }))
      return HTTPAnswer(
        status: response.status.code,
        headers: response.headers.map { Remote.HTTPField($0.name.rawName, $0.value) },
        body: bytes.withLock { $0 })
    }
  }

  /// Reads the rows anew.
  func readRows() throws {
    for table in tables {
      let page = try wait { [store] in try await store.page(PageRequest(), of: Scope(table)) }
      var found: [String: JSONObject] = [:]
      try page.forEach { text in
        guard let row = try JSON(parsing: Array(text)).object, let id = row["id"]?.text else {
          return
        }
        let system: [Text] = ["id", "createdAt", "updatedAt", "version", "deleted"]
        found[id.string] = JSONObject(
          row.members.filter { !system.contains($0.name) && !$0.value.isNull })
      }
      rows[table] = found
    }
  }

  /// Returns a row without system fields; `nil` where there is none.
  func row(_ table: String, _ id: String) throws -> JSONObject? {
    rows[try TableName(Text(table))]?[id]
  }

  private func wait<Value>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    try executor.run(body)
  }
}

/// The task of a server that listens.
private final class Listening: Sendable {
  let task = Mutex<Task<Void, Never>?>(nil)
}

/// What something asynchronous came to.
private final class Box<Value>: @unchecked Sendable { var result: Result<Value, any Error>? }

/// Runs what is asynchronous on the thread that waits for it.
private final class WaitingExecutor: TaskExecutor, @unchecked Sendable {
  private let jobs = Mutex<[UnownedJob]>([])
  // Unchecked: a semaphore is made to be used from any thread.
  private let count = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(count, 0, 0) }

  deinit {
    sem_destroy(count)
    count.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    sem_post(count)
  }

  /// Runs something to its end; `started` gets the task, by which it can be cancelled.
  func run<Value>(
    _ body: @escaping @Sendable () async throws -> Value,
    started: (Task<Void, Never>) -> Void = { _ in }
  ) throws -> Value {
    let box = Box<Value>()
    started(
      Task(executorPreference: self) {
        do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
      })
    while true {
      if let result = box.result { return try result.get() }
      while sem_wait(count) != 0 {}
      jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Takes the bytes of an answer's body.
private struct Collector: ResponseBodyWriter {
  let take: @Sendable ([UInt8]) -> Void

  mutating func write(_ buffer: ByteBuffer) async throws { take(Array(buffer.readableBytesView)) }
  consuming func finish(_ trailing: HTTPFields?) async throws {}
}
