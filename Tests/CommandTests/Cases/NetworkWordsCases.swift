import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// What the network says in place of a server: each message names the address and what came.
@Suite struct NetworkWordsCases {
  private static let milk = #"{"id": "milk", "text": "Buy milk"}"#

  private static let time = "2026-01-01T00:00:00.000Z"

  private static func page(_ title: String, _ type: String = "text/html") -> ScriptedReply {
    .answer(
      200, [("Content-Type", type)], body: Array("<html><head>\(title)</head></html>".utf8))
  }

  @Test(
    "a page in place of rows is named by its title, on one safe line",
    arguments: [
      ("<title>Hotel login</title>", #" ("Hotel login")"#),
      ("<TITLE>\n\u{1b}[2J\u{202e} x</TITLE>", #" ("\x1b[2J\u{202e} x")"#), ("", ""),
    ], ["text/html", "application/json", ""])
  func pages(page: (title: String, words: String), type: String) throws {
    let world = try CaseWorld(Self.milk)
    world.disturb { _ in .answer(Self.page(page.title, type)) }
    world.anna.run("set", "milk", "text=Buy oat milk")
    for command in ["pull", "push"] {
      let stopped = world.anna.run(command)
      #expect(stopped.status == 5)
      #expect(
        stopped.error.contains(
          """
          tsync: \(command): \(world.line.url) answered with an HTML page\(page.words), not with rows
          tsync: log in to the network, or check: tsync remote

          """), "\(stopped.error)")
    }
    world.expectCalm()
  }

  @Test("only a move to the same path offers the new address", arguments: [301, 308])
  func moves(status: Int) throws {
    let world = try CaseWorld(Self.milk)
    world.disturb { request in
      .answer(.answer(status, [("Location", "https://new.test\(request.target)")]))
    }
    let moved = world.anna.run("pull")
    #expect(moved.status == 5)
    #expect(
      moved.error.hasPrefix(
        """
        tsync: pull: the server moved to https://new.test
        tsync: to follow it: tsync remote set https://new.test

        """), "\(moved.error)")
    let secret = "https://anna:secret@new.test/x?token=1"
    world.disturb { _ in .answer(.answer(status, [("Location", secret)])) }
    let elsewhere = world.anna.run("pull")
    #expect(elsewhere.error.hasPrefix("tsync: pull: the server moved to https://new.test/x\n"))
    #expect(!elsewhere.error.contains("remote set"))
  }

