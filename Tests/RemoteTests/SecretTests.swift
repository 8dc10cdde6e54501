import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct SecretTests {
  private static let canary = "canary-7Qx+Z/91=pq.tt"

  @Test(
    "S6: what can't stand in a header field is no token",
    arguments: ["", "  ", "a b", "abc\r\nX-Evil: 1", "abc\u{0}", "\u{7f}", "t\u{f6}ken", "a\tb"])
  func refusesWhatIsNoHeaderValue(text: String) {
    #expect(throws: RemoteError.self) { try Secret(Text(text)) }
  }

  @Test("a token is not to be seen in what describes it")
  func isHidden() {
    let secret = Sample.secret(Self.canary)
    var dumped = ""
    dump(secret, to: &dumped)
    dump(Authorization(token: secret), to: &dumped)
    dump(
      Exchange(
        ScriptedTransport(), with: Sample.address, authorization: Authorization(token: secret)),
      to: &dumped)
    let shown = "\(secret) \(String(reflecting: secret)) \(dumped)"
    #expect(shown.contains("[token]"))
    #expect(!shown.contains("canary"))
  }

  @Test("a trace tells requests and no secret")
  func isNotTraced() throws {
    let stage = Stage()
    var backend = stage.backend(
      ScriptedTransport(.json(200, Sample.rowText("a1"))),
      authorization: Authorization(token: Sample.secret(Self.canary)))
    _ = try backend.read(Sample.key("a1"))
    _ = try backend.replies(to: [Sample.attempt(.update)])
    #expect(
      stage.lines == [
        "GET /tables/todoitem/a1?__includedeleted=true 200 0 ms",
        "PATCH /tables/todoitem/a1 200 0 ms",
      ])
  }

  @Test("a JSON Web Token names its user; any other token names none")
  func namesItsUser() {
    // {"alg":"HS256"}.{"sub":"sid:ann","x":1}.xx
    let jwt = Sample.secret("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzaWQ6YW5uIiwieCI6MX0.eHg")
    #expect(jwt.subject == "sid:ann")
    #expect(Sample.secret("abc").subject == nil)
    #expect(Sample.secret("a.b.c").subject == nil)
    #expect(Sample.secret("eyJ.*.x").subject == nil)
  }

  @Test(
    "each dialect has its field for the token, and a login may choose another",
    arguments: [
      (Dialect.mobileApps, nil, HTTPField("X-ZUMO-AUTH", "abc123")),
      (.datasync, nil, HTTPField("Authorization", "Bearer abc123")),
      (.communityToolkit, nil, HTTPField("Authorization", "Bearer abc123")),
      (.datasync, .zumoAuth, HTTPField("X-ZUMO-AUTH", "abc123")),
      (.mobileApps, .bearer, HTTPField("Authorization", "Bearer abc123")),
    ] as [(Dialect, Authorization.Scheme?, HTTPField)])
  func isSentInItsField(
    dialect: Dialect, scheme: Authorization.Scheme?, field: HTTPField
  ) throws {
    var backend = Stage().backend(
      ScriptedTransport(.json(201, Sample.rowText("a1"))), facts: ServerFacts(dialect: dialect),
      authorization: Authorization(token: Sample.secret("abc123"), scheme: scheme))
    _ = try backend.replies(to: [Sample.attempt(.insert)])
    let request = try #require(backend.exchange.transport.log.requests.first)
    let names = Set(["X-ZUMO-AUTH", "Authorization"])
    #expect(request.headers.filter { names.contains($0.name) } == [field])
  }
}
