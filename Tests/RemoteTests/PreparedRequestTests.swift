import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct PreparedRequestTests {
  private static let base = #"""
    {"id":"a1","text":"old","gone":1,"same":true,"version":"v1","updatedAt":"2026-03-01T10:00:00Z",
     "createdAt":"2026-03-01T10:00:00Z","deleted":false}
    """#
  private static let item =
    #"{"text":"n\u00e9w","same":true,"price":1.10,"empty":null,"tags":[1e2]}"#

  private func request(
    _ dialect: Dialect, _ kind: Operation.Kind, id: String = "a1", base: String = base
  ) throws -> PreparedRequest {
    let backend = RESTBackend(
      Exchange(ScriptedTransport(), with: Sample.address), facts: ServerFacts(dialect: dialect))
    return try backend.request(
      for: Operation(
        key: Sample.key(id), kind: kind, item: kind == .delete ? nil : Sample.item(Self.item),
        base: kind == .insert ? nil : Sample.row(base)))
  }

  /// A request as text, as it is compared here.
  private func text(_ request: PreparedRequest) -> String {
    ([
      "\(request.method) \(request.target)"
    ] + request.headers.map { "\($0.name): \($0.value)" }
      + [request.body.map { String(decoding: $0, as: UTF8.self) } ?? "(no body)"])
      .joined(separator: "\n")
  }

  private static let inserted = #"{"id":"a1","text":"néw","same":true,"price":1.10,"tags":[1e2]}"#
  private static let changes = #"{"text":"néw","price":1.10,"tags":[1e2],"gone":null}"#

  @Test(
    "what differs only in case from another name isn't sent: servers would take it for the same column",
    arguments: [
      (#"{"text":"old","TEXT":"b"}"#, "'TEXT' differs from 'text'"),
      (#"{"Text":"a"}"#, "'Text' differs from 'text'"),
      (#"{"text":"a","Deleted":true}"#, "'Deleted' differs from 'deleted'"),
      (#"{"ID":"b"}"#, "'ID' differs from 'id'"),
      (#"{"text":"a","same":true}"#, nil),
    ] as [(String, String?)])
  func nameCase(item: String, names: String?) throws {
    let backend = RESTBackend(
      Exchange(ScriptedTransport(), with: Sample.address), facts: ServerFacts(dialect: .datasync))
    let operation = Operation(
      key: Sample.key("a1"), kind: .update, item: Sample.item(item), base: Sample.row(Self.base))
    let refusal = names.map {
      Refusal(status: 400, words: Text("\($0) only in case"))
    }
    if let refusal {
      #expect(throws: refusal) { try backend.request(for: operation) }
    } else {
      _ = try backend.request(for: operation)
    }
  }

  @Test("an insert is the whole item under its id, without nulls and without a version")
  func insert() throws {
    #expect(
      text(try request(.mobileApps, .insert)) == """
        POST tables/todoitem
        ZUMO-API-VERSION: 2.0.0
        Accept: application/json
        Content-Type: application/json
        \(Self.inserted)
        """)
    #expect(
      text(try request(.datasync, .insert)) == """
        POST tables/todoitem
        ZUMO-API-VERSION: 3.0.0
        Accept: application/json
        Content-Type: application/json
        \(Self.inserted)
        """)
    #expect(
      text(try request(.communityToolkit, .insert)) == """
        POST tables/todoitem
        Accept: application/json
        Content-Type: application/json
        \(Self.inserted)
        """)
  }

  @Test("an update is what changed; where the server only replaces, the whole item")
  func update() throws {
    for (dialect, version) in [(Dialect.mobileApps, "2.0.0"), (.datasync, "3.0.0")] {
      #expect(
        text(try request(dialect, .update)) == """
          PATCH tables/todoitem/a1
          ZUMO-API-VERSION: \(version)
          Accept: application/json
          Content-Type: application/json
          If-Match: "v1"
          \(Self.changes)
          """)
    }
    #expect(
      text(try request(.communityToolkit, .update)) == """
        PUT tables/todoitem/a1
        Accept: application/json
        Content-Type: application/json
        If-Match: "v1"
        \(Self.inserted)
        """)
  }

  @Test("a delete has no body")
  func delete() throws {
    #expect(
      text(try request(.mobileApps, .delete)) == """
        DELETE tables/todoitem/a1
        ZUMO-API-VERSION: 2.0.0
        Accept: application/json
        If-Match: "v1"
        (no body)
        """)
    #expect(
      text(try request(.communityToolkit, .delete)) == """
        DELETE tables/todoitem/a1
        Accept: application/json
        If-Match: "v1"
        (no body)
        """)
  }

  @Test("each dialect has its way to bring a tombstone back")
  func undelete() throws {
    #expect(
      text(try request(.mobileApps, .undelete)) == """
        POST tables/todoitem/a1
        ZUMO-API-VERSION: 2.0.0
        Accept: application/json
        If-Match: "v1"
        (no body)
        """)
    #expect(
      text(try request(.datasync, .undelete)) == """
        PATCH tables/todoitem/a1
        ZUMO-API-VERSION: 3.0.0
        Accept: application/json
        Content-Type: application/json
        If-Match: "v1"
        {"text":"néw","same":true,"price":1.10,"tags":[1e2],"gone":null,"deleted":false}
        """)
    #expect(
      text(try request(.communityToolkit, .undelete)) == """
        PUT tables/todoitem/a1?__includedeleted=true
        Accept: application/json
        Content-Type: application/json
        If-Match: "v1"
        {"id":"a1","text":"néw","same":true,"price":1.10,"tags":[1e2],"deleted":false}
        """)
  }

  @Test("2014: writes ask for all system columns, and an undelete has no body")
  func mobileServices() throws {
    let head = "Accept: application/json"
    #expect(
      text(try request(.mobileServices, .insert)) == """
        POST tables/todoitem?__systemproperties=*
        \(head)
        Content-Type: application/json
        \(Self.inserted)
        """)
    #expect(
      text(try request(.mobileServices, .update)) == """
        PATCH tables/todoitem/a1?__systemproperties=*
        \(head)
        Content-Type: application/json
        If-Match: "v1"
        \(Self.changes)
        """)
    for (kind, method) in [(Operation.Kind.delete, "DELETE"), (.undelete, "POST")] {
      #expect(
        text(try request(.mobileServices, kind)) == """
          \(method) tables/todoitem/a1?__systemproperties=*
          \(head)
          If-Match: "v1"
          (no body)
          """)
    }
  }

  @Test(
    "S6: an id is percent-encoded byte by byte",
    arguments: [
      ("a-b_c.d~e", "a-b_c.d~e"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("../../x", "..%2F..%2Fx"),
      ("50%", "50%25"), ("a?b#c", "a%3Fb%23c"), ("\u{e9}", "%C3%A9"), ("e\u{301}", "e%CC%81"),
      ("a/\u{301}b", "a%2F%CC%81b"), ("it's", "it%27s"), ("a;b:c|d", "a%3Bb%3Ac%7Cd"),
      ("\u{1F600}", "%F0%9F%98%80"), ("\"", "%22"), ("$x", "%24x"),
    ])
  func idIsEncoded(id: String, encoded: String) throws {
    for dialect in Dialect.allCases {
      let target = try request(dialect, .delete, id: id).target
      #expect(target.split(separator: "?").first == "tables/todoitem/\(encoded)")
    }
  }

  @Test(
    "S23: a version is quoted, and a quote in it escaped",
    arguments: [
      (#"AAAAAAAAB9E="#, #""AAAAAAAAB9E=""#), (#"a\"b"#, #""a\"b""#), (#"W/\"x\""#, #""W/\"x\"""#),
      (#"*"#, #""*""#), (#"a b"#, #""a b""#), ("\u{e9}", "\"\u{e9}\""),
    ])
  func versionIsQuoted(version: String, tag: String) throws {
    let base = #"{"id":"a1","version":"\#(version)"}"#
    let request = try request(.datasync, .delete, base: base)
    #expect(request.headers.last == HTTPField("If-Match", tag))
  }

  @Test(
    "no write goes out without a version to guard it", arguments: Dialect.allCases,
    [Operation.Kind.update, .delete, .undelete])
  func noVersionNoWrite(dialect: Dialect, kind: Operation.Kind) {
    let refusal = #expect(throws: Refusal.self) {
      try request(dialect, kind, base: #"{"id":"a1","text":"old"}"#)
    }
    #expect(refusal?.status == 428)
  }
}
