import CommandSupport
import Commands
import CurlTransport
import TestSupport
import Testing

/// Servers that can't be reached, trusted or waited for.
@Suite(.onThreads) struct ReachCases {
  /// Pushes one change to an address that leads nowhere, and then to the real one.
  private func push(
    to url: String, _ change: (Person) -> Void = { _ in }, _ check: (Outcome, Person) -> Void
  ) throws {
    let server = try RunningServer()
    let anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=tea", "Buy tea")
    #expect(anna.run("remote", "set", url).status == 0)
    let variables = anna.environment
    change(anna)
    let stopped = anna.run("push")
    #expect(stopped.status == 5)
    #expect(stopped.error.contains("nothing is lost: 1 change waits"))
    #expect(anna.pauses == [])
    check(stopped, anna)
    anna.environment = variables
    #expect(anna.run("remote", "set", server.url).status == 0)
    #expect(anna.run("push").output == "created tea  Buy tea\n")
    anna.expectSound()
  }

  @Test("case 56, N8: a server that refuses connections is told at once, and nothing is lost")
  func refused() throws {
    // Nobody listens there, and nobody begins to, as on a port that was just given back.
    let url = "http://127.0.0.1:1"
    try push(to: url) { stopped, _ in
      #expect(stopped.error.hasPrefix("tsync: push: cannot reach \(url): connection refused\n"))
    }
  }

  @Test("case 56, N8: a name that nobody knows is told at once, and nothing is lost")
  func unknownName() throws {
    try push(to: "https://todo.invalid") { stopped, _ in
      #expect(stopped.error.contains("cannot reach https://todo.invalid: name not resolved\n"))
    }
  }

