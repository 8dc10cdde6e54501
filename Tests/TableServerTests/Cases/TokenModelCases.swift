import HTTPTypes
import SyncModel
import TableServer
import Testing

/// Requests made by chance, with tokens that are right, wrong, revoked or not there.
@Suite struct TokenModelCases {
  private typealias Chance = FilterHistoryTests.Chance

  @Test(
    "V2, V12: without a right token no answer tells of a row, and none is changed",
    arguments: 0..<10)
  func canaries(seed: Int) async throws {
    let tokens = MemoryTokenStore()
    var secrets: [String] = []
    for user: Text in ["anna", "ben", "carl"] {
      let (secret, token) = AccessToken.make(for: user, at: .now)
      await tokens.add(token)
      secrets.append(secret)
    }
    _ = await tokens.revoke("carl", at: .now)
    let bad = [nil, secrets[2], secrets[0] + "x", String(secrets[1].dropLast()), "", "null", "'"]
    try await TestServer.run(.sqlite, access: Access(tokens)) { [secrets] server in
      var chance = Chance(seed: UInt64(seed))
      var canaries = 0
      for _ in 0..<60 {
        let isRight = chance.pick([true, false])
        let secret = isRight ? secrets[chance.pick([0, 1])] : chance.pick(bad)
        let before = try await server.store.page(Self.everything, of: todoitem)
        canaries += 1
        let id = "i\(chance.pick(Array(0..<4)))"
        let json = #"{"id":"\#(id)","text":"canary-\#(canaries)"}"#
        let (method, path, body): (HTTPRequest.Method, String, String?) = chance.pick([
          (.get, "todoitem", nil), (.get, "todoitem/\(id)?__includedeleted=true", nil),
          (.post, "todoitem", json), (.patch, "todoitem/\(id)", json),
          (.put, "todoitem/\(id)", json),
          (.delete, "todoitem/\(id)", nil), (.post, "todoitem/\(id)", nil),
          (.get, "todoitem?$filter=startswith(text,'canary')", nil),
        ])
        let fields: [(HTTPField.Name, String)] =
          secret.map { [chance.pick([(.authorization, "Bearer \($0)"), (.zumoAuth, $0)])] } ?? []
        let reply = try await server.send(
          method, path.replacing("'", with: "%27"), body,
          fields + [(.ifMatch, chance.pick(["", "", "*", "\"x\""]))])
        if isRight {
          #expect(reply.status != 401)
        } else {
          #expect(reply.status == 401 || reply.status == 429, "seed \(seed)")
          #expect(!reply.text.contains("canary"), "seed \(seed)")
          #expect(
            reply.eTag == nil && reply.fields[.user] == nil && reply.fields[.lastModified] == nil)
          #expect(try await server.store.page(Self.everything, of: todoitem) == before)
        }
      }
      // The log tells neither tokens nor texts.
      for line in server.log.lines {
        #expect(!line.contains("canary") && !secrets.contains { line.contains($0) })
      }
    }
  }

  private static var everything: PageRequest {
    var request = PageRequest()
    request.includesDeleted = true
    return request
  }
}
