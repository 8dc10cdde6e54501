import CurlTransport
import Glibc
import Remote
import SyncModel
import SystemPackage
import TestSupport

@testable import Commands

/// A tsync-server of a test's own: the real program, on a free port, its rows in memory.
final class RunningServer {
  /// Its address.
  let url: String
  private let program: BackgroundProgram
  private let directory = TemporaryDirectory()

  /// Starts it; it ends with its owner.
  ///
  /// Its rows are in memory, or in a file; the files that it writes may be limited to so many KiB,
  /// as on a disk that is full.
  init(
    _ arguments: [String] = ["--no-auth"], store: String = "memory", fileLimit: Int? = nil
  ) throws {
    let program = "\(Programs.directory)/tsync-server"
    let words = arguments + ["--listen", "127.0.0.1:0", "--store", store]
    let limit = fileLimit.map { "trap '' XFSZ; ulimit -f \($0 * 2); " } ?? ""
    self.program = try BackgroundProgram(
      "/bin/sh",
      ["-c", "echo $$ >'\(directory.path(of: "pid"))'; \(limit)exec \"$0\" \"$@\"", program]
        + words,
      environment: Environment(Sanitizer.variables.map { (Text($0.name), Text($0.value)) }),
      log: directory.path(of: "log"))
    guard let url = self.program.firstLine() else { throw Errno.noSuchProcess }
    self.url = url
  }

  deinit { program.end() }

  /// Its process, to be killed.
  var process: pid_t? {
    directory.text("pid").flatMap { pid_t(String($0.prefix { $0 != "\n" })) }
  }

  /// Sends a request as any program may, and returns the text of its answer.
  @discardableResult
  func request(
    _ method: String, _ target: String, _ body: String = ""
  ) throws -> String {
    let answer = try Wire.send(method, "\(url)/\(target)", Array(body.utf8), fields: [])
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// The id of its data set.
  var dataset: String? {
    let answer = try? Wire.send("GET", "\(url)/tables/todoitem", [], fields: [])
    return answer?.header("X-Tsync-Dataset")
  }

  /// The port it listens on.
  var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

  /// Returns the rows of an id as the server lists them, tombstones too.
  func rows(_ id: String) throws -> [JSONObject] {
    let list = try request(
      "GET", "tables/todoitem?$filter=id%20eq%20'\(id)'&__includedeleted=true")
    let rows = try JSON(parsing: Array(list.utf8)).object?["items"]?.elements ?? []
    return rows.compactMap(\.object)
  }
}

/// Where the programs that are tested lie.
enum Programs {
  /// The directory of the test's own program, where all products are built.
  static var directory: String {
    guard let path = realpath("/proc/self/exe", nil) else { return "." }
    defer { free(path) }
    return PathName.split(String(cString: path)).directory
  }
}

/// Requests by hand.
enum Wire {
  static func send(
    _ method: String, _ url: String, _ body: [UInt8], fields: [(String, String)]
  ) throws -> HTTPAnswer {
    var transport = CurlTransport(userAgent: "test", certificateFile: nil, noProxy: nil)
    var waiting: HTTPRequest? = HTTPRequest(
      tag: 0, method: method, url: url,
      headers: [
        HTTPField("ZUMO-API-VERSION", "3.0.0"), HTTPField("Content-Type", "application/json"),
      ]
        + fields.map { HTTPField($0.0, $0.1) },
      body: body.isEmpty ? nil : body)
    var result: Result<HTTPAnswer, TransportError>?
    try transport.run(
      width: 1,
      next: {
        defer { waiting = nil }
        return waiting
      }, done: { result = $1 }, meanwhile: {})
    guard let result else { throw Errno.ioError }
    return try result.get()
  }
}

extension Wire {
  /// Hands a request on to a server.
  static func forward(_ request: ReceivedRequest, to url: String) throws -> HTTPAnswer {
    let own = [
      "host", "content-length", "content-type", "accept-encoding", "connection", "accept",
      "zumo-api-version",
    ]
    let fields = request.fields.filter { !own.contains($0.name.lowercased()) }
    return try send(
      request.method, url + request.target, request.body,
      fields: fields.map { ($0.name, $0.value) })
  }
}

/// A line between client and server that a test can disturb.
final class Proxy {
  /// What happens to a request.
  enum Treatment: Sendable {
    /// It is handed on, and the answer back.
    case forward
    /// It is handed on, and the answer is lost.
    case loseAnswer
    /// It is answered here.
    case answer(ScriptedReply)
  }

  private let server: ScriptedServer
  /// Its address.
  var url: String { server.url }
  /// The requests so far.
  var requests: [ReceivedRequest] { server.requests }

