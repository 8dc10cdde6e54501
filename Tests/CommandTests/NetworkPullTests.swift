import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite struct NetworkPullTests {
  private let server: RunningServer

  init() throws {
    server = try RunningServer()
  }

  @Test("rows with hostile ids and texts become safe files and safe output")
  func isSafe() throws {
    for id in ["../../x", "Ab", "aB", ".hidden", "-rf"] {
      try server.request(
        "POST", "tables/todoitem", "{\"id\": \"\(id)\", \"text\": \"\\u001b[2J\(id)\"}")
    }
    let anna = Person()
    let cloned = anna.run("clone", "-v", server.url, "list")
    #expect(cloned.status == 0)
    #expect(!cloned.output.utf8.contains(0x1B))
    #expect(cloned.output.contains("\\x1b[2J../../x"))
    #expect(
      anna.directory.names(in: "list/.todosync/items/todoitem")
        == ["%2D" + "rf.json", "%2E.%2F..%2Fx.json", "%2Ehidden.json", "Ab.json", "aB.json"]
        .sorted())
    #expect(anna.directory.names() == ["list"])
  }

  @Test("a row that another client deleted disappears; a second pull brings nothing")
  func followsDeletions() throws {
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "one"}"#)
    let anna = try Person(cloning: server.url)
    #expect(anna.item("a") != nil)
    try server.request("DELETE", "tables/todoitem/a")
    #expect(anna.run("pull", "-v").output == "deleted a  one\n")
    #expect(anna.item("a") == nil)
    #expect(anna.run("pull").error.hasPrefix("todoitem  nothing new    "))
  }

  @Test("a mass of deletions stops the pull until it is allowed")
  func stopsAtDeletions() throws {
    for number in 1...3 {
      try server.request("POST", "tables/todoitem", "{\"id\": \"i\(number)\", \"text\": \"x\"}")
    }
    let anna = try Person(cloning: server.url)
    for number in 1...3 { try server.request("DELETE", "tables/todoitem/i\(number)") }
    let stopped = anna.run("pull")
    #expect(stopped.status == 6)
    #expect(anna.item("i1") != nil)
    #expect(stopped.error.contains("tsync pull --max-delete 3"))
    #expect(anna.run("pull", "--max-delete", "3").status == 0)
    #expect(anna.item("i1") == nil)
  }

  @Test("both changed different fields: it is merged, and told")
  func merges() throws {
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "one", "notes": "n"}"#)
    let anna = try Person(cloning: server.url)
    try server.request("PATCH", "tables/todoitem/a", #"{"notes": "two bottles"}"#)
    anna.run("set", "a", "text=One")
    let pulled = anna.run("pull")
    #expect(pulled.output == "merged a  One (text: client, notes: server)\n")
    #expect(pulled.error.hasPrefix("todoitem  1 changed                              0."))
    let synced = anna.run("sync")
    #expect(synced.output == "updated a  One\n")
  }

  @Test("with pull.push what is pending is sent first")
  func pushesFirst() throws {
    let anna = try Person(cloning: server.url)
    anna.run("config", "pull.push", "true")
    anna.run("new", "-s", "id=milk", "Buy milk")
    #expect(anna.run("pull").output == "created milk  Buy milk\n")
  }

  @Test("with pull.push a conflict that the push meets is told as by a push")
  func tellsThePush() throws {
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "one"}"#)
    let anna = try Person(cloning: server.url)
    anna.run("config", "pull.push", "true")
    anna.run("set", "a", "text=mine")
    try server.request("PATCH", "tables/todoitem/a", #"{"text": "theirs"}"#)
    let pulled = anna.run("pull", "--json")
    #expect(pulled.status == 1)
    let document = try JSON(parsing: Array(pulled.output.utf8)).object
    #expect(document?["push"]?.object?["conflicts"]?.integer == 1, "\(pulled.output)")
    #expect(document?["push"]?.object?["items"]?.elements?.count == 1)
    #expect(document?["tables"]?.elements?.count == 1)
    // Where nothing waits nothing is pushed.
    let again = anna.run("pull", "--json")
    #expect(again.status == 0)
    #expect(try JSON(parsing: Array(again.output.utf8)).object?["push"] == nil)
  }

  @Test("a token is kept by its origin, sent, and forgotten")
  func logsIn() throws {
    let guarded = try RunningServer([])
    let anna = Person()
    let refused = anna.run("clone", guarded.url, "list")
    #expect(refused.status == 4)
    #expect(anna.run("remote").output == "\(guarded.url)\n")
    anna.directory.write("wrong-token\n", to: "token")
    #expect(
      anna.run("remote", "login", "--token-file", anna.directory.path(of: "token")).status == 0)
    let wrong = anna.run("pull")
    #expect(wrong.status == 4)
    #expect(!wrong.error.contains("wrong-token"))
    #expect(anna.run("remote", "logout").error == "logged out of \(guarded.url)\n")
  }

  @Test("case 63: addresses with user names, of no scheme, and none at all are refused")
  func refusesAddresses() throws {
    let anna = Person()
    for url in ["https://a:b@todo.invalid", "ftp://x", "todo.invalid"] {
      #expect(anna.run("clone", url, "list").status == 2)
    }
    #expect(anna.directory.names() == [])
    anna.run("init", "list")
    #expect(anna.run("pull").status == 2)
    #expect(anna.run("remote").status == 2)
  }

  @Test("a directory that holds anything is not cloned into")
  func refusesDirectory() throws {
    let anna = Person()
    anna.directory.write("x", to: "full/file")
    let refused = anna.run("clone", server.url, "full")
    #expect(refused == Outcome(status: 2, output: "", error: "tsync: clone: full is not empty\n"))
    anna.run("init", "mine")
    let again = anna.run("clone", server.url, "mine")
    #expect(
      again.error == """
        tsync: clone: mine is not empty
        tsync: it is a workspace; to go on there         tsync -C mine pull

        """)
  }
}
