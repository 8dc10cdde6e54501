import Foundation
import Glibc
import HTTPTypes
import NIOCore
import SQLiteStore
import SyncModel
import Synchronization
import TableServer
import Testing

/// The server where others reach it: behind a proxy, with slow readers, at its end.
@Suite(.timeLimit(.minutes(40))) struct ReachedServerCases {
  // MARK: Behind a proxy

  @Test("B4: links begin with --url; its host and loopback names may ask, nobody else")
  func publicURL() async throws {
    let server = try await ServerProcess.start(
      ["--store", "memory", "--no-auth", "--url", "https://list.example.net"])
    #expect(server.url.hasPrefix("http://127.0.0.1:"))
    for host in ["list.example.net", "LIST.example.net:443", "127.0.0.1:1", "localhost"] {
      let made = try await server.send("POST", "/tables/todoitem", ["Host: \(host)"], "{}")
      #expect(made.status == 201)
      #expect(
        made.fields["location"]?.hasPrefix("https://list.example.net/tables/todoitem/") == true)
    }
    for host in ["list.example.net:80", "list.example.net:8443", "example.net", "x", ""] {
      let refused = try await server.send("GET", "/tables/todoitem", ["Host: \(host)"])
      #expect(refused.status == 421, "\(host)")
    }
    let all = "/tables/todoitem?$top=3&$filter=id ne 'x'".replacing(" ", with: "%20")
    for _ in 0..<100 { _ = try await server.send("POST", "/tables/todoitem", [], "{}") }
    let forged = ["X-Forwarded-Host: evil.test", "X-Forwarded-Proto: http"]
    let v2 = try await server.send("GET", "/tables/todoitem", ["ZUMO-API-VERSION: 2.0.0"] + forged)
    #expect(v2.fields["link"]?.hasPrefix("https://list.example.net/tables/todoitem?") == true)
    let v3 = try await server.send("GET", "/tables/todoitem", ["ZUMO-API-VERSION: 3.0.0"] + forged)
    #expect(v3.body.contains(#""nextLink":"https://list.example.net/tables/todoitem?"#))
    let toolkit = try await server.send("GET", "/tables/todoitem", forged)
    #expect(toolkit.body.contains(#""nextLink":"$skip=100"#))
    #expect(try await server.send("GET", all).status == 200)
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test("B4: without --url, what a proxy says of the client is believed of nobody")
  func forwarded() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    let made = try await server.send(
      "POST", "/tables/todoitem", ["X-Forwarded-Proto: https", "X-Forwarded-Host: x"], "{}")
    #expect(made.fields["location"]?.hasPrefix("http://127.0.0.1:\(server.port)/") == true)
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test(
    "B4: --url is http or https with a host and perhaps a port, and nothing else",
    arguments: [
      "list.example.net", "ftp://list.example.net", "https://", "https://a/", "https://a/x",
      "https://a?x", "https://a#x", "https://u@a", "https://u:p@a", "https://a:0", "https://a:x",
      "https://a:65536", "https://a:", "https://a b", "https://ä", "",
    ])
  func wrongURL(text: String) async throws {
    #expect(RequestOrigin(url: text) == nil)
    let (_, status) = try await ServerProcess.run(["--store", "memory", "--url", text])
    #expect(status == 2)
  }

  @Test("B4: URLs that are taken", arguments: ["http://a", "https://[::1]:8443", "https://a.b:1"])
  func rightURL(text: String) throws {
    let origin = try #require(RequestOrigin(url: text))
    #expect("\(origin.scheme)://\(origin.authority ?? "")" == text)
  }

  @Test("B14: other addresses than loopback need --behind-proxy, and that needs tokens")
  func reachable() async throws {
    for address in ["0.0.0.0:0", "[::]:0"] {
      let (text, status) = try await ServerProcess.run(
        ["--store", "memory", "--listen", address], standardError: true)
      #expect(status == 2)
      #expect(text.contains("--behind-proxy") && text.contains("127.0.0.1"))
    }
    for words in [["--no-auth", "--url", "https://a"], []] {
      let (_, status) = try await ServerProcess.run(
        ["--store", "memory", "--behind-proxy"] + words)
      #expect(status == 2)
    }
  }

  // MARK: Answers

  /// The members of rows that make pages of 2 MiB.
  private static let long = "{\"text\":\"\(String(repeating: "x", count: 100_000))\"}"

  @Test("B5: at SIGTERM answers that are under way are sent to their end")
  func endsWhole() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    for _ in 0..<25 { _ = try await server.send("POST", "/tables/todoitem", [], Self.long) }
    let socket = try ClientSocket(port: server.port)
    // More than sockets hold.
    let count = 5
    let request = "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n\r\n"
    try await socket.write(String(repeating: request, count: count))
    var text = try await socket.readSome()
    server.signal(SIGTERM)
    text += try await socket.readAll()
    #expect(text.utf8.count > count * 2_000_000)
    #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == count + 1)
    #expect(text.hasSuffix("}"))
    #expect(try await server.wait() == 0)
  }

  @Test("B5: a client that takes nothing doesn't keep the server for longer than ten seconds")
  func endsAnyhow() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    for _ in 0..<25 { _ = try await server.send("POST", "/tables/todoitem", [], Self.long) }
    let socket = try ClientSocket(port: server.port)
    let request = "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n\r\n"
    try await socket.write(String(repeating: request, count: 8))
    _ = try await socket.readSome()
    // By itself it would go on until the client is too slow, or takes what there is.
    #expect(try await server.stop(SIGTERM) == 0)
    #expect(try await socket.readAll().utf8.count < 16_000_000)
  }

  @Test("B6: a client that takes a little of its answer, and too little, loses the connection")
  func drips() async throws {
    var times = ConnectionTimes()
    times.firstHeader = .minutes(10)
    times.answer = .milliseconds(200)
    // No reader is so fast.
    times.answerBytesPerSecond = 1 << 40
    try await LiveServer.run(times) { port, store in
      for number in 0..<25 { try await store.insert("i\(number)", Self.long) }
      let socket = try ClientSocket(port: port)
      let request = "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n\r\n"
      try await socket.write(String(repeating: request, count: 20))
      while try socket.isKeptByPeer() {
        try Task.checkCancellation()
        _ = try await socket.readSome()
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  @Test("B21: a body is asked for after the answers to the requests before it")
  func continues() async throws {
    var times = ConnectionTimes()
    // This process may be busy with all the other tests.
    (times.firstHeader, times.bodyGrace, times.body) = (.minutes(10), .minutes(10), .minutes(10))
    try await LiveServer.run(times) { port, store in
      try await store.insert("a", "{}")
      let socket = try ClientSocket(port: port)
      let head = "HTTP/1.1\r\nHost: localhost\r\n"
      try await socket.write(
        "GET /tables/todoitem/a \(head)\r\nPOST /tables/todoitem \(head)"
          + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      var text = ""
      while !text.contains("HTTP/1.1 100") {
        let part = try await socket.readSome()
        try #require(!part.isEmpty)
        text += part
      }
      #expect(text.hasPrefix("HTTP/1.1 200"))
      #expect(text.hasSuffix("}HTTP/1.1 100 Continue\r\n\r\n"))
      try await socket.write("{}")
      #expect(try await socket.readSome().hasPrefix("HTTP/1.1 201"))
    }
  }

  // MARK: The log

  @Test("B7: a log that nobody reads stalls nothing, and what is dropped is counted")
  func stalledLog() async throws {
    let log = Pipe()
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"], log: log)
    let request = "GET /tables/todoitem/none HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in 0..<20 {
      let socket = try ClientSocket(port: server.port)
      try await socket.write(String(repeating: request, count: 100))
      socket.finish()
      let answers = try await socket.readAll()
      #expect(answers.components(separatedBy: "HTTP/1.1 404").count == 101)
    }
    // All that there is.
    let reader = log.fileHandleForReading
    var text = String(decoding: reader.availableData, as: UTF8.self)
    _ = try await server.send("GET", "/tables/todoitem/last")
    #expect(try await server.stop(SIGTERM) == 0)
    text += String(decoding: reader.readDataToEndOfFile(), as: UTF8.self)
    let lines = text.split(separator: "\n")
    let dropped = try #require(lines.first { $0.contains("dropped log lines: ") })
    let count = try #require(dropped.split(separator: " ").last.flatMap { Int($0) })
    #expect(lines.count { $0.contains(" GET /tables/todoitem/") } + count == 2_001)
    #expect(lines.last?.contains("/last 404") == true)
  }

  // MARK: Tokens

  /// A store of tokens that counts how often it is read.
  private final class CountingStore: TokenStore {
    let store = MemoryTokenStore()
    let reads = Mutex(0)

    func tokens() async throws -> [AccessToken] {
      reads.withLock { $0 += 1 }
      return await store.tokens()
    }
    func add(_ token: AccessToken) async throws { await store.add(token) }
    func revoke(_ user: Text, at moment: Moment) async throws -> Int {
      await store.revoke(user, at: moment)
    }
  }

  @Test("B8: an address that is told to wait costs no reading of the store; a right token goes on")
  func limits() async throws {
    let store = CountingStore()
    let (secret, token) = AccessToken.make(for: "anna", at: .now)
    try await store.add(token)
    let access = Access(store) { Moment(milliseconds: 1_000_000) }
    func ask(_ secret: String, _ address: String) async throws -> Int? {
      do {
        _ = try await access.user([.authorization: "Bearer \(secret)"], from: address)
        return nil
      } catch let error as TableError {
        return error.status.code
      }
    }
    for _ in 0..<10 { #expect(try await ask("x", "192.0.2.1") == 401) }
    let reads = store.reads.withLock { $0 }
    for _ in 0..<50 { #expect(try await ask("x", "192.0.2.1") == 429) }
    #expect(try await ask(secret, "192.0.2.1") == nil)
    #expect(store.reads.withLock { $0 } == reads)
    #expect(try await ask("x", "192.0.2.2") == 401)
    // One network of IPv6, and another; addresses of IPv4 that are written as such.
    for number in 0..<10 { #expect(try await ask("x", "2001:db8:0:1::\(number)") == 401) }
    #expect(try await ask("x", "2001:db8:0:1:ffff::1") == 429)
    #expect(try await ask("x", "2001:db8:0:2::1") == 401)
    for _ in 0..<10 { #expect(try await ask("x", "::ffff:192.0.2.3") == 401) }
    #expect(try await ask("x", "::ffff:192.0.2.4") == 401)
  }

  @Test("a token that another process has revoked is refused after a second")
  func revoked() async throws {
    let store = MemoryTokenStore()
    let now = Mutex(Moment(milliseconds: 5_000))
    let (secret, token) = AccessToken.make(for: "anna", at: .now)
    await store.add(token)
    let access = Access(store) { now.withLock { $0 } }
    func user() async throws -> Text {
      try await access.user([.authorization: "Bearer \(secret)"], from: "192.0.2.1")
    }
    #expect(try await user() == "anna")
    #expect(await store.revoke("anna", at: .now) == 1)
    now.withLock { $0 = Moment(milliseconds: 6_000) }
    await #expect(throws: TableError.self) { try await user() }
  }

  @Test("B8: the counts of a minute have an end; who isn't counted any more waits")
  func bounded() async throws {
    let now = Mutex(Moment(milliseconds: 0))
    let access = Access(MemoryTokenStore()) { now.withLock { $0 } }
    func ask(_ number: Int) async throws -> Int {
      do {
        _ = try await access.user(
          [.authorization: "Bearer x"], from: "10.0.\(number >> 8).\(number & 255)")
        return 200
      } catch let error as TableError {
        return error.status.code
      }
    }
    for number in 0..<ServedLimits.failingNetworks { #expect(try await ask(number) == 401) }
    #expect(try await ask(ServedLimits.failingNetworks) == 429)
    #expect(try await ask(0) == 401)
    now.withLock { $0 = Moment(milliseconds: 60_000) }
    #expect(try await ask(ServedLimits.failingNetworks) == 401)
  }

  @Test("B15: a first token that can't be printed isn't made")
  func unprinted() async throws {
    try await withTemporaryDirectory { directory in
      let store = ["--store", directory + "/items.db"]
      let status = try await ServerProcess.run(store, into: "/dev/full")
      #expect(status == 8)
      #expect(try await ServerProcess.run(["token", "list"] + store).output == "")
      let server = try await ServerProcess.start(store)
      let token = try #require(try await server.nextLine()?.split(separator: " ").last)
      let right = ["Authorization: Bearer \(token)"]
      #expect(try await server.send("GET", "/tables/todoitem", right).status == 200)
      #expect(try await server.stop(SIGTERM) == 0)
    }
  }

  // MARK: Rows

  @Test(
    "B18: only queries like those of pulls have their statements kept",
    arguments: [
      ("", [], true),
      ("updatedAt ge datetime'2026-01-01T00:00:00.000Z'", ["updatedAt", "id"], true),
      ("updatedAt eq null and id gt 'a'", ["id"], true), ("text eq 'a'", [], false),
      ("id eq 'a' or id eq 'b'", [], false), ("length(id) eq 1", [], false), ("", ["text"], false),
      ("", ["id", "updatedAt", "version"], false),
      ("id ne 'a' and id ne 'b' and id ne 'c' and id ne 'd' and id ne 'e'", [], false),
    ] as [(String, [String], Bool)])
  func keptStatements(filter: String, order: [String], isKept: Bool) throws {
    var target = "$orderby=" + order.joined(separator: ",")
    if order.isEmpty { target = "$top=1" }
    if !filter.isEmpty { target += "&$filter=" + filter.replacing(" ", with: "%20") }
    let query = try ListQuery(QueryString(target.utf8))
    var request = PageRequest()
    (request.filter, request.order) = (query.filter, query.order)
    #expect(request.isLikePulls == isKept)
    request.order = [.init(.id, isDescending: true)]
    #expect(!request.isLikePulls)
  }

  @Test("D3: null stays null, in rows and in every answer")
  func nulls() async throws {
    for kind in StoreKind.allCases {
      try await TestServer.run(kind) { server in
        let made = try await server.send(.post, "todoitem", #"{"id":"a","n":null,"o":1,"p":2}"#)
        #expect(made.text.contains(#""n":null"#))
        let patched = try await server.send(.patch, "todoitem/a", #"{"q":null,"o":null}"#)
        #expect(patched.text.contains(#""n":null,"o":null,"p":2,"q":null"#))
        for version in ["2.0.0", "3.0.0", nil] {
          let other = server.speaking(version)
          for path in ["todoitem", "todoitem/a"] {
            let read = try await other.send(.get, path)
            #expect(read.text.contains(#""n":null,"o":null,"p":2,"q":null"#))
          }
        }
        let stale = try await server.send(.patch, "todoitem/a", "{}", [(.ifMatch, "\"x\"")])
        #expect(stale.status == 412 && stale.text.contains(#""o":null"#))
        let put = try await server.send(.put, "todoitem/a", #"{"p":null}"#)
        #expect(put.text.contains(#""p":null"#) && !put.text.contains(#""o""#))
        // To a filter it is as if the member weren't there.
        let found = try await server.send(.get, "todoitem?$filter=p%20eq%20null")
        #expect(found.ids == "a")
      }
    }
  }
}
