import Foundation
import Glibc
import SyncModel
import TestSupport
import Testing

/// The program itself, on a real socket.
@Suite(.timeLimit(.minutes(40))) struct ServerProcessTests {
  @Test("the URL is the first line; the first token is the second, printed once")
  func firstLines() async throws {
    try await withTemporaryDirectory { directory in
      let first = try await ServerProcess.start(["--store", directory + "/items.db"])
      #expect(first.url.hasPrefix("http://127.0.0.1:"))
      let line = try #require(try await first.nextLine())
      #expect(line.hasPrefix("token: "))
      let token = String(line.dropFirst("token: ".count))
      #expect(token.utf8.count == 43)
      #expect(try await first.send("GET", "/tables/todoitem").status == 401)
      #expect(
        try await first.send("GET", "/tables/todoitem", ["Authorization: Bearer \(token)"]).status
          == 200)
      #expect(try await first.stop(SIGTERM) == 0)
      #expect(try await first.nextLine() == nil)

      let second = try await ServerProcess.start(["--store", directory + "/items.db"])
      #expect(
        try await second.send("GET", "/tables/todoitem", ["X-ZUMO-AUTH: \(token)"]).status == 200)
      #expect(try await second.stop(SIGINT) == 0)
      #expect(try await second.nextLine() == nil)
    }
  }

  /// Repeats what a server gives five seconds for, until it did not take this process longer, which is
  /// busy with all the other tests.
  private func promptly<Partner>(
    _ connect: () async throws -> Partner, _ exchange: (Partner) async throws -> String
  ) async throws -> String {
    for _ in 0..<10 {
      let partner = try await connect()
      let start = ContinuousClock.now
      let answer = try await exchange(partner)
      if ContinuousClock.now - start < .seconds(5) { return answer }
    }
    throw TestFailure("this process took longer than five seconds ten times")
  }

  @Test("SIGTERM lets a request that is under way finish")
  func finishes() async throws {
    let body = #"{"id":"a"}"#
    let head =
      "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let answer = try await promptly {
      try await ServerProcess.start(["--store", "memory", "--no-auth"])
    } _: { server in
      let socket = try ClientSocket(port: server.port)
      try await socket.write(head + body.prefix(4))
      // Another request on another connection tells that this one has been read.
      #expect(try await server.send("GET", "/tables/todoitem").status == 200)
      server.signal(SIGTERM)
      try await socket.write(String(body.dropFirst(4)))
      let answer = try await socket.readAll()
      #expect(try await server.wait() == 0)
      return answer
    }
    #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"))
  }

  @Test("SIGTERM doesn't wait for connections that ask nothing")
  func idle() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    let socket = try ClientSocket(port: server.port)
    #expect(try await server.send("GET", "/tables/todoitem").status == 200)
    #expect(try await server.stop(SIGTERM) == 0)
    #expect(try await socket.readAll().isEmpty)
  }

  @Test("every answer has a date, a length and the dataset")
  func fields() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    for (method, path, status) in [
      ("GET", "/tables/todoitem", 200), ("GET", "/tables/todoitem/x", 404), ("GET", "/", 404),
      ("DELETE", "/tables/todoitem", 405),
    ] {
      let reply = try await server.send(method, path)
      #expect(reply.status == status)
      #expect(reply.fields["date"]?.hasSuffix(" GMT") == true)
      #expect(reply.fields["content-length"] == String(reply.body.utf8.count))
      #expect(reply.fields["x-tsync-dataset"]?.utf8.count == 36)
    }
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test(
    "case 119, V10, V14: requests that are no HTTP, or ask a foreign host, get 4xx",
    arguments: [
      ("GET /tables/todoitem HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "421"),
      ("GET /tables/todoitem HTTP/1.1\r\nConnection: close\r\n\r\n", "4"),
      ("nonsense\r\n\r\n", "400"),
      (
        "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "400"
      ),
      (
        "GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
        "4"
      ),
      (
        "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1048577\r\n\r\n",
        "413"
      ),
    ])
  func hostile(request: String, status: String) async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    let socket = try ClientSocket(port: server.port)
    try await socket.write(request)
    #expect(try await socket.readAll().hasPrefix("HTTP/1.1 \(status)"))
    #expect(try await server.send("GET", "/tables/todoitem").status == 200)
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test("a client that waits to be asked for its body is asked, but not for one too large")
  func expect() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    for (length, status) in [(2, 100), (1_048_577, 413)] {
      let answer = try await promptly {
        try ClientSocket(port: server.port)
      } _: { socket in
        try await socket.write(
          """
          POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\
          Content-Length: \(length)\r\n\r\n
          """)
        let asked = try await socket.readSome()
        guard length == 2, asked.hasPrefix("HTTP/1.1 100 ") else { return asked }
        try await socket.write("{}")
        return asked + (try await socket.readSome())
      }
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(answer.contains("HTTP/1.1 201 Created\r\n") == (length == 2))
    }
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test("case 119: a body without end is cut off")
  func endless() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    let socket = try ClientSocket(port: server.port)
    try await socket.write(
      "POST /tables/todoitem HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "8000\r\n\(String(repeating: "x", count: 0x8000))\r\n"
    var sent = 0
    // Far more than the buffers between the two can hold.
    while sent < 2_000, (try? await socket.write(chunk)) != nil { sent += 1 }
    #expect(sent < 2_000)
    #expect(try await server.send("GET", "/tables/todoitem").status == 200)
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test("V8: an address has 128 connections, the next is closed; another address isn't kept out")
  func connections() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    var sockets: [ClientSocket] = []
    for _ in 0..<128 {
      let socket = try ClientSocket(port: server.port)
      try await socket.write("GET /tables/todoitem HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try await socket.readSome().hasPrefix("HTTP/1.1 200 OK\r\n"))
      sockets.append(socket)
    }
    let extra = try ClientSocket(port: server.port)
    #expect(try await extra.readAll().isEmpty)
    #expect(try await server.send("GET", "/tables/todoitem", from: "127.0.0.2").status == 200)
    sockets.removeLast()
    // The place is free once the server has seen the end; until then it answers by closing.
    var status: Int?
    while status != 200 {
      try Task.checkCancellation()
      status = try? await server.send("GET", "/tables/todoitem").status
    }
    #expect(status == 200)
    sockets.removeAll()
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test("tokens are made, listed and revoked beside a running server")
  func tokens() async throws {
    try await withTemporaryDirectory { directory in
      let store = ["--store", directory + "/items.db"]
      let server = try await ServerProcess.start(store)
      let (secret, status) = try await ServerProcess.run(["token", "new", "anna"] + store)
      #expect(status == 0)
      let field = "Authorization: Bearer " + secret.split(separator: "\n")[0]
      let reply = try await server.send("GET", "/tables/todoitem", [field])
      #expect(reply.status == 200)
      #expect(reply.fields["x-tsync-user"] == "anna")
      let (list, _) = try await ServerProcess.run(["token", "list"] + store)
      #expect(list.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == ["owner", "anna"])
      #expect(!list.contains(secret.split(separator: "\n")[0]))
      #expect(try await ServerProcess.run(["token", "revoke", "anna"] + store).status == 0)
      // Within a second, by the contract; a test of its own says so with a clock that is set.
      var revoked = 200
      while revoked == 200 {
        try Task.checkCancellation()
        revoked = try await server.send("GET", "/tables/todoitem", [field]).status
      }
      #expect(revoked == 401)
      let (after, _) = try await ServerProcess.run(["token", "list"] + store)
      #expect(after.contains("revoked 20"))
      #expect(try await ServerProcess.run(["token", "revoke", "anna"] + store).status == 2)
      #expect(try await server.stop(SIGTERM) == 0)
    }
  }

  @Test("a server that was stopped leaves its store in one file, which alone has every row")
  func oneFile() async throws {
    try await withTemporaryDirectory { directory in
      let store = directory + "/items.db"
      let first = try await ServerProcess.start(["--store", store, "--no-auth"])
      let made = try await first.send("POST", "/tables/todoitem", [], #"{"id":"a","n":1}"#)
      #expect(made.status == 201)
      // A connection that reads is made by this.
      #expect(try await first.send("GET", "/tables/todoitem").status == 200)
      #expect(try await first.stop(SIGTERM) == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["items.db"])

      let copy = directory + "/copy.db"
      try FileManager.default.copyItem(atPath: store, toPath: copy)
      let second = try await ServerProcess.start(["--store", copy, "--no-auth"])
      let read = try await second.send("GET", "/tables/todoitem/a")
      #expect(read.body == made.body)
      #expect(read.fields["x-tsync-dataset"] == made.fields["x-tsync-dataset"])
      #expect(try await second.stop(SIGTERM) == 0)
    }
  }

  @Test("a store that was put back gives no version anew that another content had")
  func putBack() async throws {
    try await withTemporaryDirectory { directory in
      let (store, backup) = (directory + "/items.db", directory + "/backup.db")
      func serve(_ body: (ServerProcess) async throws -> Void) async throws {
        let server = try await ServerProcess.start(["--store", store, "--no-auth"])
        try await body(server)
        #expect(try await server.stop(SIGTERM) == 0)
      }
      try await serve { server in
        let reply = try await server.send("POST", "/tables/todoitem", [], #"{"id":"a"}"#)
        #expect(reply.status == 201)
      }
      try FileManager.default.copyItem(atPath: store, toPath: backup)
      var seen = ""
      try await serve { server in
        let reply = try await server.send("PATCH", "/tables/todoitem/a", [], #"{"n":1}"#)
        seen = try #require(reply.fields["etag"])
      }
      try FileManager.default.removeItem(atPath: store)
      try FileManager.default.copyItem(atPath: backup, toPath: store)
      try await serve { server in
        let other = try await server.send("PATCH", "/tables/todoitem/a", [], #"{"n":2}"#)
        #expect(other.fields["etag"] != seen)
        let reply = try await server.send(
          "PATCH", "/tables/todoitem/a", ["If-Match: \(seen)"], #"{"n":3}"#)
        #expect(reply.status == 412)
        #expect(reply.body == other.body)
      }
    }
  }

  @Test("a store's files are its owner's alone")
  func modes() async throws {
    try await withTemporaryDirectory { directory in
      let server = try await ServerProcess.start(["--store", directory + "/items.db", "--no-auth"])
      for name in ["items.db", "items.db-wal", "items.db-shm"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      }
      #expect(try await server.stop(SIGTERM) == 0)
    }
  }
}
