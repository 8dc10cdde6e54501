import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Commands

/// A person whose line to a real server a test disturbs, request by request, and then leaves alone.
final class HostileWorld {
  let server: RunningServer
  let line: Proxy
  let anna: Person
  private let dataset: String
  private let treatment = Treatment()

  /// Makes a world in which the server has rows, and the person too.
  ///
  /// - Throws: Where the server can't be started or the clone fails.
  init(_ rows: String...) throws {
    server = try RunningServer()
    for row in rows { try server.request("POST", "tables/todoitem", row) }
    dataset = try #require(server.dataset)
    let treatment = treatment
    line = try Proxy(before: server.url) { treatment.of($0) }
    anna = try Person(cloning: line.url)
  }

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

  /// Makes an answer that is the server's own by its fields.
  func row(_ text: String, status: Int = 200) -> ScriptedReply {
    let fields = [("Content-Type", "application/json"), ("X-Tsync-Dataset", dataset)]
    return .answer(status, fields, body: Array(text.utf8))
  }

  /// Lets everything pass again.
  func calm() { disturb { _ in .forward } }

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

private final class Treatment: Sendable {
  private let current = Mutex<@Sendable (ReceivedRequest) -> Proxy.Treatment>({ _ in .forward })

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
