import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Servers that say no, or not now.
@Suite(.onThreads) struct PatienceCases {
  private let world: CaseWorld
  private var anna: Person { world.anna }

  init() throws {
    world = try CaseWorld(#"{"id": "milk", "text": "Buy milk"}"#)
  }

  private func busy(_ status: Int, _ wishes: [String]) -> ScriptedReply {
    .answer(status, wishes.map { ("Retry-After", $0) }, body: [])
  }

  /// Answers the first requests of a method in one way, so many times.
  private func answer(_ method: String, _ reply: ScriptedReply, times: Int) {
    let replies = ScriptedServer.inOrder(Array(repeating: reply, count: times) + [.dropped])
    world.disturb { request in
      guard request.method == method else { return .forward }
      let reply = replies(request)
      return reply.bytes.isEmpty ? .forward : .answer(reply)
    }
  }

  @Test("case 51, S20: 401 is answered by one new token, and everything goes on")
  func renewsOnce() throws {
    anna.directory.write("echo x >> \(anna.directory.path)/calls; echo token-1", to: "fetch")
    let fetch = "sh \(anna.directory.path)/fetch"
    #expect(anna.run("config", "--user", "credential.command", fetch).status == 0)
    anna.run("set", "milk", "text=Buy oat milk")
    world.disturbOnce("PATCH", .answer(.json(#"{"error": "expired"}"#, status: 401)))
    let pushed = anna.run("push")
    #expect(pushed.status == 0, "\(pushed)")
    #expect(anna.directory.text("calls") == "x\nx\n")
    #expect(world.count("PATCH") == 2)
    world.expectCalm()
  }

  @Test("case 51, S20: 401 for ever ends with 4 after at most one new token; nothing is lost")
  func unauthorizedForEver() throws {
    anna.run("set", "milk", "text=Buy oat milk")
    world.disturb { _ in .answer(.json(#"{"error": "who are you"}"#, status: 401)) }
    let before = world.line.requests.count
    let refused = anna.run("push")
    #expect(refused.status == 4)
    #expect(refused.error.contains("tsync remote login"))
    #expect(refused.error.contains("nothing is lost: 1 change waits"))
    #expect(world.line.requests.count == before + 1)
    #expect(anna.run("pull").status == 4)
    world.expectCalm()
  }

  @Test("case 52: one item that is forbidden is told, and the others are sent")
  func forbidsOne() throws {
    anna.run("new", "-s", "id=bad", "Secret")
    anna.run("new", "-s", "id=tea", "Buy tea")
    world.disturb { request in
      String(decoding: request.body, as: UTF8.self).contains("Secret")
        ? .answer(.json(#"{"error": "not yours"}"#, status: 403)) : .forward
    }
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output == "rejected bad  403 not yours\ncreated tea  Buy tea\n")
    #expect(anna.item("bad")?.contains("Secret") == true)
    #expect(anna.run("pull").status == 0)
    world.calm()
    anna.run("set", "bad", "text=Open")
    world.expectCalm()
  }

  @Test(
    "case 54, S22: a wish to wait is granted, up to two minutes",
    arguments: [("2", 2_000), ("120", 120_000), ("0", 0)])
  func grantsWishes(wish: String, pause: Int) {
    anna.run("set", "milk", "text=Buy oat milk")
    answer("PATCH", busy(429, [wish]), times: 1)
    #expect(anna.run("push").status == 0)
    #expect(anna.pauses == [pause])
    world.expectCalm()
  }

  @Test(
    "case 54, S22: who wants more than two minutes is told off at once, with the time",
    arguments: ["121", "86400", "999999999", "99999999999999999999999"])
  func refusesWishes(wish: String) {
    anna.run("set", "milk", "text=Buy oat milk")
    world.answer("PATCH", busy(429, [wish]))
    let stopped = anna.run("push")
    #expect(stopped.status == 5)
    #expect(stopped.error.contains("the server is busy (429); try again "))
    #expect(anna.pauses == [] && world.count("PATCH") == 1)
    world.expectCalm()
  }

  @Test(
    "case 54, S22: a wish that makes no sense is answered by pauses of our own",
    arguments: ["banana", "-1", "", "1.5", "Thu, 01 Jan 1970 00:00:00 GMT", "\u{661}", "2 s"])
  func ignoresNonsense(wish: String) throws {
    anna.run("set", "milk", "text=Buy oat milk")
    answer("PATCH", busy(429, [wish]), times: 1)
    #expect(anna.run("push").status == 0)
    #expect(anna.pauses.count == 1)
    #expect(try #require(anna.pauses.first) <= 500)
    world.expectCalm()
  }

  @Test("case 54: several wishes are one that makes no sense, and none is longer than its longest")
  func severalWishes() throws {
    anna.run("set", "milk", "text=Buy oat milk")
    answer("PATCH", busy(429, ["1", "86400"]), times: 1)
    #expect(anna.run("push").status == 0)
    #expect(anna.pauses.count == 1 && anna.pauses.allSatisfy { $0 <= 1_000 })
    world.expectCalm()
  }

  @Test("case 55, N5: 503 four times, then it is done", arguments: ["PATCH", "GET"])
  func fourTimes(method: String) {
    anna.run("set", "milk", "text=Buy oat milk")
    answer(method, busy(503, []), times: 4)
    #expect(anna.run(method == "GET" ? "pull" : "push").status == 0)
    #expect(anna.pauses.count == 4)
    world.expectCalm()
  }

  @Test(
    "case 55, N5: a server that never has time is asked five times; a list that is refused ends the command",
    arguments: ["PATCH", "GET"], [429, 503])
  func never(method: String, status: Int) {
    anna.run("set", "milk", "text=Buy oat milk")
    world.answer(method, busy(status, []))
    let before = world.count(method)
    let stopped = anna.run(method == "GET" ? "pull" : "push")
    #expect(stopped.status == (method == "GET" ? 5 : 3))
    if method == "PATCH" { #expect(stopped.output.hasPrefix("waits milk  \(status) ")) }
    #expect(world.count(method) == before + 5)
    world.expectCalm()
  }

  @Test(
    "N5: after a failure of the server the row is read before the write is sent again",
    arguments: [500, 502, 504, 408, 425, 421, 522])
  func readsAfterFailures(status: Int) throws {
    anna.run("set", "milk", "text=Buy oat milk")
    // What the server has done before it failed.
    let server = world.server.url
    let isDone = Gate()
    world.disturb { request in
      guard request.method == "PATCH", !isDone.wait(seconds: 0) else { return .forward }
      isDone.open()
      _ = try? Wire.forward(request, to: server)
      return .answer(.json(#"{"error": "failed"}"#, status: status))
    }
    let pushed = anna.run("push")
    #expect(pushed.status == 0, "\(pushed)")
    #expect(anna.conflicts == [])
    #expect(world.count("PATCH") == 1)
  }
}
