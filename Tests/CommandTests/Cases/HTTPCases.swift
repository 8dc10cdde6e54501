import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Answers that are not what was asked for.
@Suite struct HTTPCases {
  private static let milk = #"{"id": "milk", "text": "Buy milk"}"#

  @Test(
    "case 36, S8: a redirection is not followed, shows where it points, and nothing is lost",
    arguments: [301, 302, 303, 307, 308], ["pull", "push"])
  func redirections(status: Int, command: String) throws {
    let world = try CaseWorld(Self.milk)
    let trap = try ScriptedServer { _ in .json("{}") }
    world.anna.run("set", "milk", "text=Buy oat milk")
    world.disturb { .answer(.answer(status, [("Location", trap.url + $0.target)])) }
    let stopped = world.anna.run(command)
    #expect(stopped.status == 5)
    let isMove = [301, 308].contains(status)
    #expect(
      stopped.error.contains(
        isMove
          ? "moved to \(trap.url)\ntsync: to follow it: tsync remote set \(trap.url)\n"
          : "sends to \(trap.url)/tables/todoitem"))
    #expect(stopped.error.contains("remote set") == isMove)
    #expect(trap.connectionCount == 0)
    world.expectCalm()
    #expect(try world.server.rows("milk").first?["text"] == "Buy oat milk")
  }

  @Test(
    "case 36, S8: whoever makes an item isn't led elsewhere: 307 and 308 on a POST are not followed",
    arguments: [307, 308])
  func redirectedInsert(status: Int) throws {
    let world = try CaseWorld(Self.milk)
    let trap = try ScriptedServer { _ in .json(#"{"id": "tea", "version": "v1"}"#, status: 201) }
    world.anna.run("new", "-s", "id=tea", "Buy tea")
    world.answer("POST", .answer(status, [("Location", "\(trap.url)/tables/todoitem")]))
    let stopped = world.anna.run("push")
    #expect(stopped.status == 5)
    #expect(
      stopped.error.contains(
        status == 308
          ? "moved to \(trap.url)\ntsync: to follow it: tsync remote set \(trap.url)\n"
          : "sends to \(trap.url)/tables/todoitem (307)"))
    #expect(stopped.error.contains("nothing is lost: 1 change waits"))
    #expect(trap.connectionCount == 0)
    #expect(try world.server.rows("tea").isEmpty)
    world.expectCalm()
    #expect(try world.server.rows("tea").count == 1)
  }

  @Test(
    "case 36, S8: from https nobody is led to plain http",
    .enabled(if: TLSServer.isAvailable, "needs \(TLSServer.program)"))
  func downgrade() throws {
    let trap = try ScriptedServer { _ in .json(#"{"items": []}"#) }
    let anna = Person()
    anna.run("init", "--remote", trap.url, "list")
    anna.run("config", "dialect", "datasync")
    #expect(anna.run("pull").status == 0)
    // What it has asked for is what it will ask for again.
    let asked = try #require(trap.requests.first?.target.dropFirst())
    let (count, location) = (trap.connectionCount, "\(trap.url)/\(asked)")
    let answer = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
    let server = try TLSServer(answers: [(String(asked), answer)])
    anna.environment = [("SSL_CERT_FILE", server.certificateFile)]
    #expect(anna.run("remote", "set", "https://localhost:\(server.port)").status == 0)
    anna.directory.write("canary-token\n", to: "token")
    #expect(
      anna.run("remote", "login", "--token-file", anna.directory.path(of: "token")).status == 0)
    let stopped = anna.run("pull")
    #expect(stopped.status == 5)
    #expect(
      stopped.error.contains("sends to \(trap.url)/") && !stopped.error.contains("remote set"),
      "\(stopped.error)")
    #expect(trap.connectionCount == count)
  }

  @Test(
    "case 36: a redirection to a file, to nowhere, to a text that moves the cursor is only told",
    arguments: ["file:///etc/passwd", "", "//evil.test/x", "http://x/\u{1b}[2J", "https://a:b@c"])
  func strangeRedirections(location: String) throws {
    let world = try CaseWorld(Self.milk)
    world.disturb { _ in .answer(.answer(302, [("Location", location)])) }
    let stopped = world.anna.run("pull")
    #expect(stopped.status == 5)
    #expect(stopped.error.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
    world.calm()
    world.anna.expectSound()
  }

  @Test(
    "case 37, N9: a web page in place of every answer is no answer; what was sent is sent again",
    arguments: ["POST", "PATCH", "DELETE", "GET"])
  func portals(method: String) throws {
    let world = try CaseWorld(Self.milk)
    switch method {
    case "POST": world.anna.run("new", "-s", "id=tea", "Buy tea")
    case "PATCH": world.anna.run("set", "milk", "text=Buy oat milk")
    case "DELETE": world.anna.run("rm", "milk")
    default: break
    }
    world.disturb { _ in .answer(.portal) }
    let stopped = world.anna.run(method == "GET" ? "pull" : "push")
    #expect(stopped.status == 5)
    #expect(world.anna.conflicts == [])
    world.expectCalm()
    let rows = try world.server.request("GET", "tables/todoitem?$count=true")
    let count = ["POST": 2, "DELETE": 0][method] ?? 1
    #expect(rows.contains("\"count\":\(count)"))
  }

  @Test(
    "case 37: a web page in place of each write's answer proves nothing, and is never a success",
    arguments: ["POST", "PATCH", "DELETE"])
  func pagesForWrites(method: String) throws {
    let world = try CaseWorld(Self.milk)
    switch method {
    case "POST": world.anna.run("new", "-s", "id=tea", "Buy tea")
    case "PATCH": world.anna.run("set", "milk", "text=Buy oat milk")
    default: world.anna.run("rm", "milk")
    }
    world.answer(method, .portal)
    let stopped = world.anna.run("push")
    #expect(stopped.status == 3, "\(stopped)")
    #expect(stopped.output.hasPrefix("cut "))
    world.expectCalm()
  }

  @Test("case 49: an answer to a PATCH with another id is no success; our row is read")
  func otherID() throws {
    let world = try CaseWorld(Self.milk)
    let other = world.reply(#"{"id": "other", "text": "x", "version": "v9"}"#, status: 200)
    world.anna.run("set", "milk", "text=Buy oat milk")
    world.answer("PATCH", other)
    let stopped = world.anna.run("push")
    #expect(stopped.status == 3, "\(stopped)")
    #expect(world.anna.item("other") == nil)
    world.disturbOnce("PATCH", .answer(other))
    // What is open is sent once in each push.
    let pushed = world.anna.run("push")
    #expect(pushed.status == 3, "\(pushed)")
    world.expectCalm()
    #expect(try world.server.rows("milk").count == 1)
  }

  @Test("D2: an answer to a POST with another id names the row, and the item is renamed")
  func otherIDOfInsert() throws {
    let world = try CaseWorld(Self.milk)
    world.anna.run("new", "-s", "id=tea", "Buy tea")
    world.answer(
      "POST", world.reply(#"{"id": 17, "text": "Buy tea", "version": "v9"}"#, status: 201))
    let pushed = world.anna.run("push")
    #expect(pushed.status == 0, "\(pushed)")
    #expect(pushed.output == "created tea as 17  Buy tea\n")
    #expect(world.anna.item("tea") == nil)
    #expect(world.anna.item("17")?.contains("Buy tea") == true)
    #expect(world.anna.run("status").output.contains("nothing to push"))
    // It is never sent again.
    #expect(world.anna.run("push").error.contains("nothing to push"))
  }

  @Test("case 50: an answer to a PATCH without a version is made good by reading the row")
  func noVersion() throws {
    let world = try CaseWorld(Self.milk)
    world.anna.run("set", "milk", "text=Buy oat milk")
    let server = world.server.url
    let answer = world.reply(#"{"id": "milk", "text": "Buy oat milk"}"#)
    world.disturb { request in
      guard request.method == "PATCH" else { return .forward }
      guard (try? Wire.forward(request, to: server)) != nil else { return .forward }
      return .answer(answer)
    }
    let pushed = world.anna.run("push")
    #expect(pushed.status == 0)
    #expect(pushed.output.hasPrefix("updated milk  Buy oat milk"))
    world.expectCalm()
    #expect(world.count("PATCH") == 1)
  }

  @Test("case 59: more than 100 interim replies end the exchange")
  func interimReplies() throws {
    let world = try CaseWorld(Self.milk)
    let interim = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 101)
    world.disturb { _ in .answer(.raw(interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) }
    let stopped = world.anna.run("pull")
    #expect(stopped.status == 5)
    #expect(stopped.error.contains("interim replies"))
    world.calm()
    world.anna.expectSound()
  }

  @Test(
    "case 60: a header that is cut after its status line is no answer, though libcurl says so",
    arguments: ["POST", "PATCH", "DELETE"])
  func cutHeaders(method: String) throws {
    let world = try CaseWorld(Self.milk)
    switch method {
    case "POST": world.anna.run("new", "-s", "id=tea", "Buy tea")
    case "PATCH": world.anna.run("set", "milk", "text=Buy oat milk")
    default: world.anna.run("rm", "milk")
    }
    world.answer(method, .raw("HTTP/1.1 \(method == "POST" ? 201 : 200) OK\r\n"))
    #expect(world.anna.run("push").status == 3)
    world.expectCalm()
  }

  @Test("case 61, N6: a page that a proxy kept takes no item and no base back")
  func stalePages() throws {
    let world = try CaseWorld(Self.milk)
    let list = "tables/todoitem?$orderby=updatedAt,id&$top=1000&__includedeleted=true&$count=true"
    let old = world.reply(try world.server.request("GET", list))
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Buy oat milk"}"#)
    world.anna.run("pull")
    world.disturb { $0.target == "/\(list)" ? .answer(old) : .forward }
    let pulled = world.anna.run("pull", "--full")
    #expect(pulled.status == 0, "\(pulled)")
    #expect(world.line.requests.count { $0.target == "/\(list)" } == 2)
    #expect(world.anna.item("milk")?.contains("Buy oat milk") == true)
    world.anna.run("done", "milk")
    world.expectCalm()
    #expect(
      world.line.requests.allSatisfy { request in
        request.method != "GET" || request.value(of: "Cache-Control") == "no-cache"
      })
  }

  @Test("S21: a server that said yes and kept nothing is found out by a whole pull")
  func lies() throws {
    let world = try CaseWorld(Self.milk)
    world.anna.run("set", "milk", "text=Buy oat milk")
    world.answer(
      "PATCH", world.reply(#"{"id": "milk", "text": "Buy oat milk", "version": "v9"}"#))
    #expect(world.anna.run("push").status == 0)
    world.calm()
    world.anna.run("set", "milk", "text=Buy soy milk")
    let pushed = world.anna.run("push")
    // It has the version from before.
    #expect(pushed.status == 6, "\(pushed)")
    #expect(world.anna.run("pull", "--full").status == 6)
    #expect(world.anna.run("pull", "--full", "--max-delete", "1").status == 1)
    #expect(world.anna.item("milk")?.contains("Buy soy milk") == true)
    #expect(world.anna.conflicts != [])
  }
}
