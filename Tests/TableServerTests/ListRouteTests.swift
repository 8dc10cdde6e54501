import HTTPTypes
import SyncModel
import TableServer
import Testing

/// Lists, their options and their pages.
@Suite struct ListRouteTests {
  private static func fill(_ server: TestServer, _ count: Int) async throws {
    for number in 0..<count {
      try await server.store.insert("i\(1_000 + number)", "{\"n\":\(number)}")
    }
  }

  @Test("an empty table in each form (protocol S28, S52, S64)")
  func empty() async throws {
    try await TestServer.run { server in
      let two = server.speaking("2.0.0")
      let array = try await two.send(.get, "todoitem")
      #expect(array.text == "[]")
      let counted = try await two.send(.get, "todoitem?$inlinecount=allpages")
      #expect(counted.text == #"{"results":[],"count":0}"#)
      let page = try await server.send(.get, "todoitem")
      #expect(page.text == #"{"items":[],"count":null,"nextLink":null}"#)
      let full = try await server.speaking(nil).send(.get, "todoitem?$count=true")
      #expect(full.text == #"{"items":[],"count":0,"nextLink":null}"#)
    }
  }

  @Test(
    "a list's rows are the rows as they are read, and it has no tag (protocol S6)",
    arguments: StoreKind.allCases)
  func rows(kind: StoreKind) async throws {
    try await TestServer.run(kind) { server in
      let server = server.speaking("2.0.0")
      let one = try await server.send(.post, "todoitem", #"{"id":"a","x":{"k":[1.0,"é"]}}"#)
      let two = try await server.send(.post, "todoitem", #"{"id":"b"}"#)
      let list = try await server.send(.get, "todoitem")
      #expect(list.text == "[\(one.text),\(two.text)]")
      #expect(list.eTag == nil)
      #expect(list.fields[.contentLength] == String(list.body.count))
    }
  }

  @Test(
    "248 rows come in pages, each once, by the links of v3 (protocol S47, S48)",
    arguments: ["3.0.0", nil])
  func pages(version: String?) async throws {
    try await TestServer.run { server in
      let server = server.speaking(version)
      try await Self.fill(server, 248)
      var query = "$count=true&$filter=\(Text("n ge 0 and contains(id,'i')").percentEncoded)"
      var seen: [String] = []
      var sizes: [Int] = []
      while sizes.count < 9 {
        let reply = try await server.send(.get, "todoitem?\(query)")
        #expect(reply.status == 200)
        #expect(reply["count"]?.integer == 248)
        let items = try #require(reply["items"]?.elements)
        sizes.append(items.count)
        seen += items.compactMap { $0.object?["id"]?.text?.string }
        guard let link = reply["nextLink"]?.text?.string else { break }
        let prefix = "http://localhost/tables/todoitem?"
        #expect(link.hasPrefix(prefix) == (version != nil))
        query = version == nil ? link : String(link.dropFirst(prefix.count))
        #expect(query.contains("$skip=\(seen.count)"))
      }
      #expect(sizes == [100, 100, 48])
      #expect(seen == (0..<248).map { "i\(1_000 + $0)" })
    }
  }

  @Test(
    "the Toolkit's client puts a link behind its own URL: each row comes once, and no page twice",
    arguments: ["", "$filter=n%20lt%20225"])
  func nestedLinks(filter: String) async throws {
    try await TestServer.run { server in
      // Written in another order than that of their ids.
      for number in (0..<250).map({ $0 * 7 % 250 }) {
        let made = try await server.send(
          .post, "todoitem", #"{"id":"i\#(1_000 + number)","n":\#(number)}"#)
        #expect(made.status == 201)
      }
      var (seen, sizes, query) = ([String](), [Int](), filter)
      while sizes.count < 9 {
        let reply = try await server.send(.get, "todoitem?\(query)")
        #expect(reply.status == 200)
        let items = try #require(reply["items"]?.elements)
        sizes.append(items.count)
        seen += items.compactMap { $0.object?["id"]?.text?.string }
        guard let link = reply["nextLink"]?.text?.string else { break }
        query = link
      }
      let count = filter.isEmpty ? 250 : 225
      #expect(sizes == [100, 100, count - 200])
      #expect(seen == (0..<count).map { "i\(1_000 + $0)" })
      let end = "HTTP://LocalHost/tables/TodoItem?http://localhost/tables/todoitem?$skip=249"
      #expect(try await server.send(.get, "todoitem?\(end)").ids == "i1249")
      // Of another table or host, it is an option that nobody knows.
      for other in [
        "http://localhost/tables/other?$skip=249", "http://b.test/tables/todoitem?$skip=249",
      ] {
        let reply = try await server.send(.get, "todoitem?\(other)")
        #expect(reply["items"]?.elements?.count == 100)
      }
    }
  }

  @Test("pages of v2 have the link in the form that its clients read (protocol S16, S17, S59)")
  func links() async throws {
    try await TestServer.run { server in
      let server = server.speaking("2.0.0")
      try await Self.fill(server, 51)
      let first = try await server.send(.get, "todoitem?$orderby=n%20desc")
      #expect(first.json?.elements?.count == 50)
      #expect(
        first.fields[.link]
          == "http://localhost/tables/todoitem?%24orderby=n%20desc&%24skip=50; rel=next")
      let second = try await server.send(.get, "todoitem?%24orderby=n%20desc&%24skip=50")
      #expect(second.ids == "i1000")
      #expect(second.fields[.link] == nil)
      #expect(try await server.send(.get, "todoitem?$top=50").fields[.link] == nil)
    }
  }

  @Test("a page that is exactly full has no link", arguments: ["2.0.0", "3.0.0"])
  func exactlyFull(version: String) async throws {
    try await TestServer.run { server in
      try await Self.fill(server, version == "2.0.0" ? 50 : 100)
      let reply = try await server.speaking(version).send(.get, "todoitem")
      #expect(reply.fields[.link] == nil)
      #expect(version == "2.0.0" || reply["nextLink"] == JSON.null)
    }
  }

  @Test("a link is a path where the client wants one (protocol S51)")
  func pathLink() async throws {
    try await TestServer.run { server in
      try await Self.fill(server, 101)
      let reply = try await server.send(.get, "todoitem", nil, [(.zumoOptions, "nextLink=path")])
      #expect(reply["nextLink"] == "/tables/todoitem?$skip=100")
    }
  }

  @Test(
    "$select sends what it names and no more (protocol S29)",
    arguments: [
      ("id,version", #"{"id":"a","version":"AAAAAAAAAAE="}"#),
      (
        "id,version,updatedAt",
        #"{"id":"a","updatedAt":"1970-01-01T00:00:00.005Z","version":"AAAAAAAAAAE="}"#
      ),
      ("text", #"{"text":"milk"}"#), ("deleted", #"{"deleted":false}"#),
      ("n,text", #"{"text":"milk","n":1.0}"#), ("nothing", "{}"), ("id,nothing", #"{"id":"a"}"#),
      ("createdAt", #"{"createdAt":"1970-01-01T00:00:00.005Z"}"#),
      ("text, id", #"{"id":"a","text":"milk"}"#),
    ])
  func select(names: String, row: String) async throws {
    try await TestServer.run(now: { Moment(milliseconds: 5) }) { server in
      _ = try await server.send(.post, "todoitem", #"{"id":"a","text":"milk","n":1.0}"#)
      let reply = try await server.speaking("2.0.0").send(
        .get, "todoitem?$select=\(Text(names).percentEncoded)")
      #expect(reply.text == "[\(row)]")
    }
  }

  @Test(
    "case 114: options that can't be read are refused, with their name (protocol S49, S58)",
    arguments: [
      "$top=1001", "$top=-1", "$top=NaN", "$top=1e3", "$top=", "$top=+5",
      "$top=99999999999999999999",
      "$skip=-1", "$skip=NaN", "$skip=x", "$count=yes", "$inlinecount=all",
      "$orderby=duration fizz",
      "$orderby=id;drop table t--", "$orderby=id,", "$orderby=,", "$orderby=id desc desc",
      "$orderby=(select 1)", "$orderby='id'", "$select=year rating", "$select=id;x", "$select=*",
      "$select=a,,b", "$expand=x", "$format=json", "$Filter=id eq 'a'", "$top=1&$top=2", "$",
      "$filter=(year - 1900) ge 100", "$filter=text eq 'open", "$filter=nothing(id)",
    ])
  func badOptions(query: String) async throws {
    try await TestServer.run { server in
      let encoded = query.split(separator: "&").map { option in
        let name = option.prefix { $0 != "=" }
        return "\(name)=" + Text(String(option.dropFirst(name.count + 1))).percentEncoded
      }.joined(separator: "&")
      let reply = try await server.send(.get, "todoitem?\(encoded)")
      #expect(reply.status == 400)
      let name = String(query.prefix { $0 != "=" })
      #expect(reply["error"]?.text?.string.hasPrefix(name) == true)
    }
  }

  @Test(
    "options that aren't the protocol's are passed over",
    arguments: [
      "x=1", "filter=no", "__systemproperties=*", "__unknown=1", "=", "&&", "$filter=", "$orderby=",
      "$select=", "zumo=1",
    ])
  func otherOptions(query: String) async throws {
    try await TestServer.run { server in
      try await server.store.insert("a", "{}")
      #expect(try await server.send(.get, "todoitem?\(query)").ids == "a")
    }
  }

  @Test("the queries of an incremental pull", arguments: StoreKind.allCases)
  func incremental(kind: StoreKind) async throws {
    let clock = FakeClock(1_795_255_323_123)
    try await TestServer.run(kind, now: { clock.now() }) { server in
      try await Self.fill(server, 5)
      _ = try await server.send(.delete, "todoitem/i1001")
      let from = "updatedAt ge datetimeoffset'2026-11-21T10:02:03.125Z'"
      func list(_ filter: String, _ rest: String) async throws -> String? {
        let query = "$filter=\(Text(filter).percentEncoded)&\(rest)&__includeDeleted=true"
        return try await server.send(.get, "todoitem?\(query)").ids
      }
      let order = "$orderby=updatedAt,id&$top=1000"
      #expect(try await list("(\(from))", order) == "i1002i1003i1004i1001")
      #expect(try await list("(\(from))", "$orderby=updatedAt,id&$top=2") == "i1002i1003")
      #expect(
        try await list(
          "(\(from)) and (updatedAt lt datetimeoffset'2026-11-21T10:02:03.127Z') and (id gt 'i1002')",
          "$orderby=id") == "i1003")
      #expect(try await list("(\(from)) and id gt 'i1003'", order) == "i1004")
      #expect(
        try await list(
          "updatedAt gt cast(2026-11-21T12:02:03.126+02:00,Edm.DateTimeOffset)", order)
          == "i1004i1001")
      #expect(try await list("id eq 'i1001'", "$top=1") == "i1001")
      // An offset whose plus wasn't escaped arrives as a blank.
      let blank = "$filter=updatedAt%20ge%20datetimeoffset'2026-11-21T10:02:03.1270000+00:00'"
      #expect(
        try await server.send(.get, "todoitem?\(blank)&__includeDeleted=true").ids == "i1001i1004")
    }
  }
}
