import CommandSupport
import Commands
import Synchronization
import TestSupport
import Testing

/// What a case begins with: a server, a line to it that keeps every request and that a test disturbs
/// as it likes, and a person who has cloned its rows.
struct CaseWorld {
  let server: RunningServer
  let line: Proxy
  let anna: Person
  private let dataset: String
  private let treatment: Treatment

  /// Makes a world in which the server has rows, and the person too.
  ///
  /// - Parameters:
  ///   - rows: Rows as JSON texts.
  ///   - treat: What becomes of a request on its way, those of the clone among them.
  /// - Throws: Where the server can't be started or the clone fails.
  init(
    _ rows: String...,
    treat: @escaping @Sendable (ReceivedRequest) -> Proxy.Treatment = { _ in .forward }
  ) throws {
    server = try RunningServer()
    for row in rows { try server.request("POST", "tables/todoitem", row) }
    dataset = try #require(server.dataset)
    let treatment = Treatment(treat)
    self.treatment = treatment
    line = try Proxy(before: server.url) { treatment.of($0) }
    anna = try Person(cloning: line.url)
  }

  /// The methods of the requests that would have changed something, in their order.
  var writes: [String] { line.requests.map(\.method).filter { $0 != "GET" } }

  /// Whether a text stands in any request: its target, its fields, its body.
  func hasSent(_ text: String) -> Bool {
    line.requests.contains { request in
      let fields = request.fields.map { "\($0.name): \($0.value)" }
      return ([request.target] + fields).contains { $0.contains(text) }
        || request.body.firstRange(of: Array(text.utf8)) != nil
    }
  }

  /// Returns the server's row of an id.
  func row(_ id: String) throws -> String { try server.request("GET", "tables/todoitem/\(id)") }
}

extension CaseWorld {
  /// Lets a test decide what becomes of each request from now on.
  func disturb(_ treat: @escaping @Sendable (ReceivedRequest) -> Proxy.Treatment) {
    treatment.set(treat)
  }

  /// Answers each request of a method in one way from now on.
  func answer(_ method: String, _ reply: ScriptedReply) {
    disturb { $0.method == method ? .answer(reply) : .forward }
  }

  /// Does something with the first request of a method from now on, and nothing with the others.
  func disturbOnce(_ method: String, _ treatment: Proxy.Treatment) {
    let isDone = Gate()
    disturb { request in
      guard request.method == method, !isDone.wait(seconds: 0) else { return .forward }
      isDone.open()
      return treatment
    }
  }

  /// Lets everything pass again.
  func calm() { disturb { _ in .forward } }

  /// Makes an answer that is the server's own by its fields.
  func reply(_ text: String, status: Int = 200) -> ScriptedReply {
    let fields = [("Content-Type", "application/json"), ("X-Tsync-Dataset", dataset)]
    return .answer(status, fields, body: Array(text.utf8))
  }

  /// How many requests of a method were made so far.
  func count(_ method: String) -> Int { line.requests.count { $0.method == method } }

  /// Expects the next push to send what waits, and everything to be in order afterwards.
  func expectCalm(_ location: SourceLocation = #_sourceLocation) {
    calm()
    let pushed = anna.run("push")
    #expect(pushed.status == 0, "\(pushed.error)", sourceLocation: location)
    anna.expectSound(location)
  }
}

/// What becomes of requests, which the line's threads share with the test.
private final class Treatment: Sendable {
  private let current: Mutex<@Sendable (ReceivedRequest) -> Proxy.Treatment>

  init(_ treat: @escaping @Sendable (ReceivedRequest) -> Proxy.Treatment) {
    current = Mutex(treat)
  }

  func set(_ treat: @escaping @Sendable (ReceivedRequest) -> Proxy.Treatment) {
    current.withLock { $0 = treat }
  }

  func of(_ request: ReceivedRequest) -> Proxy.Treatment {
    let treat = current.withLock { $0 }
    return treat(request)
  }
}

extension ScriptedReply {
  /// The page of a network that wants a login first.
  static let portal = answer(
    200, [("Content-Type", "text/html; charset=utf-8")],
    body: Array("<!DOCTYPE html><title>Welcome</title>".utf8))
}

extension Person {
  /// Expects the workspace to be in order, and the next exchange to find nothing left to do.
  func expectSound(_ location: SourceLocation = #_sourceLocation) {
    let pulled = run("pull")
    #expect(pulled.status == 0, "\(pulled.error)", sourceLocation: location)
    #expect(
      run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"),
      sourceLocation: location)
    let status = run("status", "--porcelain")
    #expect(status.output == "# tsync.status 1\n", sourceLocation: location)
    let examined = run("doctor")
    #expect(examined.status == 0, "\(examined.output)\(examined.error)", sourceLocation: location)
  }
}
