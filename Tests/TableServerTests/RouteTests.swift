import HTTPTypes
import SyncModel
import TableServer
import Testing

/// The routes of a table and of a row.
@Suite struct RouteTests {
  static let versions: [String?] = ["2.0.0", "3.0.0", nil]

  // MARK: Version (protocol S1, S2)

  @Test(
    "a version is taken from header or query, in any letter case",
    arguments: [
      "2.0.0", "2.0.17", "2.0", "3.0.0", "3.0.1", "3.0",
    ])
  func version(text: String) async throws {
    try await TestServer.run { server in
      #expect(try await server.speaking(text).send(.get, "todoitem").status == 200)
      let silent = server.speaking(nil)
      for name in ["ZUMO-API-VERSION", "zumo-api-version", "Zumo-Api-Version"] {
        let reply = try await silent.send(.get, "todoitem?\(name)=\(text)")
        #expect(reply.status == 200)
        #expect((reply.json?.elements != nil) == text.hasPrefix("2"))
      }
    }
  }

  @Test(
    "another version is refused, and the ones that are taken are named",
    arguments: [
      "1.0.0", "2.1.0", "3.1.0", "4.0.0", "", "x", "2", "2.0.0.0", "2.0.x", "-2.0.0", "2.0.0 ",
    ])
  func unknownVersion(text: String) async throws {
    try await TestServer.run { server in
      let reply = try await server.speaking(nil).send(
        .get, "todoitem?zumo-api-version=\(Text(text).percentEncoded)")
      #expect(reply.status == 400)
      #expect(reply["error"]?.text?.string.contains("2.0.0 or 3.0.0") == true)
      #expect(reply["message"] == reply["error"])
    }
  }

  @Test("a header's version counts before the query's")
  func headerFirst() async throws {
    try await TestServer.run { server in
      let reply = try await server.speaking("2.0.0").send(.get, "todoitem?zumo-api-version=3.0.0")
      #expect(reply.text == "[]")
    }
  }

