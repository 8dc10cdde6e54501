import HTTPTypes
import SyncModel
import TableServer
import Testing

/// Writes of a row that is there.
@Suite struct UpdateRouteTests {
  static let versions: [String?] = ["2.0.0", "3.0.0", nil]

  struct Condition: Sendable, CustomTestStringConvertible {
    var name: HTTPField.Name
    var value: @Sendable (String) -> String
    var reading: Int
    var writing: Int
    var testDescription: String { "\(name): \(value("V")) \(reading) \(writing)" }
  }

  /// `V` is the current version; the row's date is Sunday, 6 November 1994, 08:49:37.120.
  static let conditions: [Condition] = [
    Condition(name: .ifMatch, value: { "\"\($0)\"" }, reading: 200, writing: 200),
    Condition(name: .ifMatch, value: { $0 }, reading: 200, writing: 200),
    Condition(name: .ifMatch, value: { "\"x\", \"\($0)\"" }, reading: 200, writing: 200),
    Condition(name: .ifMatch, value: { "x,\($0)" }, reading: 200, writing: 200),
    Condition(name: .ifMatch, value: { _ in "*" }, reading: 200, writing: 200),
    Condition(name: .ifMatch, value: { _ in "\"x\"" }, reading: 412, writing: 412),
    Condition(name: .ifMatch, value: { _ in "x" }, reading: 412, writing: 412),
    Condition(name: .ifMatch, value: { _ in "\"\"" }, reading: 412, writing: 412),
    Condition(name: .ifMatch, value: { _ in "\"*\"" }, reading: 412, writing: 412),
    Condition(name: .ifMatch, value: { "W/\"\($0)\"" }, reading: 412, writing: 412),
    Condition(name: .ifMatch, value: { "\"\($0)" }, reading: 400, writing: 400),
    Condition(name: .ifMatch, value: { "*, \"\($0)\"" }, reading: 400, writing: 400),
    Condition(name: .ifMatch, value: { _ in "," }, reading: 400, writing: 400),
    Condition(name: .ifNoneMatch, value: { "\"\($0)\"" }, reading: 304, writing: 412),
    Condition(name: .ifNoneMatch, value: { "W/\"\($0)\"" }, reading: 304, writing: 200),
    Condition(name: .ifNoneMatch, value: { _ in "*" }, reading: 304, writing: 412),
    Condition(name: .ifNoneMatch, value: { _ in "\"x\"" }, reading: 200, writing: 200),
    Condition(name: .ifNoneMatch, value: { _ in "\"*\"" }, reading: 200, writing: 200),
    Condition(
      name: .ifModifiedSince, value: { _ in "Sat, 05 Nov 1994 08:49:37 GMT" }, reading: 200,
      writing: 200),
    Condition(
      name: .ifModifiedSince, value: { _ in "Sun, 06 Nov 1994 08:49:37 GMT" }, reading: 304,
      writing: 412),
    Condition(
      name: .ifUnmodifiedSince, value: { _ in "Sun, 06 Nov 1994 08:49:37 GMT" }, reading: 200,
      writing: 200),
    Condition(
      name: .ifUnmodifiedSince, value: { _ in "Sat, 05 Nov 1994 08:49:37 GMT" }, reading: 412,
      writing: 412),
    Condition(name: .ifUnmodifiedSince, value: { _ in "yesterday" }, reading: 200, writing: 200),
  ]

  @Test(
    "`*`, one tag or several are met or not, half a tag is 400; a row is written or stays",
    arguments: conditions)
  func condition(condition: Condition) async throws {
    try await TestServer.run(now: { Moment(milliseconds: 784_111_777_120) }) { server in
      for (method, json) in [
        (HTTPRequest.Method.get, nil), (.patch, "{\"n\":2}"), (.put, "{\"n\":2}"), (.delete, nil),
      ] {
        let name = "i\(method.rawValue)"
        let row = try await server.send(.post, "todoitem", "{\"id\":\"\(name)\",\"n\":1}")
        let version = try #require(row.version).string
        let reply = try await server.send(
          method, "todoitem/\(name)", json, [(condition.name, condition.value(version))])
        var expected = method == .get ? condition.reading : condition.writing
        if method == .delete, expected == 200 { expected = 204 }
        #expect(reply.status == expected)
        if expected == 412 {
          #expect(reply.text == row.text)
          #expect(reply.eTag == row.eTag)
        }
        if expected == 304 {
          #expect(reply.body.isEmpty)
          #expect(reply.eTag == row.eTag)
        }
        if expected >= 300 {
          #expect(try await server.send(.get, "todoitem/\(name)").text == row.text)
        }
      }
    }
  }

