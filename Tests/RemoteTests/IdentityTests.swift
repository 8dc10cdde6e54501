import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct IdentityTests {
  private let stage = Stage()
  // {"sub":"sid:ann"} and {"sub":"sid:bob"}
  private static let ann = Sample.secret("e30.eyJzdWIiOiJzaWQ6YW5uIn0.x")
  private static let bob = Sample.secret("e30.eyJzdWIiOiJzaWQ6Ym9iIn0.x")

  private func token(_ request: HTTPRequest) -> String? {
    request.headers.first { $0.name == "Authorization" }.map { String($0.value.dropFirst(7)) }
  }

  /// Answers a write only where the token is this one.
  private func guarded(by wanted: String) -> ScriptedTransport {
    ScriptedTransport { request in
      .success(
        self.token(request) == wanted
          ? .json(200, Sample.rowText(String(request.url.split(separator: "/").last ?? "")))
          : .json(401, #"{"error":"who?"}"#))
    }
  }

  @Test("case 51, S20: a token that expired is renewed once, for all that was under way")
  func renews() throws {
    var asked = 0
    let authorization = Authorization(token: Sample.secret("old")) {
      asked += 1
      return Sample.secret("new")
    }
    // The first write is answered, then the token expires for the three under way.
    let transport = ScriptedTransport { request in
      let id = String(request.url.split(separator: "/").last ?? "")
      return .success(
        id == "i0" || self.token(request) == "new"
          ? .json(200, Sample.rowText(id)) : .json(401, #"{"error":"expired"}"#))
    }
    var backend = stage.backend(
      transport, authorization: authorization, settings: RemoteSettings(jobs: 3))
    let replies = try backend.replies(to: (0..<6).map { Sample.attempt(.update, "i\($0)") })
    #expect(replies.count == 6 && replies.allSatisfy { $0.reply.stop == nil })
    #expect(asked == 1)
    #expect(transport.log.requests.count == 6 + 3)
  }

  @Test("case 51, S20: a server that takes no token ends the sending after one renewal")
  func renewsOnce() throws {
    var asked = 0
    let authorization = Authorization(token: Sample.secret("old")) {
      asked += 1
      return Sample.secret("new")
    }
    let transport = guarded(by: "another")
    var backend = stage.backend(transport, authorization: authorization)
    let who = Stop.unauthorized(Refusal(status: 401, words: "who?"))
    #expect(
      try backend.replies(to: [Sample.attempt(.update)]).map(\.reply)
        == [Reply(.notSent, stop: who)])
    #expect(transport.log.requests.count == 2)
    // The next sending and the next reading don't ask again.
    _ = try backend.replies(to: [Sample.attempt(.update)])
    #expect(throws: who) { try backend.read(Sample.key("a1")) }
    #expect(asked == 1)
  }

  @Test("a reading renews the token, too")
  func readingRenews() throws {
    let authorization = Authorization(token: nil) { Sample.secret("new") }
    var backend = stage.backend(guarded(by: "new"), authorization: authorization)
    let transport = ScriptedTransport { request in
      .success(
        self.token(request) == "new" ? .json(200, Sample.rowText("a1")) : .json(401, "{}"))
    }
    backend.exchange.transport = transport
    #expect(try backend.read(Sample.key("a1")) == .row(Sample.row(Sample.rowText("a1"))))
    #expect(transport.log.requests.map(token) == [nil, "new"])
  }

  @Test("a renewal that fails, or brings nothing, leaves it at the server's word")
  func renewalFails() throws {
    struct Broken: Error {}
    for authorization in [
      Authorization(token: nil, refresh: { throw Broken() }),
      Authorization(token: nil, refresh: { nil }), Authorization(token: Sample.secret("x")),
    ] {
      var backend = stage.backend(guarded(by: "new"), authorization: authorization)
      #expect(
        try backend.replies(to: [Sample.attempt(.update)]).first?.reply
          == Reply(.notSent, stop: .unauthorized(Refusal(status: 401, words: "who?"))))
    }
  }

  private let facts = ServerFacts(dialect: .datasync, dataset: "d1", user: "ann")

  private func answer(_ status: Int, dataset: String?, user: String? = nil) -> HTTPAnswer {
    .json(
      status, Sample.rowText("a1"),
      (dataset.map { [HTTPField("x-tsync-dataset", $0)] } ?? [])
        + (user.map { [HTTPField("x-tsync-user", $0)] } ?? []))
  }

  @Test(
    "another data set is a stop, whatever the answer; so is a right answer without one",
    arguments: [(200, "d2"), (200, nil), (404, "d2"), (412, "d2"), (503, "d2"), (401, "d2")]
      as [(Int, String?)])
  func otherDataset(status: Int, dataset: String?) throws {
    let transport = ScriptedTransport(answer(status, dataset: dataset))
    var backend = stage.backend(transport, facts: facts)
    let stop = Stop.unsafe(
      .otherDataset(dataset.map { Text($0) }, known: "d1", address: "https://x.test"))
    #expect(throws: stop) { try backend.read(Sample.key("a1")) }
    let replies = try backend.replies(to: [Sample.attempt(.update)])
    #expect(replies.map(\.reply) == [Reply(.unknown(nil), stop: stop)])
    #expect(throws: stop) { try backend.pages(of: Feed(Sample.table), from: nil) { _ in true } }
  }

  @Test("a write says which data set it is meant for, and is not done where another one is told")
  func misdirected() throws {
    let transport = ScriptedTransport { request in
      let isMeant = request.headers.contains { $0 == HTTPField("X-Tsync-Dataset", "d2") }
      return .success(answer(isMeant ? 200 : 421, dataset: "d2"))
    }
    var backend = stage.backend(transport, facts: facts)
    let replies = try backend.replies(to: [Sample.attempt(.update)])
    #expect(replies.map(\.reply.outcome) == [.notSent])
    backend = stage.backend(transport, facts: ServerFacts(dialect: .datasync, dataset: "d2"))
    #expect(try backend.replies(to: [Sample.attempt(.update)]).map(\.reply.stop) == [nil])
    backend = stage.backend(transport, facts: ServerFacts(dialect: .datasync))
    _ = try backend.replies(to: [Sample.attempt(.update)])
    let sent = transport.log.requests.map { $0.headers.filter { $0.name.hasPrefix("X-Tsync-") } }
    #expect(sent.first == [HTTPField("X-Tsync-Dataset", "d1"), HTTPField("X-Tsync-User", "ann")])
    #expect(sent.last == [])
  }

  @Test("another user is a stop; a server that tells none is not")
  func otherUser() throws {
    let stop = Stop.unsafe(.otherUser("bob", known: "ann", address: "https://x.test"))
    var backend = stage.backend(
      ScriptedTransport(answer(200, dataset: "d1", user: "bob")), facts: facts)
    #expect(throws: stop) { try backend.read(Sample.key("a1")) }
    backend = stage.backend(ScriptedTransport(answer(200, dataset: "d1")), facts: facts)
    #expect(try backend.read(Sample.key("a1")) != .absent)
  }

  @Test("a token of another user is not even sent")
  func otherSubject() throws {
    let facts = ServerFacts(dialect: .mobileApps, user: "sid:ann")
    let transport = ScriptedTransport(.json(200, "[]"))
    var backend = stage.backend(
      transport, facts: facts, authorization: Authorization(token: Self.bob))
    let stop = Stop.unsafe(.otherUser("sid:bob", known: "sid:ann", address: "https://x.test"))
    #expect(throws: stop) { try backend.read(Sample.key("a1")) }
    #expect(throws: stop) { try backend.replies(to: [Sample.attempt(.update)]) }
    #expect(transport.log.requests.isEmpty)
    backend = stage.backend(
      transport, facts: facts, authorization: Authorization(token: Self.ann))
    #expect(try backend.read(Sample.key("a1")) == .absent)
  }

  @Test("a renewed token of another user is not sent either")
  func renewedSubject() throws {
    let facts = ServerFacts(dialect: .datasync, user: "sid:ann")
    let transport = ScriptedTransport(.json(401, "{}"))
    var backend = stage.backend(
      transport, facts: facts,
      authorization: Authorization(token: Self.ann) { Self.bob })
    let replies = try backend.replies(to: [Sample.attempt(.update)])
    guard case .unsafe? = replies.first?.reply.stop else {
      Issue.record("\(replies)")
      return
    }
    #expect(replies.first?.reply.outcome == .notSent)
    #expect(transport.log.requests.count == 1)
  }
}
