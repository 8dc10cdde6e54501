import GRDB
import GRDBSQLite
import Glibc
import HTTPTypes
import SQLiteStore
import SyncModel
import TableServer
import TestSupport
import Testing

/// Requests that want more than a client may.
@Suite(.timeLimit(.minutes(40))) struct HostileRequestCases {
  /// Texts that break out of a quote, a bracket, a statement, a path.
  private static let payloads = [
    "x' or 1 eq 1 or '", "x' or '1' = '1", "x'; drop table items; --", "' union select digest--",
    "x\") or 1=1 --", "x') or (1=1", "'||(select secret from tokens)||'", "\\' or 1=1 --",
    "%' or '%",
    "x' /*", "*/ x", "0x27 or 1", "char(39)", "${1}", "{{1}}", "?1", ":id", "$.id",
    "x\u{0}y",
    "'; attach database '/tmp/x' as y; --", "' and sleep(9) --", "'||load_extension('x')||'",
    "\u{2019} or 1=1",
    "pragma journal_mode", "randomblob(1000000000)", "x' collate nocase --", "''''", "'", "\"", "`",
    "--",
  ]

  @Test(
    "case 113: what stands in a filter's quotes is a text, whatever it says: 200, and its row",
    arguments: payloads.filter { !$0.utf8.contains(0) })
  func literalRequest(payload: String) async throws {
    let item = JSONObject([
      .init(name: "id", value: "one"), .init(name: "text", value: .string(Text(payload))),
    ])
    try await TestServer.run(.sqlite) { server in
      let body = String(decoding: JSON.object(item).encoded(), as: UTF8.self)
      #expect(try await server.send(.post, "todoitem", body).status == 201)
      _ = try await server.send(.post, "todoitem", #"{"id":"two","text":"milk"}"#)
      let quoted = payload.replacing("'", with: "''")
      for (filter, ids) in [
        ("text eq '\(quoted)'", "one"), ("contains(text,'\(quoted)')", "one"),
        ("text eq 'x\(quoted)'", ""),
      ] {
        let option = Text(filter).percentEncoded
        let reply = try await server.send(.get, "todoitem?$count=true&$filter=\(option)")
        #expect(reply.status == 200)
        #expect(reply.ids == ids)
        #expect(reply["count"]?.integer == (ids == "" ? 0 : 1))
      }
      #expect(try await server.send(.get, "todoitem?$count=true")["count"]?.integer == 2)
    }
  }

  @Test("case 114, V1: outside of quotes nothing of it gets to the store", arguments: payloads)
  func everywhere(payload: String) async throws {
    let text = Text(payload).percentEncoded
    try await TestServer.run(.sqlite) { server in
      _ = try await server.send(.post, "todoitem", #"{"id":"a","text":"milk"}"#)
      for option in ["$orderby", "$select", "$top", "$skip", "$count", "$expand", "$filter"] {
        let reply = try await server.send(.get, "todoitem?\(option)=\(text)")
        #expect(reply.status == 400)
        #expect(!reply.text.contains("milk"))
      }
      #expect([400, 404].contains(try await server.send(.get, "todoitem/\(text)").status))
      #expect([400, 404].contains(try await server.send(.delete, "todoitem/\(text)").status))
      #expect([400, 404].contains(try await server.send(.get, text).status))
      let all = try await server.send(.get, "todoitem?$count=true")
      #expect(all["count"]?.integer == 1)
      #expect(all.ids == "a")
    }
  }

  @Test(
    "case 115: a filter that is too deep, has too many parts or bytes is 400",
    arguments: [
      String(repeating: "(", count: 33) + "n eq 1" + String(repeating: ")", count: 33),
      String(repeating: "not ", count: 33) + "complete",
      Array(repeating: "complete", count: 101).joined(separator: " or "),
      "text eq '\(String(repeating: "x", count: 9_000))'",
    ])
  func largeFilter(filter: String) async throws {
    try await TestServer.run(.sqlite) { server in
      let reply = try await server.send(
        .get, "todoitem?$filter=\(Text(filter).percentEncoded)")
      #expect(reply.status == 400)
      #expect(reply["error"]?.text?.string.hasPrefix("$filter: ") == true)
    }
  }

  @Test("V9: a query that takes too long is ended, and what it used is free again")
  func expensive() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db", queryTime: .zero)
      let text = String(repeating: "x", count: 100_000)
      for number in 0..<100 { try await store.insert("i\(number)", "{\"text\":\"\(text)\"}") }
      let nested =
        String(repeating: "concat(", count: 25) + "text" + String(repeating: ",'x')", count: 25)
      var request = PageRequest()
      request.filter = try ODataFilter(Text("\(nested) eq 'none'"))
      await withTaskGroup(of: Void.self) { [request] group in
        for _ in 0..<8 {
          group.addTask {
            await #expect(throws: TableError.queryTooLong) {
              try await store.page(request, of: todoitem)
            }
          }
        }
      }
      // The same connections answer what ends before the time is looked at, and writes go on.
      request.filter = try ODataFilter("id eq 'i7'")
      for _ in 0..<8 { #expect(try await store.page(request, of: todoitem).count == 1) }
      #expect(try await store.insert("more", "{}").id == id("more"))
      try await store.close()
    }
    #expect(TableError.queryTooLong.status == .serviceUnavailable)
  }

  @Test("clients' queries don't pile up in the connections, however many different ones come")
  func statements() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      try await store.insert("a", #"{"n":1}"#)
      for number in 0..<300 {
        let chain = Array(repeating: "n eq 1", count: 1 + number % 40).joined(separator: " or ")
        var request = PageRequest()
        request.filter = try ODataFilter(Text(number < 40 ? chain : "id eq 'a' and (\(chain))"))
        request.order = [.init(number % 2 == 0 ? .id : .updatedAt)]
        request.countsAll = number % 3 == 0
        #expect(try await store.page(request, of: todoitem).count == 1)
      }
      // One reader after another was asked, so most of them have all that were kept.
      let kept = try await store.pool.read { database in
        var count = 0
        var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
        while let one = statement {
          count += 1
          statement = sqlite3_next_stmt(database.sqliteConnection, one)
        }
        return count
      }
      #expect((1...80).contains(kept))
      try await store.close()
    }
  }

  @Test(
    "V7: a page ends before it is too large for its clients, and has a link",
    arguments: StoreKind.allCases)
  func pageSize(kind: StoreKind) async throws {
    try await TestServer.run(kind) { server in
      let text = String(repeating: "x", count: 1_000_000)
      for number in 10..<45 {
        try await server.store.insert("i\(number)", "{\"text\":\"\(text)\"}")
      }
      for first in ["todoitem?$top=1000&$orderby=updatedAt,id", "todoitem", "todoitem?$top=20"] {
        var path: String? = first
        var ids = ""
        while let next = path, ids.utf8.count < 1_000 {
          let reply = try await server.send(.get, next)
          #expect(reply.status == 200)
          #expect(reply.body.count < 3 << 20)
          ids += reply.ids ?? "-"
          path = reply["nextLink"]?.text.map {
            String($0.string.split(separator: "/tables/", maxSplits: 1).last ?? "")
          }
        }
        let last = first.hasSuffix("20") ? 30 : 45
        #expect(ids == (10..<last).map { "i\($0)" }.joined())
      }
      let two = try await server.speaking("2.0.0").send(.get, "todoitem?$top=1000")
      #expect(two.fields[.link]?.contains("%24skip=2") == true)
    }
  }

  @Test(
    "V7: eight clients that ask for all of many large rows leave the server below 512 MiB",
    .disabled(if: Sanitizer.isOn, "a sanitizer takes more"))
  func memory() async throws {
    try await withTemporaryDirectory { directory in
      let server = try await ServerProcess.start(["--store", directory + "/items.db", "--no-auth"])
      let text = String(repeating: "x", count: 1_000_000)
      for number in 0..<80 {
        let reply = try await server.send(
          "POST", "/tables/todoitem", [], "{\"id\":\"i\(number)\",\"text\":\"\(text)\"}")
        #expect(reply.status == 201)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let socket = try ClientSocket(port: server.port)
            try await socket.write(
              "GET /tables/todoitem?$top=1000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            #expect(try await socket.readSome().hasPrefix("HTTP/1.1 200 OK\r\n"))
          }
        }
        try await group.waitForAll()
      }
      let peak = try #require(server.peakMemory)
      #expect(peak < 512 << 20)
      #expect(try await server.stop(SIGTERM) == 0)
    }
  }

  /// Requests whose end, length or path can be read in two ways.
  private static let corpus: [String] = [
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked, identity\r\n\r\n{}",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: -2\r\n\r\n{}",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2, 2\r\n\r\n{}",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}",
    "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "GET /tables/todoitem HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "GET /tables/todoitem HTTP/1.1\r\n Host: localhost\r\n\r\n",
    "GET /tables/todoitem HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "GET /tables/../tables/todoitem HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "GET /tables/todoitem%2fa HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "GET /tables/todoitem%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "GET /tables/%2e%2e/todoitem HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "GET //tables/todoitem HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "GET /tables/todoitem\u{0}x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TRACE /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}", "\r\n\r\n\r\nGET",
  ]

  @Test("V10, case 119: what can be read in two ways is answered by 4xx or not at all")
  func smuggling() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    let canary =
      "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\n\r\n{\"id\":\"smug\"}\n"
    for request in Self.corpus {
      let socket = try ClientSocket(port: server.port)
      try await socket.write(request + "\r\n" + canary)
      socket.finish()
      let answer = try await socket.readAll()
      #expect(
        answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.0 4"),
        "\(request)")
      let row = try await server.send("GET", "/tables/todoitem/smug")
      // Behind a request that was whole, another one is one.
      if row.status == 200 {
        #expect(request.contains("Connection: close") == false, "\(request)")
        #expect(answer.contains("HTTP/1.1 201 "), "\(request)")
      }
      _ = try await server.send("DELETE", "/tables/todoitem/smug")
    }
    #expect(try await server.send("GET", "/tables/todoitem").status == 200)
    #expect(try await server.stop(SIGTERM) == 0)
  }
}
