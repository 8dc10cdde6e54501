import HTTPTypes
import SyncModel
import TableServer
import Testing

/// Azure Mobile Services, 2014: what its documents and its clients send, and what they are answered.
@Suite struct MobileServicesTests {
  /// The application key that all requests of the documents have.
  static let key = (HTTPField.Name.zumoApplication, "shYOoDFdKhmzLEbnMQqPYrCLhwGOVA10")

  /// A request with the key, the status it gets, and all that is printed; `ID` is the item's.
  struct Step: Sendable {
    var request: (HTTPRequest.Method, String, String?)
    var match: String?
    var status: Int
    var text: String
    var tag: String?

    init(
      _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, match: String? = nil,
      gives status: Int, _ text: String, tag: String? = nil
    ) {
      request = (method, path, json)
      (self.match, self.status, self.text, self.tag) = (match, status, text, tag)
    }
  }

  /// The versions of the first writes to a table.
  static let (v1, v2, v3, v4) = (
    #""AAAAAAAAAAE=""#, #""AAAAAAAAAAI=""#, #""AAAAAAAAAAM=""#, #""AAAAAAAAAAQ=""#
  )
  static let body = #"{"id":"ID","text":"Hello world 23"}"#
  static let row = #""id":"ID","text":"Hello world 23","complete":false"#
  static let all =
    row + #","__createdAt":"1970-01-01T00:00:00.005Z","__updatedAt":"1970-01-01T00:00:00.006Z","#
    + #""__version":"AAAAAAAAAAI=","__deleted":false"#
  static let gone =
    row + #","__createdAt":"1970-01-01T00:00:00.005Z","__updatedAt":"1970-01-01T00:00:00.007Z","#
    + #""__version":"AAAAAAAAAAM=","__deleted":true"#
  static let missing = #"{"code":404,"error":"Error: the item does not exist"}"#
  static let taken =
    #"{"code":409,"error":"Error: an item or a deleted item already has this id"}"#
  static let pull =
    "todoitem?__includeDeleted=true&__systemProperties=__updatedAt%2C__deleted%2C__version"
    + "&$orderby=__updatedAt%20asc"
    + "&$filter=(__updatedAt%20ge%20datetimeoffset'1970-01-01T00:00:00.000Z')&$top=50&$skip="

