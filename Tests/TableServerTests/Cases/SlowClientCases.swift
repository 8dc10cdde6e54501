import Glibc
import NIOCore
import TableServer
import Testing

/// Clients that take their time (safety.md V8).
@Suite(.timeLimit(.minutes(2))) struct SlowClientCases {
  private static let head = "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n"

  private var times: ConnectionTimes {
    var times = ConnectionTimes()
    times.firstHeader = .milliseconds(100)
    times.bodyGrace = .milliseconds(100)
    times.writeStall = .milliseconds(100)
    return times
  }

  @Test("V8: a connection that doesn't bring a header in its time is closed")
  func header() async throws {
    try await LiveServer.run(times) { port, _ in
      for start in ["", "GET", "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nX-Slow: "] {
        let socket = try ClientSocket(port: port)
        try await socket.write(start)
        #expect(try await socket.readAll().isEmpty)
      }
    }
  }

  @Test("V8: a body that comes too slowly ends the connection; nothing of it is stored")
  func body() async throws {
    try await LiveServer.run(times) { port, store in
      let socket = try ClientSocket(port: port)
      try await socket.write(Self.head + "Content-Length: 1000\r\n\r\n{\"id\":\"a\"")
      #expect(!(try await socket.readAll()).hasPrefix("HTTP/1.1 2"))
      #expect(try await store.row(id("a"), in: todoitem) == nil)
    }
  }

  @Test("V8: a body that comes as fast as it has to is taken, however long it takes")
  func steadyBody() async throws {
    var times = times
    // What has come lasts for an hour.
    times.bodyBytesPerSecond = 1
    try await LiveServer.run(times) { [times] port, store in
      let socket = try ClientSocket(port: port)
      let item = "{\"id\":\"a\",\"text\":\"\(String(repeating: "x", count: 3_600))\"}"
      try await socket.write(
        Self.head + "Connection: close\r\nContent-Length: \(item.utf8.count)\r\n\r\n"
          + item.dropLast(2))
      // Long after the grace.
      try await Task.sleep(nanoseconds: UInt64(3 * times.bodyGrace.nanoseconds))
      try await socket.write(String(item.suffix(2)))
      #expect(try await socket.readAll().hasPrefix("HTTP/1.1 201 "))
      #expect(try await store.row(id("a"), in: todoitem) != nil)
    }
  }

  @Test("V8: a client that doesn't take its answer loses the connection")
  func answer() async throws {
    try await LiveServer.run(times) { port, store in
      let text = String(repeating: "x", count: 1_000_000)
      for number in 0..<15 { try await store.insert("i\(number)", "{\"text\":\"\(text)\"}") }
      let socket = try ClientSocket(port: port)
      try await socket.write("GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n\r\n")
      // Reads nothing until the server has given up: it takes other requests meanwhile.
      let start = ContinuousClock.now
      while ContinuousClock.now - start < .seconds(1) {
        let other = try ClientSocket(port: port)
        try await other.write(
          "GET /tables/todoitem/none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try await other.readAll().hasPrefix("HTTP/1.1 404 "))
      }
      #expect(try await socket.readAll().utf8.count < 15_000_000)
    }
  }

  @Test("case 120: beside 2 000 slow sockets a good client is served")
  func slowSockets() async throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    var sockets: [ClientSocket] = []
    for number in 0..<2_000 {
      let socket = try ClientSocket(port: server.port)
      // The server closes all but 128 of them.
      try? await socket.write(
        "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nX-\(number): ")
      sockets.append(socket)
    }
    for number in 0..<50 {
      let reply = try await server.send(
        "POST", "/tables/todoitem", [], "{\"id\":\"i\(number)\"}", from: "127.0.0.2")
      #expect(reply.status == 201)
    }
    let listed = try await server.send("GET", "/tables/todoitem?$count=true", from: "127.0.0.2")
    #expect(listed.body.contains("\"count\":50"))
    sockets.removeAll()
    #expect(try await server.stop(SIGTERM) == 0)
  }
}
