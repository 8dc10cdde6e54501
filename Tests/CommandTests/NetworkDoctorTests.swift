import Remote
import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite("The doctor and the server")
struct NetworkDoctorTests {
  private let server: RunningServer

  init() throws {
    server = try RunningServer()
    for id in ["a", "b", "c", "d"] {
      try server.request("POST", "tables/todoitem", "{\"id\": \"\(id)\", \"text\": \"one\"}")
    }
  }

  private func change(_ id: String) throws {
    try server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "two"}"#)
  }

  /// Changes a byte of the base log.
  private func destroyBase(of person: Person) throws {
    let path = "list/.todosync/base/todoitem.jsonl"
    var bytes = try #require(person.directory.read(path))
    let place = try #require(bytes.firstRange(of: Array("\"one\"".utf8))).lowerBound
    bytes[place + 1] ^= 1
    person.directory.write(bytes, to: path)
  }

  @Test("--deep lists the rows that differ, changes nothing and ends with 1 (I16)")
  func deep() throws {
    let anna = try Person(cloning: server.url)
    #expect(anna.run("doctor", "--deep").status == 0)
    try change("a")
    try server.request("DELETE", "tables/todoitem/b")
    try server.request("POST", "tables/todoitem", #"{"id": "e", "text": "new"}"#)
    let before = anna.directory.text("list/.todosync/base/todoitem.jsonl")
    let found = anna.run("doctor", "--deep")
    #expect(found.status == 1)
    #expect(
      found.output == """
        server  todoitem/a: was changed there
        server  todoitem/b: was deleted there
        server  todoitem/e: is new there

        """)
    #expect(anna.directory.text("list/.todosync/base/todoitem.jsonl") == before)
    #expect(anna.run("pull").status == 0)
    #expect(anna.run("doctor", "--deep").status == 0)
  }

  @Test("W10: a file of keys and a proxy are told, their values are not, and they are no fault")
  func surroundings() throws {
    let anna = try Person(cloning: server.url)
    #expect(anna.run("doctor").error == "all is well: 4 items, 1 table\n")
    let proxy = "http://ann:s3cret@127.0.0.1:1"
    anna.environment = [
      ("SSLKEYLOGFILE", anna.directory.path(of: "keys")), ("https_proxy", proxy),
      ("ALL_PROXY", proxy),
      ("HTTPS_PROXY", ""),
    ]
    for words in [["doctor"], ["doctor", "--json"]] {
      let examined = anna.run(words)
      #expect(examined.status == 0)
      #expect(
        examined.error.hasSuffix(
          """
          tsync: doctor: SSLKEYLOGFILE is set: who can read that file can read what is exchanged
          tsync: doctor: https_proxy is set: a server at https is reached through a proxy
          tsync: doctor: ALL_PROXY is set: a server at https is reached through a proxy

          """), "\(examined.error)")
      #expect(!(examined.output + examined.error).contains("s3cret"))
    }
  }

  @Test("--deep says pull --full where a pull would pass a row over")
  func deepAndOld() throws {
    let isGone = Gate()
    let dataset = try #require(server.dataset)
    let line = try Proxy(before: server.url) { request in
      guard isGone.wait(seconds: 0), request.target.hasPrefix("/tables/todoitem?") else {
        return .forward
      }
      let fields = [
        (name: "Content-Type", value: "application/json"),
        (name: "X-Tsync-Dataset", value: dataset),
      ]
      return .answer(.answer(200, fields, body: Array(#"{"items":[],"count":0}"#.utf8)))
    }
    let anna = try Person(cloning: line.url)
    #expect(anna.run("doctor", "--deep").error.hasSuffix("the server has the same rows\n"))
    try change("a")
    #expect(anna.run("doctor", "--deep").error.hasSuffix(" tsync pull\n"))
    isGone.open()
    let found = anna.run("doctor", "--deep")
    #expect(found.output.contains("todoitem/b: is not there"))
    #expect(found.error.hasSuffix(" tsync pull --full\n"), "\(found.error)")
  }

  @Test("--deep says what to do first about rows that no pull brings as it is")
  func deepAndWaiting() throws {
    let anna = try Person(cloning: server.url)
    anna.run("set", "a", "text=mine")
    anna.directory.write("{", to: anna.file("b"))
    try change("a")
    try change("b")
    try change("c")
    #expect(anna.run("pull").status == 3)
    let found = anna.run("doctor", "--deep")
    #expect(found.status == 1)
    #expect(
      found.output.hasSuffix(
        """
        server  todoitem/a: was changed there · tsync resolve todoitem/a
        server  todoitem/b: was changed there · mend items/todoitem/b.json

        """), "\(found.output)")
    #expect(found.error.hasSuffix("2 differ on the server\n"), "\(found.error)")
    try change("d")
    #expect(anna.run("doctor", "--deep").error.hasSuffix(" tsync pull\n"))
  }

  @Test("--deep says what to do first about an item whose row is gone without a trace")
  func deepAndGone() throws {
    let isGone = Gate()
    let dataset = try #require(server.dataset)
    let url = server.url
    let line = try Proxy(before: url) { request in
      guard isGone.wait(seconds: 0), request.method == "GET" else { return .forward }
      let fields = [
        (name: "Content-Type", value: "application/json"),
        (name: "X-Tsync-Dataset", value: dataset),
      ]
      guard request.target.hasPrefix("/tables/todoitem?") else {
        return .answer(.answer(404, fields, body: Array("{}".utf8)))
      }
      // Of the rows, d alone is there.
      let rows = (try? Wire.forward(request, to: url))?.body ?? []
      let all = (try? JSON(parsing: rows))?.object?["items"]?.elements ?? []
      let kept = all.filter { $0.object?["id"]?.text.map { $0 > "b" } ?? false }
      let page = JSON.object(JSONObject([.init(name: "items", value: .array(kept))]))
      return .answer(.answer(200, fields, body: page.encoded()))
    }
    let anna = try Person(cloning: line.url)
    anna.run("set", "a", "text=mine")
    anna.directory.write("{", to: anna.file("b"))
    isGone.open()
    _ = anna.run("pull", "--full")
    let found = anna.run("doctor", "--deep")
    #expect(
      found.output.hasSuffix(
        """
        server  todoitem/a: is not there, and was not deleted in a way that shows \
        · tsync resolve todoitem/a
        server  todoitem/b: is not there, and was not deleted in a way that shows \
        · mend items/todoitem/b.json

        """), "\(found)")
    #expect(found.error.hasSuffix("2 differ on the server\n"), "\(found.error)")
  }

  @Test("an edited side of a conflict whose record is lost stays, and is not passed over")
  func lostRecord() throws {
    let anna = try Person(cloning: server.url)
    anna.run("set", "a", "text=mine")
    try change("a")
    #expect(anna.run("pull").status == 1)
    let path = "list/.todosync/journal.jsonl"
    var journal = try #require(anna.directory.read(path))
    let place = try #require(journal.firstRange(of: Array("\"two\"".utf8))).lowerBound
    journal[place + 1] ^= 1
    anna.directory.write(journal, to: path)
    let sides = "list/.todosync/conflicts/todoitem"
    anna.directory.write(#"{"id": "a", "text": "my last word"}"#, to: "\(sides)/a.client.json")
    anna.directory.write("<<<<<<<\n", to: "\(sides)/a.edit.json")
    #expect(anna.run("doctor", "--fix").status == 0)
    let refused = anna.run("resolve", "--client", "a")
    #expect(refused.status == 2)
    #expect(refused.error.contains("conflicts/todoitem/a.client.json were both edited, and differ"))
    #expect(
      anna.directory.text("\(sides)/a.client.json") == #"{"id": "a", "text": "my last word"}"#)
    #expect(anna.directory.text("\(sides)/a.edit.json") == "<<<<<<<\n")
    anna.directory.write(#"{"id": "a", "text": "my last word"}"#, to: anna.file("a"))
    #expect(anna.run("resolve", "--client", "a").status == 0)
    #expect(anna.run("push").status == 0)
    #expect(try server.rows("a").first?["text"]?.text == "my last word")
  }

  @Test("--deep without the server ends with 5, and tells what it found before")
  func unreachable() throws {
    let anna = try Person(cloning: server.url)
    anna.run("remote", "set", "http://127.0.0.1:1")
    let found = anna.run("doctor", "--deep")
    #expect(found.status == 5)
    #expect(found.error.hasPrefix("all is well: 4 items, 1 table\n"))
  }

  @Test(
    "case 100: a base that was forgotten deletes nothing; equal contents pair up, others conflict")
  func forgottenBase() throws {
    let anna = try Person(cloning: server.url)
    anna.directory.write(#"{"text": "mine"}"#, to: anna.file("a"))
    anna.run("rm", "b")
    try change("c")
    try destroyBase(of: anna)
    #expect(anna.run("status").status == 8)
    #expect(anna.run("doctor", "--fix").status == 0)
    #expect(anna.run("doctor").status == 0)
    #expect(anna.run("pull").status == 1)
    // What was deleted here comes back, and what was changed on either side waits for a person.
    #expect(anna.item("b") != nil)
    let open = anna.run("status", "--porcelain").output.split(separator: "\n").dropFirst()
    #expect(open.sorted() == ["AA conflict todoitem/a text", "AA conflict todoitem/c text"])
    #expect(anna.run("resolve", "--client", "a").status == 0)
    #expect(anna.run("resolve", "--server", "c").status == 0)
    #expect(anna.run("push").status == 0)
    #expect(
      try ["a", "b", "c", "d"].map { try server.rows($0).first?["text"]?.text }
        == ["mine", "one", "two", "one"])
    #expect(try server.rows("b").first?["deleted"]?.boolean != true)
    #expect(anna.run("doctor", "--deep").status == 0)
  }

  @Test("case 100: pushing before anything is pulled again deletes and duplicates nothing")
  func pushAfterForgetting() throws {
    let anna = try Person(cloning: server.url)
    anna.directory.write(#"{"text": "mine"}"#, to: anna.file("a"))
    anna.run("rm", "b")
    try destroyBase(of: anna)
    #expect(anna.run("doctor", "--fix").status == 0)
    #expect(anna.run("push").status == 1)
    #expect(anna.run("status", "--porcelain").output.contains("conflict todoitem/a text"))
    #expect(try server.rows("a").first?["text"]?.text == "one")
    #expect(try server.rows("b").first?["deleted"]?.boolean != true)
    anna.run("pull")
    #expect(anna.item("b") != nil)
    #expect(anna.run("doctor").status == 0)
  }
}
