import CurlTransport
import Remote
import TestSupport
import Testing

/// What an answer may be.
@Suite struct AnswerLimitTests {
  @Test("a body at the limit is taken, one byte more is refused")
  func bodyLimit() throws {
    let server = try ScriptedServer { request in
      .answer(200, body: [UInt8](repeating: 0x61, count: request.target == "/at" ? 1024 : 1025))
    }
    var transport = CurlTransport.forTest { $0.bodyBytes = 1024 }
    #expect(try transport.get("\(server.url)/at").get().body.count == 1024)
    #expect(
      try transport.get("\(server.url)/over").failure
        == TransportError(.tooLarge, "the answer is larger than 1 KiB", nothingSent: false))
  }

  @Test("the limit counts what a packed body becomes")
  func decodedBodyLimit() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Content-Encoding", "gzip")], body: Gzipped.halfMebibyteOfZeros)
    }
    var transport = CurlTransport.forTest { $0.bodyBytes = 100 << 10 }
    #expect(
      try transport.get(server.url).failure
        == TransportError(.tooLarge, "the answer is larger than 100 KiB", nothingSent: false))
  }

  @Test("the body of an error is kept up to its limit, the rest is dropped")
  func errorBody() throws {
    let server = try ScriptedServer { _ in
      .answer(500, body: [UInt8](repeating: 0x61, count: 200_000))
    }
    var transport = CurlTransport.forTest()
    let answer = try transport.get(server.url).get()
    #expect(answer.status == 500)
    #expect(answer.body.count == 64 << 10)
    _ = try transport.get(server.url).get()
    #expect(server.connectionCount == 1)
  }

  @Test("a packed body is unpacked once")
  func gzip() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Content-Encoding", "GZip")], body: Gzipped.helloWorld)
    }
    var transport = CurlTransport.forTest()
    #expect(try transport.get(server.url).text == #"{"text":"Hello world 3"}"#)
    #expect(server.requests[0].value(of: "Accept-Encoding") == "gzip")
  }

  @Test("a bomb of more than 200 times its size is refused, with the limits of users")
  func bomb() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Content-Encoding", "gzip")], body: Gzipped.fourMebibytesOfZeros)
    }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(
          .tooLarge, "the answer decompresses to more than 200 times its size", nothingSent: false))
  }

  @Test("below 1 MiB a body may pack as well as it can")
  func smallBomb() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Content-Encoding", "gzip")], body: Gzipped.halfMebibyteOfZeros)
    }
    var transport = CurlTransport.forTest()
    #expect(try transport.get(server.url).get().body.count == 512 << 10)
  }

  @Test(
    "codings that were not asked for are refused",
    arguments: ["br", "deflate", "zstd", "gzip, gzip", "gzip,identity", "x-unknown", "gzip;q=1"])
  func foreignCoding(coding: String) throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Content-Encoding", coding)], body: Gzipped.helloWorld)
    }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(
          .tooLarge, "the answer has an unexpected Content-Encoding", nothingSent: false))
  }

  @Test("two fields are one list of codings")
  func codingInTwoFields() throws {
    let server = try ScriptedServer { _ in
      .answer(
        200, [("Content-Encoding", "gzip"), ("content-encoding", "gzip")], body: Gzipped.helloWorld)
    }
    var transport = CurlTransport.forTest()
    #expect(try transport.get(server.url).failure?.kind == .tooLarge)
  }

  @Test("identity is no coding")
  func identity() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Content-Encoding", "identity")], body: Array("plain".utf8))
    }
    var transport = CurlTransport.forTest()
    #expect(try transport.get(server.url).text == "plain")
  }

  @Test("a packed transfer is refused")
  func transferCoding() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [("Transfer-Encoding", "gzip")], body: Gzipped.helloWorld)
    }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(
          .tooLarge, "the answer has an unexpected Transfer-Encoding",
          nothingSent: false))
  }

  @Test("200 header fields are taken, 201 are refused")
  func headerLines() throws {
    let server = try ScriptedServer { request in
      // Content-Length is one more.
      let count = request.target == "/at" ? 199 : 200
      return .answer(200, (0..<count).map { ("X-\($0)", "a") })
    }
    var transport = CurlTransport.forTest()
    #expect(try transport.get("\(server.url)/at").get().headers.count == 200)
    #expect(
      try transport.get("\(server.url)/over").failure
        == TransportError(
          .tooLarge, "the answer has more than 200 header fields", nothingSent: false))
  }

  @Test(
    "a header of more than 64 KiB is refused, in one line or in many",
    arguments: [(1, 66_000), (1, 200_000), (1, 5_000_000), (100, 700)])
  func headerBytes(lines: Int, length: Int) throws {
    let server = try ScriptedServer { _ in
      .answer(200, (0..<lines).map { ("X-\($0)", String(repeating: "a", count: length)) })
    }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(
          .tooLarge, "the answer's header is larger than 64 KiB", nothingSent: false))
  }

  @Test("trailers count as header fields, and are not kept")
  func trailers() throws {
    let server = try ScriptedServer { request in
      let count = request.target == "/few" ? 3 : 300
      let trailers = (0..<count).map { "X-\($0): a\r\n" }.joined()
      return .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\(trailers)\r\n")
    }
    var transport = CurlTransport.forTest()
    let few = try transport.get("\(server.url)/few").get()
    #expect(few.body == Array("{}".utf8))
    #expect(few.headers == [HTTPField("Transfer-Encoding", "chunked")])
    #expect(try transport.get("\(server.url)/many").failure?.kind == .tooLarge)
  }

  @Test("interim replies are passed over, up to 100")
  func interimReplies() throws {
    let server = try ScriptedServer { request in
      let count = request.target == "/at" ? 100 : 101
      let interim = String(repeating: "HTTP/1.1 102 Processing\r\nX-A: b\r\n\r\n", count: count)
      return .raw("\(interim)HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get("\(server.url)/at")
        == .success(
          HTTPAnswer(
            status: 200, headers: [HTTPField("Content-Length", "2")], body: Array("{}".utf8))))
    #expect(
      try transport.get("\(server.url)/over").failure
        == TransportError(
          .tooLarge, "the server sent more than 100 interim replies", nothingSent: false))
  }

  @Test(
    "what is not HTTP, or not asked for, is malformed",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
      "HTTP/1.1 999 Odd\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-A: b\r\n X-B: folded\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
      "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
    ])
  func malformed(bytes: String) throws {
    let server = try ScriptedServer { _ in .raw(bytes) }
    var transport = CurlTransport.forTest()
    let failure = try transport.get(server.url).failure
    #expect(failure?.kind == .malformed)
    #expect(failure?.nothingSent == false)
  }
}