  @Test("a body's id must be the URL's", arguments: [HTTPRequest.Method.patch, .put])
  func mismatch(method: HTTPRequest.Method) async throws {
    try await TestServer.run { server in
      let row = try await server.send(.post, "todoitem", #"{"id":"a"}"#)
      #expect(try await server.send(method, "todoitem/a", #"{"id":"b"}"#).status == 400)
      #expect(try await server.send(method, "todoitem/a", #"{"id":"A"}"#).status == 400)
      #expect(try await server.send(.get, "todoitem/a").text == row.text)
      #expect(try await server.send(method, "todoitem/a", #"{"id":"a"}"#).status == 200)
    }
  }

  @Test("a stale version in the body is 409 in v2 and passed over in v3 (protocol S8, S10)")
  func bodyVersion() async throws {
    try await TestServer.run { server in
      let two = server.speaking("2.0.0")
      let row = try await two.send(.post, "todoitem", #"{"id":"a","n":1}"#)
      let stale = try await two.send(.patch, "todoitem/a", #"{"n":2,"version":"x"}"#)
      #expect(stale.status == 409)
      #expect(stale.text == row.text)
      #expect(stale.eTag == row.eTag)
      let version = try #require(row.version)
      let right = try await two.send(.patch, "todoitem/a", "{\"n\":2,\"version\":\"\(version)\"}")
      #expect(right.status == 200)
      // If-Match is what counts where both are there.
      let both = try await two.send(
        .patch, "todoitem/a", #"{"n":3,"version":"x"}"#, [(.ifMatch, try #require(right.eTag))])
      #expect(both.status == 200)
      let three = try await server.send(.patch, "todoitem/a", #"{"n":4,"version":"x"}"#)
      #expect(three.status == 200)
    }
  }

  @Test("a write without a version wins, as in the family", arguments: versions)
  func lastWriteWins(version: String?) async throws {
    try await TestServer.run { server in
      let server = server.speaking(version)
      _ = try await server.send(.post, "todoitem", #"{"id":"a"}"#)
      #expect(try await server.send(.patch, "todoitem/a", #"{"n":1}"#).status == 200)
      #expect(try await server.send(.put, "todoitem/a", #"{"n":1}"#).status == 200)
      let deleted = try await server.send(.delete, "todoitem/a")
      #expect(deleted.status == 204)
      #expect(deleted.body.isEmpty)
      #expect(deleted.eTag == #""AAAAAAAAAAQ=""#)
    }
  }

  @Test("a tombstone is brought back in all its forms", arguments: versions)
  func undelete(version: String?) async throws {
    try await TestServer.run { server in
      let server = server.speaking(version)
      _ = try await server.send(.post, "todoitem", #"{"id":"a","n":1}"#)
      for (method, path, json, status, n) in [
        (HTTPRequest.Method.post, "todoitem/a", String?.none, version == "2.0.0" ? 201 : 200, 1),
        (.patch, "todoitem/a", #"{"deleted":false}"#, 200, 1),
        (.patch, "todoitem/a", #"{"deleted":false,"n":2}"#, 200, 2),
        (.put, "todoitem/a?__includedeleted=true", #"{"id":"a","n":3,"deleted":false}"#, 200, 3),
        (.put, "todoitem/a?__includedeleted=true", #"{"id":"a","n":4}"#, 200, 4),
      ] {
        let deleted = try await server.send(.delete, "todoitem/a")
        #expect(try await server.send(.get, "todoitem").ids == "")
        // protocol S12: with the tombstone's version only.
        let stale = try await server.send(method, path, json, [(.ifMatch, "\"x\"")])
        #expect(stale.status == 412)
        #expect(stale["deleted"] == true)
        let tag = try #require(deleted.eTag)
        let reply = try await server.send(method, path, json, [(.ifMatch, tag)])
        #expect(reply.status == status)
        #expect(reply["deleted"] == false)
        #expect(reply["n"]?.integer == n)
        #expect(try await server.send(.get, "todoitem").ids == "a")
      }
    }
  }
}