  @Test(
    "answers to clients of Mobile Apps and Mobile Services name the server's version (protocol S70)",
    arguments: [
      ("2.0.0", [], true), ("3.0.0", [], false), (nil, [], false),
      (nil, [MobileServicesTests.key], true),
    ] as [(String?, [(HTTPField.Name, String)], Bool)])
  func serverVersion(version: String?, fields: [(HTTPField.Name, String)], isNamed: Bool)
    async throws
  {
    let name = try #require(HTTPField.Name("x-zumo-server-version"))
    try await TestServer.run { server in
      for (method, path, json) in [
        (HTTPRequest.Method.post, "todoitem", #"{"id":"a"}"#), (.get, "todoitem", nil),
        (.get, "todoitem/a", nil), (.delete, "todoitem/a", nil), (.get, "todoitem/a", nil),
        (.get, "nothing", nil), (.put, "todoitem", nil), (.get, "todoitem?$top=x", nil),
      ] as [(HTTPRequest.Method, String, String?)] {
        let reply = try await server.speaking(version).send(method, path, json, fields)
        #expect(reply.fields[name] == (isNamed ? "tsync-0.1.0" : nil))
      }
    }
  }

  // MARK: Data set

  @Test("what is meant for another data set is not done")
  func otherDataset() async throws {
    try await TestServer.run { server in
      for (method, path) in [(HTTPRequest.Method.get, "todoitem"), (.post, "todoitem")] {
        let body = method == .post ? "{}" : nil
        let refused = try await server.send(method, path, body, [(.dataset, "another")])
        #expect(refused.status == 421)
        #expect(refused.fields[.dataset] == server.store.dataset.string)
        let dataset = server.store.dataset.string
        let done = try await server.send(method, path, body, [(.dataset, dataset)])
        #expect(done.status == (method == .post ? 201 : 200))
      }
      let rows = try await server.send(.get, "todoitem")["items"]?.elements
      #expect(rows?.count == 1)
    }
  }

  // MARK: Insert (protocol S4, S7, S22, S32–S37, S53, S62–S65)

  @Test("an insert answers 201 with the row, its tag, date and place", arguments: versions)
  func insert(version: String?) async throws {
    try await TestServer.run(now: { Moment(milliseconds: 784_111_777_120) }) { server in
      let reply = try await server.speaking(version).send(
        .post, "todoitem", #"{"text":"milk","id":"a b","n":1.50}"#)
      #expect(reply.status == 201)
      let created = version == "2.0.0" ? #""createdAt":"1994-11-06T08:49:37.120Z","# : ""
      #expect(
        reply.text
          == #"{"id":"a b","text":"milk","n":1.50,"# + created
          + #""updatedAt":"1994-11-06T08:49:37.120Z","version":"AAAAAAAAAAE=","deleted":false}"#)
      #expect(reply.eTag == #""AAAAAAAAAAE=""#)
      #expect(reply.fields[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
      #expect(reply.fields[.location] == "http://localhost/tables/todoitem/a%20b")
      #expect(reply.fields[.contentType] == "application/json; charset=utf-8")
      #expect(reply.fields[.contentLength] == String(reply.body.count))
      #expect(reply.fields[.cacheControl] == "no-cache")
      #expect(reply.fields[.dataset] == server.store.dataset.string)
    }
  }

  @Test(
    "an insert without an id, or with an empty one, gets a UUID",
    arguments: [
      "{}", #"{"id":null}"#, #"{"id":""}"#,
    ])
  func insertWithoutID(json: String) async throws {
    try await TestServer.run { server in
      let reply = try await server.send(.post, "todoitem", json)
      #expect(reply.status == 201)
      let name = try #require(reply["id"]?.text?.string)
      #expect(name.utf8.count == 36)
      #expect(name.utf8.filter { $0 == UInt8(ascii: "-") }.count == 4)
      #expect(try await server.send(.get, "todoitem/\(name)").status == 200)
    }
  }

  @Test("V3: system columns in a body are passed over")
  func reserved() async throws {
    try await TestServer.run { server in
      let reply = try await server.send(
        .post, "todoitem",
        #"{"id":"a","createdAt":"x","updatedAt":1,"version":"mine","deleted":true,"text":"t"}"#)
      #expect(reply.status == 201)
      #expect(reply.version == "AAAAAAAAAAE=")
      #expect(reply["deleted"] == false)
      #expect(reply["createdAt"] == nil)
      let patch = try await server.send(
        .patch, "todoitem/a", #"{"updatedAt":"2000-01-01T00:00:00Z","version":null,"deleted":true}"#
      )
      #expect(patch.status == 200)
      #expect(patch["deleted"] == false)
      #expect(patch.version == "AAAAAAAAAAI=")
    }
  }

  static let badBodies: [String] = [
    "", "{", "[]", "1", "\"x\"", "null", #"{"a":1,"a":2}"#, #"{"o":{"a":1,"a":2}}"#,
    #"{"l":[{"a":1,"a":2}]}"#, #"{"id":1}"#, #"{"id":{}}"#, #"{"id":"a\u0001b"}"#, #"{"id":"."}"#,
    #"{"id":".."}"#, #"{"id":" "}"#, "{\"id\":\"\(String(repeating: "x", count: 256))\"}",
    "{\"a\":\(String(repeating: "[", count: 64))\(String(repeating: "]", count: 64))}",
    #"{"a":01}"#, #"{"a":NaN}"#, "{\"a\":\"\u{1}\"}", #"{"a":"\ud800"}"#, "\u{FEFF}{}", "{} {}",
  ]

  @Test("a body that is no item is refused", arguments: badBodies)
  func badBody(json: String) async throws {
    try await TestServer.run { server in
      let reply = try await server.send(.post, "todoitem", json)
      #expect(reply.status == 400)
      #expect(reply["error"]?.text?.isEmpty == false)
      #expect(try await server.store.page(PageRequest(), of: todoitem).rows().isEmpty)
    }
  }

  @Test(
    "a body must be JSON by its type, or have none",
    arguments: [
      ("application/json", 201), ("application/json; charset=utf-8", 201),
      ("APPLICATION/JSON", 201),
      ("", 201), ("text/plain", 415), ("application/json-patch+json", 415),
      ("application/x-www-form-urlencoded", 415),
    ])
  func contentType(type: String, status: Int) async throws {
    try await TestServer.run { server in
      let reply = try await server.send(.post, "todoitem", "{}", [(.contentType, type)])
      #expect(reply.status == status)
    }
  }

  @Test("case 119: a row of 1 MiB is taken, one byte more is not")
  func size() async throws {
    try await TestServer.run { server in
      let server = server.speaking("2.0.0")
      let frame = try await server.send(.post, "todoitem", #"{"id":"z","t":""}"#).body.count
      let full = String(repeating: "x", count: (1 << 20) - frame)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a","t":"\#(full)"}"#).status == 201)
      let over = try await server.send(.post, "todoitem", #"{"id":"b","t":"\#(full)x"}"#)
      #expect(over.status == 413)
      #expect(over["error"] != nil)
    }
  }

  @Test("a row has no more members than a client takes, those of the server among them")
  func members() async throws {
    try await TestServer.run { server in
      let server = server.speaking("2.0.0")
      let half = (1...2_046).map { "\"a\($0)\":0" }.joined(separator: ",")
      let rest = (1...2_045).map { "\"b\($0)\":0" }.joined(separator: ",")
      #expect(try await server.send(.post, "todoitem", #"{"id":"a",\#(half)}"#).status == 201)
      let full = try await server.send(.patch, "todoitem/a", "{\(rest)}")
      #expect(full.status == 200)
      #expect(throws: Never.self) { try JSON(parsing: full.body, limits: .item) }
      for (method, path, json) in [
        (.patch, "todoitem/a", #"{"c":0}"#), (.put, "todoitem/a", #"{\#(half),\#(rest),"c":0}"#),
        (.post, "todoitem", #"{"id":"b",\#(half),\#(rest),"c":0}"#),
      ] as [(HTTPRequest.Method, String, String)] {
        let over = try await server.send(method, path, json)
        #expect(over.status == 413)
        #expect(
          over["error"]
            == "an item can have at most 1048576 bytes and, without the system fields, 4091 members"
        )
      }
      #expect(try await server.send(.get, "todoitem/a").text == full.text)
    }
  }

  // MARK: Read one (protocol S5, S39–S41, S66)

  @Test("what isn't there is 404; a tombstone is 404 in v2 and 410 else", arguments: versions)
  func gone(version: String?) async throws {
    try await TestServer.run { server in
      let server = server.speaking(version)
      let status = version == "2.0.0" ? 404 : 410
      _ = try await server.send(.post, "todoitem", #"{"id":"a"}"#)
      #expect(try await server.send(.delete, "todoitem/a").status == 204)
      for (method, json) in [
        (HTTPRequest.Method.get, nil), (.delete, nil), (.patch, "{}"), (.put, "{}"),
      ] {
        #expect(try await server.send(method, "todoitem/a", json).status == status)
        let missing = try await server.send(method, "todoitem/b", json)
        #expect(missing.status == 404)
        #expect(missing["error"] == "the item does not exist")
      }
      for name in ["__includeDeleted", "__includedeleted", "__INCLUDEDELETED"] {
        let reply = try await server.send(.get, "todoitem/a?\(name)=true")
        #expect(reply.status == 200)
        #expect(reply["deleted"] == true)
      }
      #expect(try await server.send(.get, "todoitem/a?__includeDeleted=false").status == status)
    }
  }
}
