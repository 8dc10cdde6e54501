import NIOCore
import TableServer
import TestSupport
import Testing

/// Clients that take their time.
@Suite(.timeLimit(.minutes(40))) struct SlowClientCases {
  private static let head = "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n"

  private var times: ConnectionTimes {
    var times = ConnectionTimes()
    times.firstHeader = .milliseconds(100)
    times.bodyGrace = .milliseconds(100)
    times.answer = .milliseconds(100)
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
    var times = times
    // The other requests may be slow where the machine is.
    times.firstHeader = .minutes(10)
    try await LiveServer.run(times) { port, store in
      let text = String(repeating: "x", count: 1_000_000)
      for number in 0..<2 { try await store.insert("i\(number)", "{\"text\":\"\(text)\"}") }
      let socket = try ClientSocket(port: port)
      let request = "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n\r\n"
      try await socket.write(String(repeating: request, count: 10))
      // Reads nothing until the server has given up: it takes other requests meanwhile.
      while try socket.isKeptByPeer() {
        try Task.checkCancellation()
        #expect(try await Self.get("none", port).hasPrefix("HTTP/1.1 404 "))
      }
      #expect(try await socket.readAll().utf8.count < 20_000_000)
    }
  }

  /// Asks for a row on a connection of its own.
  private static func get(_ name: String, _ port: UInt16) async throws -> String {
    let socket = try await OwnThread.run { try ClientSocket(port: port) }
    try await socket.write(
      "GET /tables/todoitem/\(name) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return try await socket.readAll()
  }
}