  @Test("https at a plain port, and http at a port for TLS, say so")
  func wrongScheme() throws {
    let server = try ScriptedServer { _ in
      .answer(400, body: Array("The plain HTTP request was sent to HTTPS port".utf8))
    }
    let anna = Person()
    anna.run("init", "list")
    for (scheme, words, way) in [
      ("https", "does not speak TLS", "if the server has no TLS: tsync remote set http"),
      ("http", "expects TLS", "to use TLS: tsync remote set https"),
    ] {
      let rest = "://localhost:\(server.port)"
      anna.run("remote", "set", scheme + rest)
      let stopped = anna.run("pull")
      #expect(stopped.status == 5)
      #expect(
        stopped.error == "tsync: pull: \(scheme)\(rest) \(words)\ntsync: \(way)\(rest)\n",
        "\(stopped.error)")
    }
  }

  @Test("without a settings directory, a refusal says that no token is used")
  func noSettings() throws {
    let world = try CaseWorld(Self.milk)
    world.disturb { _ in .answer(.answer(401)) }
    let stopped = try world.anna.shell("env -u HOME -u XDG_CONFIG_HOME tsync pull")
    #expect(stopped.status == 4)
    #expect(
      stopped.error
        == "tsync: pull: no token is used: HOME and XDG_CONFIG_HOME are not set\n")
  }

  @Test(
    "a wait of more than an hour is a time of day; what no clock shows is later",
    arguments: [("120", "in 120 s"), ("3600", "in 3600 s"), ("9223372036854775807", "later")])
  func waits(wish: String, words: String) throws {
    let world = try CaseWorld(Self.milk)
    world.disturb { _ in .answer(.answer(429, [("Retry-After", wish)])) }
    let stopped = world.anna.run("pull")
    #expect(stopped.status == 5)
    #expect(stopped.error.contains("the server is busy (429); try again \(words)\n"))
    world.disturb { _ in .answer(.answer(429, [("Retry-After", "7200")])) }
    let time = try #require(world.anna.run("pull").error.firstMatch(of: /try again after (.*)\n/))
    #expect(time.1.wholeMatch(of: /\d\d:\d\d/) != nil)
  }

  @Test(
    "clone leaves nothing where no server of tables answers",
    arguments: [
      page("<title>Hotel login</title>"), .answer(301, [("Location", "https://x.test/")]),
      .answer(302, [("Location", "https://x.test/login")]), .answer(404),
      .answer(400, body: Array("The plain HTTP request was sent to HTTPS port".utf8)),
      .raw("SSH-2.0-OpenSSH_9.2\r\n"),
    ], [true, false])
  func leavesNothing(answer: ScriptedReply, isEmpty: Bool) throws {
    let server = try ScriptedServer { _ in answer }
    let anna = Person()
    if isEmpty { mkdir(anna.workspace, 0o700) }
    let stopped = anna.run(["clone", server.url, "list"], beside: true)
    #expect(stopped.status == 5)
    #expect(
      stopped.error.hasSuffix(
        "tsync: nothing was made: check the URL, the tables (-t) and the network\n"),
      "\(stopped.error)")
    #expect(!stopped.error.contains("made workspace"))
    #expect(!stopped.error.contains("is not a list of rows"))
    #expect(anna.directory.names(in: ".").contains("list") == isEmpty)
    #expect(anna.directory.names(in: "list").filter { $0 != "." } == [])
    let real = try RunningServer()
    #expect(anna.run(["clone", real.url, "list"], beside: true).status == 0)
  }

  @Test(
    "clone leaves a workspace where the server can be asked later",
    arguments: [
      (.answer(401), 4), (.answer(429), 5), (.answer(500), 5), (.answer(503), 5), (.dropped, 5),
    ] as [(ScriptedReply, Int32)])
  func leavesWorkspace(answer: ScriptedReply, status: Int32) throws {
    let server = try ScriptedServer { _ in answer }
    let anna = Person()
    let stopped = anna.run(["clone", server.url, "list"], beside: true)
    #expect(stopped.status == status)
    #expect(stopped.error.hasPrefix("made workspace list (todoitem)\n"))
    #expect(
      stopped.error.hasSuffix(
        "tsync: the workspace is made; to continue        tsync -C list pull\n"))
    #expect(anna.run("status").status == 0)
  }

  @Test("the text of a list counts, not its media type, its byte order mark or 203")
  func oddLists() throws {
    for (status, type, mark) in [
      (203, "application/json", ""), (200, "text/plain", ""), (200, "text/json", "\u{FEFF}"),
      (200, "", "\u{FEFF}"), (200, "text/html", ""),
    ] {
      let server = try ScriptedServer { request in
        let row = #"{"id":"milk","text":"Buy milk","version":"v1","updatedAt":"\#(Self.time)"}"#
        let body = mark + (request.target.contains("filter") ? "[]" : "[\(row)]")
        return .answer(
          status, [("Content-Type", type), ("X-ZUMO-Server-Version", "node-4.0.3")],
          body: Array(body.utf8))
      }
      let anna = try Person(cloning: server.url)
      #expect(anna.item("milk")?.contains("Buy milk") == true, "\(status) \(type)")
    }
  }

  @Test("a row that is not UTF-8 is named by its id")
  func badRow() throws {
    let row =
      Array(#"{"id":"tea","text":""#.utf8) + [0xC3, 0x28]
      + Array(#"","version":"v1","updatedAt":"\#(Self.time)"}"#.utf8)
    let server = try ScriptedServer { request in
      .answer(
        200, [("Content-Type", "application/json"), ("X-ZUMO-Server-Version", "node-4.0.3")],
        body: Array("[".utf8) + (request.target.contains("filter") ? [] : row) + Array("]".utf8))
    }
    let anna = Person()
    let cloned = anna.run(["clone", server.url, "list"], beside: true)
    #expect(cloned.status == 3)
    #expect(cloned.output.hasPrefix("quarantined tea  the row is not valid JSON"), "\(cloned)")
  }
}