  @Test("case 56, N8: an address that no way leads to is told at once, and nothing is lost")
  func noRoute() throws {
    try push(to: "https://255.255.255.255") { stopped, _ in
      #expect(
        stopped.error.contains("cannot reach https://255.255.255.255: no route to the host\n"))
    }
  }

  @Test(
    "case 57, N7: a certificate that proves nothing ends the command, at once and for good",
    .enabled(if: TLSServer.isAvailable, "needs \(TLSServer.program)"),
    arguments: ["self-signed", "other host", "expired"])
  func certificates(fault: String) throws {
    let server = try TLSServer(days: fault == "expired" ? -1 : 2)
    let host = fault == "other host" ? "127.0.0.1" : "localhost"
    try push(
      to: "https://\(host):\(server.port)",
      { anna in
        if fault != "self-signed" {
          anna.environment.append(("SSL_CERT_FILE", server.certificateFile))
        }
      },
      { stopped, _ in #expect(stopped.error.contains("cannot trust https://\(host)")) })
  }

  @Test(
    "N7: SSL_CERT_FILE and SSL_CERT_DIR are in place of the system's authorities, not beside them",
    .enabled(if: TLSServer.isAvailable && canMount, "needs \(TLSServer.program) and unshare(1)"),
    arguments: [
      ("", true), ("FILE=mine", true), ("DIR=mine", true), ("FILE=other DIR=mine", true),
      ("FILE=other", false), ("DIR=other", false), ("FILE=other DIR=other", false),
    ])
  func authorities(variables: String, isTrusted: Bool) throws {
    let (mine, other) = (try TLSServer(), try TLSServer())
    let anna = Person()
    anna.directory.write("", to: "list/empty")
    // The system trusts the server, by a file and by a directory.
    let system = mine.certificateDirectory
    let words = variables.split(separator: " ").map { word in
      let parts = word.split(separator: "=")
      let server = parts[1] == "mine" ? mine : other
      return "SSL_CERT_\(word.hasPrefix("FILE") ? "FILE=" : "DIR=")"
        + (parts[0] == "FILE" ? server.certificateFile : server.certificateDirectory)
    }
    let url = "https://localhost:\(mine.port)"
    let ended = try anna.shell(
      """
      cp '\(mine.certificateFile)' '\(system)/ca-certificates.crt' && exec unshare -rm sh -c '
      mount --bind "$1" /etc/ssl/certs && shift && exec env "$@"' sh \
      '\(system)' \(words.joined(separator: " ")) tsync clone \(url) todo
      """)
    #expect(ended.status == 5, "\(ended.error)")
    #expect(ended.error.contains("cannot trust \(url)") != isTrusted, "\(ended.error)")
  }

  /// Whether a process may have mounts of its own.
  private static let canMount =
    (try? ChildProcess(
      ["unshare", "-rm", "true"], in: "/", [("PATH", "/usr/bin:/bin")]
    ).outcome().status) == 0

  @Test("N7: TLS that is cut in its handshake ends the command")
  func cutHandshake() throws {
    let server = try ScriptedServer { _ in .dropped }
    try push(to: "https://127.0.0.1:\(server.port)") { stopped, _ in
      #expect(stopped.error.contains("cannot trust https://127.0.0.1"))
    }
  }

  @Test(
    "case 58, N2: a line that goes dead in the middle is left when the time is up, nothing is lost",
    arguments: [
      ByteProxy.Course.request(cutAfter: 0, .stall), .request(cutAfter: 100, .stall),
      .reply(cutAfter: 0, .stall), .reply(cutAfter: 150, .stall),
    ])
  func stalls(course: ByteProxy.Course) throws {
    let line = try CutLine()
    line.anna.run("new", "-s", "id=tea", "Buy tea")
    line.anna.limits.stallMilliseconds = 1_000
    let stopped = line.run("push", on: course, course)
    #expect(stopped.status == 5)
    #expect(stopped.error.contains("the server was silent for 1 s"))
    #expect(line.run("push").status == 0)
    line.anna.expectSound()
    #expect(try line.server.rows("tea").count == 1)
  }

  @Test("N2: the setting 'timeout' says after how many seconds of silence a request ends")
  func timeout() throws {
    let line = try CutLine()
    #expect(line.anna.run("config", "timeout", "1").status == 0)
    line.anna.run("new", "-s", "id=tea", "Buy tea")
    let silent = ByteProxy.Course.reply(cutAfter: 0, .stall)
    let stopped = line.run("push", on: silent, silent)
    #expect(stopped.status == 5)
    #expect(stopped.error.contains("the server was silent for 1 s"))
    #expect(line.run("push").status == 0)
    line.anna.expectSound()
    #expect(try line.server.rows("tea").count == 1)
  }

  @Test("N2: a line that carries small pages only ends no pull, and the page's size is not learnt")
  func slowLine() throws {
    let world = try CaseWorld()
    for id in ["a", "b", "c", "d", "e", "f", "g"] {
      try world.server.request("POST", "tables/todoitem", #"{"id": "\#(id)", "text": "x"}"#)
    }
    let anna = world.anna
    anna.run("config", "timeout", "1")
    anna.run("config", "pull.page", "4")
    world.disturb { $0.target.contains("$top=4&") ? .answer(.silent) : .forward }
    #expect(anna.run("pull").status == 0)
    #expect(anna.items.count == 7)
    #expect(anna.directory.text("list/.todosync/state.json")?.contains("page") == false)
    anna.expectSound()
  }

  @Test(
    "case 58, N2: an answer that comes byte by byte is left when the time is up",
    arguments: [
      // Not a stall, but too slow for the whole request; and a stall, though bytes come.
      (UInt32(25_000), 1_000, 30_000, "within 1 s"), (700_000, 60_000, 1_000, "silent for 1 s"),
    ])
  func drips(pause: UInt32, request: Int, stall: Int, words: String) throws {
    let line = try CutLine()
    line.anna.run("new", "-s", "id=tea", "Buy tea")
    line.anna.limits.requestMilliseconds = request
    line.anna.limits.stallMilliseconds = stall
    var course = ByteProxy.Course.clear
    course.paces = { ServerPause.microseconds(pause) }
    let stopped = line.run("push", on: course, course)
    #expect(stopped.status == 5)
    #expect(stopped.error.contains(words))
    line.anna.limits = TransportLimits()
    #expect(line.run("push").status == 0)
    line.anna.expectSound()
    #expect(try line.server.rows("tea").count == 1)
  }

  @Test("N2: an answer that comes byte by byte is taken, though it takes longer than the silence")
  func slowAndSteady() throws {
    let line = try CutLine()
    for number in 10..<40 {
      try line.server.request("POST", "tables/todoitem", #"{"id": "\#(number)", "text": "Milk"}"#)
    }
    line.anna.limits.stallMilliseconds = 4_000
    var course = ByteProxy.Course.clear
    course.paces = { ServerPause.microseconds(2_000) }
    #expect(line.run("pull", on: course).status == 0)
    #expect(line.anna.items.count == 30)
    line.anna.expectSound()
  }

  @Test(
    "case 62: plain http to another machine is refused where it is given: nothing is made or set",
    arguments: ["http://192.0.2.1", "http://0.0.0.0:8080", "http://[2001:db8::1]/api"])
  func plainHTTP(url: String) throws {
    let server = try RunningServer()
    let anna = Person()
    let refused = anna.run("clone", url, "list")
    #expect(refused.status == 2)
    #expect(refused.error.contains("plain http to") && refused.error.contains("use https"))
    #expect(anna.directory.names() == [])
    #expect(anna.run("clone", server.url, "list").status == 0)
    #expect(anna.run("remote", "set", url).status == 2)
    #expect(anna.run("remote").output == "\(server.url)\n")
    anna.expectSound()
  }

  @Test(
    "case 62: where plain http leads is decided by the address that is connected to, for any name",
    arguments: ["push", "pull"])
  func plainHTTPByAddress(command: String) throws {
    let server = try RunningServer()
    let anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=tea", "Buy tea")
    // 192.0.2.1, as libcurl reads it; to an address it looks like a name.
    #expect(anna.run("remote", "set", "http://3221225985").status == 0)
    let refused = anna.run(command)
    #expect(refused.status == 2)
    #expect(refused.error.contains("plain http to 192.0.2.1: use https"))
    #expect(anna.run("remote", "set", server.url).status == 0)
    #expect(anna.run("push").status == 0)
    anna.expectSound()
  }

  @Test(
    "case 63, S9: an address with a name or password is refused, not repeated, and told how",
    arguments: ["https://ann:s3cret@todo.invalid", "https://ann@todo.invalid/tables"])
  func userInformation(url: String) throws {
    let anna = Person()
    let refused = anna.run("clone", url, "list")
    #expect(refused.status == 2)
    #expect(refused.error.contains("tsync remote login") && !refused.error.contains("s3cret"))
    let unset = anna.run("init", "--remote", url, "list")
    #expect(unset.status == 2 && !unset.error.contains("s3cret"))
    #expect(anna.directory.names() == [])
  }
}
