import HTTPTypes
import SyncModel
import TableServer
import Testing

/// A name of a member means the row's member that has it, letters' case aside.
@Suite struct NameCaseTests {
  /// A generation of clients: its version, and whether its requests have an application key.
  struct Client: Sendable, CustomTestStringConvertible {
    var version: String?
    var isOld = false
    var testDescription: String { version ?? (isOld ? "2014" : "none") }

    func send(
      _ server: TestServer, _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil
    ) async throws -> Reply {
      try await server.speaking(version).send(
        method, path, json, isOld ? [MobileServicesTests.key] : [])
    }
  }

  static let clients = [
    Client(version: "2.0.0"), Client(version: "3.0.0"), Client(), Client(isOld: true),
  ]
  static let stores = StoreKind.allCases.flatMap { kind in clients.map { (kind, $0) } }

  /// The members of the stored row `a`, without its system columns.
  static func stored(_ server: TestServer) async throws -> String {
    try #require(try await server.store.row(id("a"), in: todoitem)).body.string
  }

  @Test("a body's members get the names that the row has for them", arguments: stores)
  func bodies(kind: StoreKind, client: Client) async throws {
    try await TestServer.run(kind) { server in
      let first = #"{"id":"a","Text":"milk","N":1,"__proto":0}"#
      let json = client.isOld ? first.replacing(#","__proto":0"#, with: "") : first
      #expect(try await client.send(server, .post, "todoitem", json).status == 201)
      let rest = client.isOld ? "" : #","__proto":0"#
      for (method, body, row) in [
        (HTTPRequest.Method.patch, #"{"text":"tea","n":2}"#, #"{"Text":"tea","N":2REST}"#),
        (
          .patch, #"{"TEXT":null,"new":{"N":1,"n":2}}"#,
          #"{"Text":null,"N":2REST,"new":{"N":1,"n":2}}"#
        ),
        (
          .patch, #"{"Text":"x","É":1,"é":2}"#,
          #"{"Text":"x","N":2REST,"new":{"N":1,"n":2},"É":1,"é":2}"#
        ),
        (.put, #"{"n":3,"text":"y","Other":1}"#, #"{"N":3,"Text":"y","Other":1}"#),
        (.put, #"{"other":2}"#, #"{"Other":2}"#),
      ] {
        let reply = try await client.send(server, method, "todoitem/a", body)
        let expected = row.replacing("REST", with: rest)
        #expect(reply.status == 200)
        #expect(try await Self.stored(server) == expected)
        #expect(reply.text.hasPrefix(#"{"id":"a","# + expected.dropFirst().dropLast()))
      }
    }
  }

  @Test("a body with both names is refused, and nothing is written", arguments: clients)
  func both(client: Client) async throws {
    try await TestServer.run { server in
      try await server.store.insert("a", #"{"text":1}"#)
      for (body, names) in [
        (#"{"text":2,"b":1,"Text":3}"#, "'text' and 'Text'"), (#"{"B":1,"b":1}"#, "'B' and 'b'"),
      ] {
        for (method, path) in [
          (HTTPRequest.Method.post, "todoitem"), (.patch, "todoitem/a"), (.put, "todoitem/a"),
        ] {
          let reply = try await client.send(server, method, path, body)
          #expect(reply.status == 400)
          let words = "the members \(names) differ only in case"
          #expect(reply["error"]?.text?.string == (client.isOld ? "Error: " : "") + words)
        }
      }
      #expect(try await Self.stored(server) == #"{"text":1}"#)
      #expect(try await server.store.page(PageRequest(), of: todoitem).count == 1)
    }
  }

  @Test("a server's own name means the server's in any case", arguments: clients.prefix(3))
  func own(client: Client) async throws {
    try await TestServer.run { server in
      let made = try await client.send(
        server, .post, "todoitem",
        #"{"ID":"a","CreatedAt":1,"UPDATEDAT":"x","Version":"v","Deleted":true,"t":1}"#)
      #expect(made.status == 201)
      #expect(made["id"] == "a")
      #expect(made["deleted"] == false)
      #expect(try await Self.stored(server) == #"{"t":1}"#)
      #expect(try await client.send(server, .patch, "todoitem/a", #"{"Id":"b"}"#).status == 400)
      #expect(try await client.send(server, .post, "todoitem", #"{"ID":1}"#).status == 400)
      let both = try await client.send(server, .post, "todoitem", #"{"id":"b","Id":"c"}"#)
      #expect(both["error"] == "the members 'id' and 'Id' differ only in case")
      let stale = try await client.send(server, .patch, "todoitem/a", #"{"Version":"x","t":2}"#)
      #expect(stale.status == 200)
      _ = try await client.send(server, .delete, "todoitem/a")
      let back = try await client.send(server, .patch, "todoitem/a", #"{"DELETED":false}"#)
      #expect(back.status == 200)
      let list = try await client.send(
        server, .get,
        "todoitem?$filter=Deleted%20eq%20false%20and%20Id%20eq%20'a'"
          + "&$orderby=CreatedAt&$select=ID,UPDATEDAT")
      #expect(list.ids == "a")
      let row = (list.json?.elements ?? list["items"]?.elements)?.first?.object
      #expect(row?.members.map(\.name) == ["id", "updatedAt"])
    }
  }

  @Test("the columns of 2014 have their prefix in any case")
  func prefix() async throws {
    try await TestServer.run { server in
      try await server.store.insert("a", #"{"N":1}"#)
      let old = Client(isOld: true)
      let reply = try await old.send(
        server, .get,
        "todoitem?$filter=__Version%20ne%20null%20and%20n%20eq%201"
          + "&$orderby=__UPDATEDAT&$select=n,__Deleted")
      #expect(reply.text == #"[{"N":1,"__deleted":false}]"#)
    }
  }

  static let rows: [(id: String, json: String)] = [
    ("a", #"{"Complete":true,"N":3,"O":{"x":1,"X":2}}"#),
    ("b", #"{"complete":true,"n":1,"o":{"x":3}}"#),
    ("c", #"{"COMPLETE":false,"n":2,"Zwei-é":1}"#),
    // No client can send two names.
    ("d", #"{"Complete":true,"complete":false,"n":null,"N":9,"O":{"x":7},"o":{}}"#),
    ("e", #"{"complete":[1],"N":5}"#),
  ]

  @Test(
    "a condition finds the member, an exact name before the first one",
    arguments: StoreKind.allCases,
    [
      ("complete eq true", "ab"), ("Complete eq true", "abd"), ("cOMPLETE eq true", "abd"),
      ("complete", "ab"), ("not COMPLETE", "ce"), ("COMPLETE eq false", "c"),
      ("n ge 2", "ace"), ("N ge 2", "acde"), ("n eq null", "d"), ("o/x ge 1", "ab"),
      ("O/x ge 1", "abd"), ("O/X eq 2", "a"), ("o/X eq 3", ""), ("zWEI-é eq 1", "c"),
      ("zwei-É eq 1", ""), ("cOmplete eq '[1]'", "e"), ("length(COMPLETE) eq 3", "e"),
      ("n add N eq 6", "a"), ("id eq 'a' and N eq 3", "a"), ("unknown eq null", "abcde"),
    ])
  func filter(kind: StoreKind, row: (String, String)) async throws {
    try await kind.withStore { store in
      for row in Self.rows { try await store.insert(row.id, row.json) }
      #expect(try await store.ids(row.0) == row.1)
      #expect(try await store.ids("not (\(row.0))").count == 5 - row.1.count)
    }
  }

  @Test("an order and a count find the member", arguments: StoreKind.allCases)
  func order(kind: StoreKind) async throws {
    try await TestServer.run(kind) { server in
      for row in Self.rows { try await server.store.insert(row.id, row.json) }
      for (query, ids, count) in [
        ("$orderby=n", "dbcae", 5), ("$orderby=N%20desc,n", "deacb", 5),
        ("$filter=n%20gt%201&$orderby=O/x%20desc,N", "ace", 3),
        ("$filter=n%20gt%201%20or%20COMPLETE&$orderby=updatedAt", "abcde", 5),
      ] {
        let reply = try await server.send(.get, "todoitem?$count=true&\(query)")
        #expect(reply.ids == ids)
        #expect(reply["count"]?.integer == count)
      }
    }
  }

  @Test("a selection sends the stored name", arguments: stores)
  func select(kind: StoreKind, client: Client) async throws {
    try await TestServer.run(kind) { server in
      for row in Self.rows { try await server.store.insert(row.id, row.json) }
      for (names, rows) in [
        ("N", #"{"N":3},{"n":1},{"n":2},{"N":9},{"N":5}"#),
        ("n", #"{"N":3},{"n":1},{"n":2},{"n":null},{"N":5}"#),
        (
          "ID,COMPLETE,complete",
          #"{"id":"a","Complete":true},{"id":"b","complete":true},"#
            + #"{"id":"c","COMPLETE":false},{"id":"d","Complete":true,"complete":false},"#
            + #"{"id":"e","complete":[1]}"#
        ),
      ] {
        let reply = try await client.send(server, .get, "todoitem?$select=\(names)")
        #expect(reply.status == 200)
        #expect(reply.text.contains("[\(rows)]"))
      }
    }
  }
}
