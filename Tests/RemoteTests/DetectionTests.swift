import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct DetectionTests {
  private static let row = Sample.rowText("a1")
  private static let v1 = #"[{"id":"a1","text":"milk","__version":"x"}]"#
  private static let bare = #"[{"id":"a1","text":"milk"}]"#
  private static let needsVersion2 =
    #"{"error":"An invalid API version was specified in the request, this request needs to specify a ZUMO-API-VERSION of 2.0.0."}"#
  private static let dotNet = #"{"message":"The api version is missing or wrong"}"#

  /// A server: its answer to version 3, to version 2, to none, to none with all system properties
  /// of 2014, and with one that there isn't.
  struct Server: CustomTestStringConvertible {
    var name: String
    var version3: HTTPAnswer
    var version2 = HTTPAnswer.json(500, "{}")
    var unversioned = HTTPAnswer.json(500, "{}")
    var systemProperties = HTTPAnswer.json(500, "{}")
    var noProperty = HTTPAnswer.json(500, "{}")
    var found: ServerFacts?
    var requests: Int

    var testDescription: String { name }

    var transport: ScriptedTransport {
      ScriptedTransport { request in
        let version = request.headers.first { $0.name == "ZUMO-API-VERSION" }?.value
        let answer =
          switch version {
          case "3.0.0": version3
          case "2.0.0": version2
          default:
            request.url.contains("__systemproperties=*")
              ? systemProperties
              : request.url.contains("__systemproperties=__none") ? noProperty : unversioned
          }
        return .success(answer)
      }
    }
  }

  static let servers: [Server] = [
    Server(
      name: "tsync-server",
      version3: .json(
        200, #"{"items":[],"count":null,"nextLink":null}"#,
        [HTTPField("X-Tsync-Dataset", "d1"), HTTPField("X-Tsync-User", "ann")]),
      found: ServerFacts(dialect: .datasync, dataset: "d1", user: "ann"), requests: 1),
    Server(
      name: "Datasync 6", version3: .json(200, #"{"items":[\#(row)],"count":null}"#),
      unversioned: .json(400, #"{"title":"Missing ZUMO-API-VERSION"}"#),
      found: ServerFacts(dialect: .datasync), requests: 2),
    Server(
      name: "Community Toolkit", version3: .json(200, #"{"items":[\#(row)]}"#),
      unversioned: .json(200, #"{"items":[\#(row)]}"#),
      found: ServerFacts(dialect: .communityToolkit), requests: 2),
    Server(
      name: "Mobile Apps, Node", version3: .json(400, needsVersion2),
      version2: .json(200, "[\(row)]"), found: ServerFacts(dialect: .mobileApps), requests: 2),
    Server(
      name: "Mobile Apps, .NET", version3: .json(400, dotNet), version2: .json(200, "[]"),
      found: ServerFacts(dialect: .mobileApps), requests: 2),
    Server(
      name: "Mobile Apps without a version check", version3: .json(200, "[\(row)]"),
      found: ServerFacts(dialect: .mobileApps), requests: 1),
    Server(
      name: "Mobile Apps without a version check, empty, told by its name",
      version3: .json(200, "[]", [HTTPField("x-zumo-server-version", "node-4.0.3")]),
      found: ServerFacts(dialect: .mobileApps), requests: 1),
    Server(
      name: "Mobile Apps without a version check, with bare rows", version3: .json(200, bare),
      systemProperties: .json(400, "{}"), found: ServerFacts(dialect: .mobileApps), requests: 2),
    Server(
      name: "Mobile Services, told by its rows", version3: .json(200, bare),
      systemProperties: .json(200, v1), found: ServerFacts(dialect: .mobileServices), requests: 2),
    Server(
      name: "Mobile Services, told by its name",
      version3: .json(200, "[]", [HTTPField("X-ZUMO-Server-Version", "nodev1-0.1")]),
      found: ServerFacts(dialect: .mobileServices), requests: 1),
    Server(
      name: "Mobile Services, told by the field that only it has",
      version3: .json(200, "[]", [HTTPField("x-zumo-version", "Zumo.Main.1.0")]),
      found: ServerFacts(dialect: .mobileServices), requests: 1),
    Server(
      name: "Mobile Services, told by the versions of its rows", version3: .json(200, v1),
      found: ServerFacts(dialect: .mobileServices), requests: 1),
    Server(
      name: "Mobile Services, told by its refusal, which is sent as a page",
      version3: HTTPAnswer(
        status: 400, headers: [HTTPField("Content-Type", "text/html; charset=utf-8")],
        body: Array("This version (1.0.0) of the server does not support the use of".utf8)),
      found: ServerFacts(dialect: .mobileServices), requests: 1),
    Server(
      name: "whose rows show nothing", version3: .json(200, bare),
      systemProperties: .json(200, bare), noProperty: .json(200, bare), requests: 3),
    Server(
      name: "Mobile Services, whose ids are numbers", version3: .json(200, #"[{"id":1}]"#),
      systemProperties: .json(200, #"[{"id":1}]"#), noProperty: .json(400, "{}"),
      found: ServerFacts(dialect: .mobileServices), requests: 3),
    Server(
      name: "Mobile Services, empty, told by its refusal of what there isn't",
      version3: .json(200, "[]"), systemProperties: .json(200, "[]"),
      noProperty: .json(400, "{}"), found: ServerFacts(dialect: .mobileServices), requests: 3),
    Server(
      name: "Mobile Services, told by its refusal",
      version3: .plain(400, "This version (1.0.0) of the service doesn't support the header"),
      found: ServerFacts(dialect: .mobileServices), requests: 1),
    Server(
      name: "Datasync that dislikes the version",
      version3: .json(400, #"{"title":"Invalid ZUMO-API-VERSION"}"#), requests: 1),
    Server(name: "a web site", version3: .page(200), requests: 1),
    Server(name: "a web site without such a page", version3: .page(404), requests: 1),
    Server(name: "another API", version3: .json(200, #"{"data":[]}"#), requests: 1),
    Server(
      name: "who says 2.0.0 and means something else", version3: .json(400, needsVersion2),
      version2: .json(200, #"{"items":[]}"#), requests: 2),
  ]

  @Test(
    "a server without the table says so",
    arguments: [
      Server(name: "Datasync", version3: .json(404, "{}"), requests: 1),
      Server(
        name: "Mobile Apps, Node", version3: .json(400, needsVersion2), version2: .page(404),
        requests: 2),
    ])
  func hasNoTable(server: Server) throws {
    var exchange = Exchange(
      server.transport, with: Sample.address, dependencies: Stage().dependencies)
    #expect(throws: Stop.noTable(Sample.table)) { try exchange.detect(Sample.table) }
  }

  @Test("the dialect is told by the answers", arguments: servers)
  func isTold(server: Server) throws {
    let transport = server.transport
    var exchange = Exchange(
      transport, with: Sample.address, dependencies: Stage().dependencies)
    if let found = server.found {
      #expect(try exchange.detect(Sample.table) == found)
    } else {
      let stop = #expect(throws: Stop.self) { try exchange.detect(Sample.table) }
      switch stop {
      case .notSpeaking?, .elsewhere?: break
      default: Issue.record("\(String(describing: stop))")
      }
    }
    #expect(transport.log.requests.count == server.requests)
    for request in transport.log.requests {
      // Never both.
      #expect(
        !(request.url.contains("__systemproperties")
          && request.headers.contains { $0.name == "ZUMO-API-VERSION" }))
    }
  }

  @Test(
    "a dialect that is set, and that the server doesn't answer in, ends the exchange",
    arguments: [
      (
        .json(200, #"{"items":[]}"#),
        "the response is not a list of rows of table todoitem in mobile-apps"
      ),
      (.json(200, v1), "the server speaks Mobile Services (2014), not Mobile Apps"),
      (.json(400, #"{"error":"no"}"#), "the server answered 400 no"),
      (.page(200), "\(Sample.address) answered with an HTML page (\"Sorry\"), not with rows"),
    ] as [(HTTPAnswer, String)])
  func notInChosen(answer: HTTPAnswer, fact: String) {
    var exchange = Exchange(
      ScriptedTransport(answer), with: Sample.address, dependencies: Stage().dependencies)
    let stop = #expect(throws: Stop.self) {
      try exchange.detect(Sample.table, chosen: .mobileApps)
    }
    switch stop {
    case .notSpeaking(fact, _)?, .elsewhere(fact, _)?: break
    default: Issue.record("\(String(describing: stop))")
    }
  }

  @Test("who wants a token is told so", arguments: [401, 403])
  func unauthorized(status: Int) {
    var exchange = Exchange(
      ScriptedTransport(.plain(status, "You must be logged in")), with: Sample.address,
      dependencies: Stage().dependencies)
    let refusal = Refusal(status: status, words: "You must be logged in")
    #expect(throws: Stop.unauthorized(refusal)) { try exchange.detect(Sample.table) }
  }

  @Test("while the dialect is not known, the token goes in both fields")
  func bothFields() throws {
    let transport = Self.servers[1].transport
    var exchange = Exchange(
      transport, with: Sample.address,
      authorization: Authorization(token: Sample.secret("abc123")),
      dependencies: Stage().dependencies)
    _ = try exchange.detect(Sample.table)
    for request in transport.log.requests {
      #expect(request.headers.contains(HTTPField("X-ZUMO-AUTH", "abc123")))
      #expect(request.headers.contains(HTTPField("Authorization", "Bearer abc123")))
    }
  }

  @Test("a JSON Web Token tells the user where the server doesn't")
  func userOfToken() throws {
    var exchange = Exchange(
      Self.servers[1].transport, with: Sample.address,
      authorization: Authorization(token: Sample.secret("e30.eyJzdWIiOiJzaWQ6YW5uIn0.x")),
      dependencies: Stage().dependencies)
    #expect(
      try exchange.detect(Sample.table) == ServerFacts(dialect: .datasync, user: "sid:ann"))
  }

  @Test("a server that speaks another dialect by now is not followed in the middle")
  func noFallback() throws {
    let transport = ScriptedTransport(.json(400, Self.needsVersion2))
    var backend = Stage().backend(transport)
    let stop = #expect(throws: Stop.self) {
      try backend.pages(of: Feed(Sample.table), from: nil) { _ in true }
    }
    guard case .notSpeaking(let fact, _)? = stop else {
      Issue.record("\(String(describing: stop))")
      return
    }
    #expect(fact.contains("2.0.0"))
    #expect(
      transport.log.requests.allSatisfy {
        $0.headers.contains(HTTPField("ZUMO-API-VERSION", "3.0.0"))
      })
  }
}