  static let session: [Step] = [
    // The documents' update from elsewhere, and what is wrong with the one of 2015.
    Step(
      .patch, "todoitem/ID?__systemproperties=__version", body, gives: 200,
      "{\(row),\"__version\":\(v2)}", tag: v2),
    Step(
      .patch, "todoitem/ID", #"{"id":"CBBF4464","text":"x"}"#, gives: 400,
      #"{"code":400,"error":"Error: the body's id is not the one in the URL"}"#),
    // A conflict has the whole row.
    Step(.patch, "todoitem/ID", body, match: v1, gives: 412, "{\(all)}", tag: v2),
    Step(.delete, "todoitem/ID", match: v1, gives: 412, "{\(all)}", tag: v2),
    Step(.get, "todoitem/ID", match: v1, gives: 412, "{\(all)}", tag: v2),
    // Lists and items have the columns that are asked for.
    Step(.get, "todoitem", gives: 200, "[{\(row)}]"),
    Step(
      .get, "todoitem?__systemProperties=__version,updatedAt", gives: 200,
      "[{\(row),\"__updatedAt\":\"1970-01-01T00:00:00.006Z\",\"__version\":\(v2)}]"),
    Step(
      .get, "todoitem?__SYSTEMPROPERTIES=%20DELETED%20,,", gives: 200,
      "[{\(row),\"__deleted\":false}]"),
    Step(.get, "todoitem?__systemproperties=", gives: 200, "[{\(row)}]"),
    Step(.get, "todoitem?__systemProperties=*", gives: 200, "[{\(all)}]"),
    Step(
      .get, "todoitem?$inlinecount=allpages", gives: 200, "{\"results\":[{\(row)}],\"count\":1}"),
    Step(.get, "todoitem?$inlinecount=none", gives: 200, "[{\(row)}]"),
    Step(.get, "todoitem/ID", gives: 200, "{\(row)}"),
    Step(.get, "todoitem/ID?__systemProperties=*", gives: 200, "{\(all)}", tag: v2),
    Step(
      .get, "todoitem?$select=text,__version", gives: 200,
      "[{\"text\":\"Hello world 23\",\"__version\":\(v2)}]"),
    Step(
      .get, "todoitem?$select=id&__systemproperties=__version,__deleted", gives: 200,
      "[{\"id\":\"ID\",\"__version\":\(v2),\"__deleted\":false}]"),
    Step(.get, "todoitem/ID?$select=__version", gives: 200, "{\"__version\":\(v2)}", tag: v2),
    Step(.get, "todoitem/ID?$select=complete,nothing", gives: 200, #"{"complete":false}"#),
    // An incremental pull, to its end.
    Step(
      .get, pull + "0", gives: 200,
      "[{\(row),\"__updatedAt\":\"1970-01-01T00:00:00.006Z\",\"__version\":\(v2),"
        + "\"__deleted\":false}]"),
    Step(.get, pull + "1", gives: 200, "[]"),
    // A delete, and what a tombstone is to whom.
    Step(.delete, "todoitem/ID?__systemproperties=__version", match: v2, gives: 204, "", tag: v3),
    Step(.get, "todoitem/ID", gives: 404, missing),
    Step(.get, "todoitem?__includeDeleted=false", gives: 200, "[]"),
    Step(
      .get, "todoitem/ID?__includeDeleted=true&__systemproperties=__deleted", gives: 200,
      "{\(row),\"__deleted\":true}"),
    Step(.patch, "todoitem/ID", body, gives: 412, "{\(gone)}", tag: v3),
    Step(.patch, "todoitem/ID", body, match: "*", gives: 412, "{\(gone)}", tag: v3),
    Step(.patch, "todoitem/ID", body, match: v2, gives: 412, "{\(gone)}", tag: v3),
    Step(.patch, "todoitem/ID", body, match: v3, gives: 404, missing),
    Step(.delete, "todoitem/ID", gives: 404, missing),
    Step(.delete, "todoitem/ID", match: v2, gives: 412, "{\(gone)}", tag: v3),
    Step(.delete, "todoitem/ID", match: v3, gives: 404, missing),
    Step(.post, "todoitem", body, gives: 409, taken),
    Step(
      .post, "todoitem/ID", "{}", gives: 400,
      #"{"code":400,"error":"Error: an undelete has no body: leave it out"}"#),
    Step(.post, "todoitem/ID", match: v2, gives: 412, "{\(gone)}", tag: v3),
    Step(
      .post, "todoitem/ID?__systemproperties=__deleted", match: v3, gives: 200,
      "{\(row),\"__deleted\":false}"),
    Step(.post, "todoitem", body, gives: 409, taken),
    // With If-Match the new version is told even unasked.
    Step(
      .patch, "todoitem/ID", body, match: v4, gives: 200, "{\(row),\"__version\":\"AAAAAAAAAAU=\"}",
      tag: #""AAAAAAAAAAU=""#),
    Step(.patch, "todoitem/ID", body, gives: 200, "{\(row)}"),
    Step(.post, "todoitem", #"{"id":"b","n":1.0}"#, gives: 201, #"{"id":"b","n":1.0}"#),
    Step(
      .post, "todoitem?__systemProperties=__deleted", #"{"id":"c"}"#, gives: 201,
      #"{"id":"c","__deleted":false}"#),
    Step(.patch, "todoitem/d", "{}", gives: 404, missing),
  ]

  @Test("a session, from the documents' PATCH to an item's end", arguments: StoreKind.allCases)
  func session(kind: StoreKind) async throws {
    let id = "D265929E-B17B-42D1-8FAB-D0ADF26486FA"
    @Sendable func named(_ text: String) -> String { text.replacing("ID", with: id) }
    try await TestServer.run(kind, now: { Moment(milliseconds: 5) }) { server in
      let server = server.speaking(nil)
      // Without the key, and without a system property, it is the Community Toolkit's.
      let first = try await server.send(
        .post, "todoitem", "{\"id\":\"\(id)\",\"text\":\"Hello world 3\",\"complete\":false}")
      #expect(first.status == 201 && first.eTag == Self.v1)
      for step in Self.session {
        let (method, path, json) = step.request
        let target = path.replacing("/ID", with: "/" + id)
        let reply = try await server.send(
          method, target, json.map(named), [Self.key, (.ifMatch, step.match ?? "")])
        let shown = "\(method) \(path) \(step.match ?? "")"
        #expect(reply.status == step.status, "\(shown)")
        #expect(reply.text == named(step.text), "\(shown)")
        #expect(reply.eTag == step.tag, "\(shown)")
        #expect(reply.fields[.link] == nil)
      }
    }
  }

  @Test(
    "what has no meaning is refused, in words that name it",
    arguments: [
      (.get, "todoitem?__systemproperties=__bogus", nil, "'__bogus'"),
      (.get, "todoitem?__systemproperties=*,version", nil, "'*'"),
      (.post, "todoitem?__systemproperties=id", "{}", "'id'"),
      (.get, "todoitem?__systemproperties=*&__SystemProperties=*", nil, "__SystemProperties"),
      (.get, "todoitem?__bogus=1", nil, "__bogus"), (.delete, "todoitem/a?__x", nil, "__x"),
      (.get, "todoitem?__includeDeleted=yes", nil, "__includeDeleted"),
      (.get, "todoitem?$expand=x", nil, "$expand"),
      (.patch, "todoitem/a?$expand=x", "{}", "$expand"),
      (.get, "todoitem/a?$top=1", nil, "$top"),
      (.get, "todoitem/a?$filter=id%20eq%20'a'", nil, "$filter"),
      (.get, "todoitem?$top=1001", nil, "$top"),
      (.get, "todoitem?$orderby=updatedAt", nil, "'updatedAt'"),
      (.get, "todoitem?$filter=deleted%20eq%20true", nil, "'deleted'"),
      (.get, "todoitem?$filter=__mine%20eq%201", nil, "'__mine'"),
      (.get, "todoitem?$filter=__version/x%20eq%201", nil, "'__version'"),
      (.get, "todoitem?$select=id,__mine", nil, "'__mine'"),
      (.get, "todoitem?$select=version", nil, "'version'"),
      (.post, "todoitem", #"{"id":"b","__version":"x"}"#, "'__version'"),
      (.patch, "todoitem/a", #"{"__mine":1}"#, "'__mine'"),
      (.post, "todoitem", #"{"createdAt":1}"#, "'createdAt'"),
      (.post, "todoitem", #"{"updatedAt":1}"#, "'updatedAt'"),
      (.patch, "todoitem/a", #"{"version":1}"#, "'version'"),
      (.patch, "todoitem/a", #"{"deleted":false}"#, "'deleted'"),
      (.post, "todoitem", #"{"CreatedAt":1}"#, "'CreatedAt'"),
      (.patch, "todoitem/a", #"{"VERSION":1}"#, "'VERSION'"),
      (.get, "todoitem?$orderby=UpdatedAt", nil, "'UpdatedAt'"),
      (.post, "todoitem", #"{"ID":"b"}"#, "'ID'"), (.post, "todoitem", #"{"id":5}"#, "id"),
    ] as [(HTTPRequest.Method, String, String?, String)])
  func refused(method: HTTPRequest.Method, path: String, json: String?, word: String) async throws {
    try await TestServer.run { server in
      let row = try await server.store.insert("a", "{}")
      let reply = try await server.speaking(nil).send(method, path, json, [Self.key])
      #expect(reply.status == 400)
      #expect(reply["code"] == 400)
      let words = reply["error"]?.text?.string ?? ""
      #expect(words.hasPrefix("Error: ") && words.contains(word), "\(words)")
      let page = try await server.store.page(PageRequest(), of: todoitem)
      #expect(try page.rows() == [row])
    }
  }

  @Test(
    "members that only the server of 2014 has are refused of everybody",
    arguments: [
      "2.0.0", "3.0.0", nil,
    ])
  func systemMembers(version: String?) async throws {
    try await TestServer.run { server in
      let server = server.speaking(version)
      let row = try await server.store.insert("a", "{}")
      for name in ["__createdAt", "__updatedAt", "__version", "__deleted", "__Version"] {
        for (method, path) in [
          (HTTPRequest.Method.post, "todoitem"), (.patch, "todoitem/a"), (.put, "todoitem/a"),
        ] {
          let reply = try await server.send(method, path, "{\"\(name)\":null}")
          #expect(reply.status == 400)
          #expect(
            reply["message"] == .string("only the server sets the member '\(name)': leave it out"))
        }
      }
      #expect(try await server.store.page(PageRequest(), of: todoitem).rows() == [row])
      let taken = try await server.send(.patch, "todoitem/a", #"{"__id":2,"_":3}"#)
      #expect(taken.status == 200)
    }
  }

  @Test(
    "the version decides, then what only clients of 2014 send",
    arguments: [
      ([], "", "community-toolkit"), ([(.zumoApplication, "")], "", "mobile-services"),
      ([(.zumoVersion, "ZUMO/1.3")], "", "mobile-services"),
      ([], "x=1&__SystemProperties=", "mobile-services"),
      ([], "__includeDeleted=true", "community-toolkit"),
      ([key, (ServedDialect.versionField, "2.0.0")], "", "mobile-apps"),
      ([key, (.zumoVersion, "ZUMO/2.0"), (ServedDialect.versionField, "3.0.0")], "", "datasync"),
      ([key], "zumo-api-version=2.0&__systemproperties=*", "mobile-apps"),
    ] as [([(HTTPField.Name, String)], String, String)])
  func choice(fields: [(HTTPField.Name, String)], query: String, name: String) throws {
    var headers = HTTPFields()
    for (name, value) in fields { headers[name] = value }
    #expect(try ServedDialect(headers, QueryString(query.utf8)).name == name)
  }

  @Test("a token is the application key, of no other rank than a user's token")
  func tokens() async throws {
    let store = MemoryTokenStore()
    let (secret, token) = AccessToken.make(for: "anna", at: .now)
    await store.add(token)
    try await TestServer.run(access: Access(store)) { server in
      let server = server.speaking(nil)
      let done = try await server.send(.post, "todoitem", "{}", [(.zumoApplication, secret)])
      #expect(done.status == 201)
      #expect(done.fields[.user] == "anna")
      let refused: [[(HTTPField.Name, String)]] = [
        [Self.key], [(.zumoApplication, secret), (.zumoAuth, "x")],
        [(.zumoApplication, secret), (.authorization, "Bearer x")],
      ]
      for fields in refused {
        let reply = try await server.send(.get, "todoitem", nil, fields)
        #expect(reply.status == 401)
        #expect(
          reply.text
            == #"{"code":401,"error":"Error: the token is unknown, or was revoked"}"#)
      }
    }
  }

  @Test(
    "what fails before a table is reached has the form of 2014, too",
    arguments: [
      (.get, "nothing", 404), (.put, "todoitem", 405), (.get, "todoitem?x=%zz", 400),
      (.get, "todoitem?\(String(repeating: "x", count: 17_000))", 414),
    ] as [(HTTPRequest.Method, String, Int)])
  func form(method: HTTPRequest.Method, path: String, status: Int) async throws {
    try await TestServer.run { server in
      let reply = try await server.speaking(nil).send(method, path, nil, [Self.key])
      #expect(reply.status == status)
      #expect(reply["code"]?.integer == status)
      #expect(reply["error"]?.text?.string.hasPrefix("Error: ") == true)
      #expect(reply["message"] == nil)
    }
  }

  @Test("a page that was cut has no link, and who goes on by $skip gets every row")
  func cut() async throws {
    try await TestServer.run { server in
      let server = server.speaking(nil)
      let text = String(repeating: "x", count: 600_000)
      for number in 1...7 { try await server.store.insert("\(number)", "{\"t\":\"\(text)\"}") }
      var (seen, sizes) = ("", [Int]())
      while sizes.last != 0, sizes.count < 9 {
        let reply = try await server.send(
          .get, "todoitem?$orderby=__updatedAt&$top=50&$skip=\(seen.utf8.count)", nil, [Self.key])
        #expect(reply.fields[.link] == nil)
        let rows = try #require(reply.json?.elements)
        #expect(rows.allSatisfy { $0.object?["t"]?.text == Text(text) })
        sizes.append(rows.count)
        seen += try #require(reply.ids)
      }
      #expect(seen == "1234567")
      #expect(sizes == [3, 3, 1, 0])
    }
  }

  @Test("50 rows are a page", arguments: StoreKind.allCases)
  func page(kind: StoreKind) async throws {
    try await TestServer.run(kind) { server in
      for number in 100..<151 { try await server.store.insert("\(number)", "{}") }
      let reply = try await server.speaking(nil).send(.get, "todoitem", nil, [Self.key])
      #expect(reply.json?.elements?.count == 50)
    }
  }

  @Test(
    "members of others that begin with __ are left out, and stay",
    arguments: [
      (#""__mine":1"#, ""), (#""a":1,"__mine":{"b":"}"},"c":2"#, #","a":1,"c":2"#),
      (#""a":{"__in":1.50}"#, #","a":{"__in":1.50}"#), (#""a":"__in""#, #","a":"__in""#),
      (#""a":"\"__in","__":0"#, #","a":"\"__in""#), (#""_mine":1"#, #","_mine":1"#),
      (#""a":"é\n","__é":[{}]"#, #","a":"é\n""#),
    ])
  func hidden(stored: String, seen: String) async throws {
    try await TestServer.run { server in
      let two = server.speaking("2.0.0")
      for id in ["a", "__b"] {
        let made = try await two.send(.post, "todoitem", "{\"id\":\"\(id)\",\(stored)}")
        #expect(made.status == 201)
        let old = server.speaking(nil)
        let item = try await old.send(
          .get, "todoitem/\(id)?__systemproperties=deleted", nil, [Self.key])
        #expect(item.text == "{\"id\":\"\(id)\"\(seen),\"__deleted\":false}")
        let changed = try await old.send(.patch, "todoitem/\(id)", "{\"n\":1}", [Self.key])
        #expect(changed.text == "{\"id\":\"\(id)\"\(seen),\"n\":1}")
        let whole = try await two.send(.get, "todoitem/\(id)")
        #expect(whole.text.hasPrefix("{\"id\":\"\(id)\",\(stored),\"n\":1,\"createdAt\":"))
      }
    }
  }
}