  /// Stands before a server; `treat` is asked about each request before it is handed on.
  init(
    before url: String, treat: @escaping @Sendable (ReceivedRequest) -> Treatment
  ) throws {
    server = try ScriptedServer { request in
      let treatment = treat(request)
      if case .answer(let reply) = treatment { return reply }
      guard let answer = try? Wire.forward(request, to: url) else { return .broken }
      guard case .forward = treatment else { return .dropped }
      let kept = answer.headers.filter {
        !["content-length", "transfer-encoding", "connection"].contains($0.name.lowercased())
      }
      return .answer(
        answer.status, kept.map { (name: $0.name, value: $0.value) }, body: answer.body)
    }
  }
}

/// What a command line came to.
struct Outcome: Equatable {
  var status: Int32
  var output: String
  var error: String
}

/// A person at a shell, in a directory of their own: runs command lines inside the test.
final class Person {
  /// Where the person is.
  let directory = TemporaryDirectory()
  /// The environment's variables.
  var environment: [(name: String, value: String)] = []
  /// What the person types at a terminal; `nil` where there is none.
  var types: [String]?
  /// How many columns the person's terminal has.
  var columns = 80
  /// How large and how slow a server's answers may be.
  var limits = TransportLimits()
  /// How many milliseconds each pause took before a request was sent again; no time passes in them.
  private(set) var pauses: [Int] = []
  /// The bytes that the last command wrote, on either stream.
  private(set) var written: [UInt8] = []
  /// The clock, in nanoseconds since 1970; `nil` is the machine's.
  var now: (() -> Int64)?

  /// The signal that asks the commands to end.
  var signal: () -> Int32? = { nil }

  /// Makes a person who is in a workspace of a server's tables.
  convenience init(cloning url: String, tables: [String] = []) throws {
    self.init()
    let cloned = run(["clone"] + tables.flatMap { ["-t", $0] } + [url, "list"])
    guard cloned.status == 0 else { throw Failure(.damaged, cloned.error) }
  }

  /// Runs a command line in the person's workspace, or beside it where there is none yet.
  @discardableResult
  func run(_ words: String...) -> Outcome { run(words) }

  /// Runs a command line.
  @discardableResult
  func run(_ words: [String]) -> Outcome {
    let (output, error) = (Bytes(), Bytes())
    var typed = (types ?? []).map { Array("\($0)\n".utf8) }
    let list = directory.path(of: "list")
    let start = access(list, F_OK) == 0 ? list : directory.path
    let own = Set(environment.map { Text($0.name) })
    let usual = [
      ("XDG_CONFIG_HOME", directory.path(of: "config")), ("PATH", "/usr/bin:/bin"), ("TZ", "UTC"),
    ]
    let variables = environment + usual.filter { !own.contains(Text($0.0)) }
    var invocation = Invocation(
      directory: start,
      environment: Environment(variables.map { (Text($0.name), Text($0.value)) }),
      home: directory.path, executable: "\(Programs.directory)/tsync",
      input: .init(isTerminal: types != nil) { () throws(Errno) in
        typed.isEmpty ? [] : typed.removeFirst()
      },
      output: output.sink(isTerminal: types != nil, columns: columns),
      error: error.sink(isTerminal: types != nil, columns: columns),
      clock: now ?? {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      },
      random: { .random(in: 0...UInt64.max) }, signal: signal,
      run: { program throws(Errno) in try ProgramRun(program).ending() })
    invocation.pause = { [self] in pauses.append($0) }
    invocation.limits = limits
    let words = types == nil ? words : words + ["--color", "never"]
    let status = Tsync.run(words, in: invocation)
    written = output.bytes + error.bytes
    return Outcome(status: status, output: output.text, error: error.text)
  }

  /// The path of an item's file below the person's directory.
  func file(_ name: String) -> String { "list/.todosync/items/todoitem/\(name).json" }

  /// Returns the text of an item's file.
  func item(_ name: String) -> String? { directory.text(file(name)) }

  /// Returns the names of the conflict files.
  var conflicts: [String] {
    directory.names(in: "list/.todosync/conflicts/todoitem").filter { $0 != "." }
  }

  /// Returns the texts that lie in a directory of the trash.
  func trashed(_ place: String = "items/todoitem") -> [String] {
    let trash = "list/.todosync/trash/\(place)"
    return directory.names(in: trash).compactMap { directory.text("\(trash)/\($0)") }
  }
}

/// What was written to a stream.
private final class Bytes {
  private(set) var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func sink(isTerminal: Bool, columns: Int) -> Invocation.Sink {
    Invocation.Sink(isTerminal: isTerminal, columns: columns) { [self] more throws(Errno) in
      bytes += more
    }
  }
}
