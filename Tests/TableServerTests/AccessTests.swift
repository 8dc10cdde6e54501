import HTTPTypes
import SyncModel
import TableServer
import Testing

@Suite struct AccessTests {
  @Test("a token is let in by both headers, and names its user")
  func letIn() async throws {
    let store = MemoryTokenStore()
    let (secret, token) = AccessToken.make(for: "anna", at: .now)
    await store.add(token)
    try await TestServer.run(access: Access(store)) { server in
      for (name, value) in [
        (HTTPField.Name.authorization, "Bearer \(secret)"), (.authorization, "bearer  \(secret)"),
        (.zumoAuth, secret),
      ] {
        let reply = try await server.send(.get, "todoitem", nil, [(name, value)])
        #expect(reply.status == 200)
        #expect(reply.fields[.user] == "anna")
      }
      #expect(server.log.lines.last?.contains(" - anna GET /tables/todoitem 200 ") == true)
    }
  }

  @Test("what is meant for another user is not done")
  func otherUser() async throws {
    let store = MemoryTokenStore()
    let (secret, token) = AccessToken.make(for: "anna", at: .now)
    await store.add(token)
    try await TestServer.run(access: Access(store)) { server in
      let right = (HTTPField.Name.authorization, "Bearer \(secret)")
      let refused = try await server.send(.post, "todoitem", "{}", [right, (.user, "ben")])
      #expect(refused.status == 421)
      #expect(refused.fields[.user] == "anna")
      let done = try await server.send(.post, "todoitem", "{}", [right, (.user, "anna")])
      #expect(done.status == 201)
    }
  }

  @Test("V12: without a right token the answer is 401, and says whether there was one")
  func refused() async throws {
    let store = MemoryTokenStore()
    let (secret, token) = AccessToken.make(for: "anna", at: .now)
    await store.add(token)
    try await TestServer.run(access: Access(store)) { server in
      // A token that is no token of this server's is told from none (RFC 6750 §3.1).
      let wrong = #"Bearer error="invalid_token""#
      for (fields, challenge) in [
        ([], "Bearer"), ([(.authorization, "Bearer \(secret)x")], wrong),
        ([(.authorization, secret)], "Bearer"), ([(.authorization, "Basic \(secret)")], "Bearer"),
        ([(.zumoAuth, "Bearer \(secret)")], wrong), ([(.authorization, "Bearer")], "Bearer"),
      ] as [([(HTTPField.Name, String)], String)] {
        let reply = try await server.send(.get, "todoitem", nil, fields)
        #expect(reply.status == 401)
        #expect(reply.fields[.wwwAuthenticate] == challenge)
        #expect(reply.fields[.user] == nil)
        #expect(reply["error"] != nil)
      }
    }
  }

  // No row has an owner: who may use a server may use all that it has, and to share it is what the
  // users are for. What is another user's is on another server.
  @Test("V2: the users of a server share its rows, and each answer says who asked")
  func shares() async throws {
    let store = MemoryTokenStore()
    var tokens: [Text: [(HTTPField.Name, String)]] = [:]
    for user: Text in ["anna", "ben"] {
      let (secret, token) = AccessToken.make(for: user, at: .now)
      await store.add(token)
      tokens[user] = [(.authorization, "Bearer \(secret)")]
    }
    let (anna, ben) = (try #require(tokens["anna"]), try #require(tokens["ben"]))
    try await TestServer.run(access: Access(store)) { server in
      let made = try await server.send(.post, "todoitem", #"{"id":"a","text":"Anna's"}"#, anna)
      #expect(made.status == 201 && made.fields[.user] == "anna")
      let read = try await server.send(.get, "todoitem/a", nil, ben)
      #expect(read.status == 200 && read.fields[.user] == "ben")
      #expect(read.text == made.text)
      let listed = try await server.send(.get, "todoitem", nil, ben)
      #expect(listed.ids == "a" && listed.fields[.user] == "ben")
      // An id is one row's, whoever made it.
      let taken = try await server.send(.post, "todoitem", #"{"id":"a","text":"Ben's"}"#, ben)
      #expect(taken.status == 409 && taken.fields[.user] == "ben")
      #expect(taken.text == made.text)
      let changed = try await server.send(.patch, "todoitem/a", #"{"text":"Ben's"}"#, ben)
      #expect(changed.status == 200 && changed.fields[.user] == "ben")
      // Nor does one's change pass over the other's.
      let stale: [(HTTPField.Name, String)] = [(.ifMatch, try #require(made.eTag))]
      let late = try await server.send(.patch, "todoitem/a", #"{"text":"late"}"#, anna + stale)
      #expect(late.status == 412 && late.fields[.user] == "anna")
      #expect(late["text"] == "Ben's")
      #expect(try await server.send(.delete, "todoitem/a", nil, anna).status == 204)
      #expect(try await server.send(.get, "todoitem/a", nil, ben).status == 410)
      #expect(server.log.lines.contains { $0.contains(" - ben PATCH /tables/todoitem/a 200 ") })
    }
  }

  @Test("being told to wait is 429 with Retry-After")
  func retryAfter() async throws {
    let access = Access(MemoryTokenStore(), now: { Moment(milliseconds: 1_000_000) })
    try await TestServer.run(access: access) { server in
      var replies: [Reply] = []
      for _ in 0..<11 {
        replies.append(
          try await server.send(.get, "todoitem", nil, [(.authorization, "Bearer wrong")]))
      }
      #expect(replies[9].status == 401)
      #expect(replies[10].status == 429)
      let seconds = try #require(replies[10].fields[.retryAfter].flatMap { Int($0) })
      #expect((1...60).contains(seconds))
      // Nobody is counted who sends no token at all.
      #expect(try await server.send(.get, "todoitem").status == 401)
    }
  }

  @Test("V12: tokens differ, have 256 bits and are kept as digests only")
  func secrets() {
    let made = (0..<100).map { _ in AccessToken.make(for: "anna", at: .now) }
    #expect(Set(made.map(\.secret)).count == 100)
    for (secret, token) in made {
      #expect(secret.utf8.count == 43)
      #expect(token.digest.count == 32)
      #expect(token.digest == AccessToken.digest(of: secret))
    }
    #expect(
      AccessToken.digest(of: "abc").prefix(4).elementsEqual([0xBA, 0x78, 0x16, 0xBF]))
  }
}
