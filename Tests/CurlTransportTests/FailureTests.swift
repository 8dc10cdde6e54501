import CurlTransport
import Remote
import TestSupport
import Testing

/// The failures that can be had on loopback, in the words that people read.
@Suite struct FailureTests {
  @Test("a refused connection names the origin, and nothing was sent")
  func refused() throws {
    let server = try ScriptedServer { _ in .dropped }
    server.stop()
    var transport = CurlTransport.forTest()
    let url = "\(server.url)/tables/todoitem?secret#secret"
    #expect(
      try transport.get(url).failure
        == TransportError(
          .cannotConnect, "cannot reach \(server.url): connection refused", nothingSent: true))
  }

  @Test("a name that is not resolved is named, and nothing was sent")
  func notResolved() throws {
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get("http://todo.tsync.invalid:8080/secret").failure
        == TransportError(
          .nameNotResolved, "cannot reach http://todo.tsync.invalid:8080: name not resolved",
          nothingSent: true))
  }

  @Test("a connection that is broken off is cut, and something was sent")
  func reset() throws {
    let server = try ScriptedServer { _ in .broken }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(.cut, "the connection was cut", nothingSent: false))
  }

  @Test("no answer in the time for a whole request")
  func noAnswer() throws {
    let server = try ScriptedServer { _ in .silent }
    var transport = CurlTransport.forTest {
      $0.requestMilliseconds = 1500
      $0.stallMilliseconds = 3_600_000
    }
    #expect(
      try transport.get(server.url).failure
        == TransportError(.timedOut, "the server did not answer within 1500 ms", nothingSent: false)
    )
  }

  @Test("whoever waits is asked whether to go on; where not, all that is under way ends")
  func waitsNoLonger() throws {
    let server = try ScriptedServer { _ in .silent }
    var asked = 0
    var transport = CurlTransport(userAgent: "test", certificateFile: nil, noProxy: nil) {
      asked += 1
      return asked < 3
    }
    let requests = Array(repeating: HTTPRequest(method: "GET", url: server.url), count: 2)
    let interrupted = TransportError(.interrupted, "interrupted", nothingSent: false)
    let outcomes = try transport.send(requests, width: 2)
    #expect(outcomes.map(\.failure) == [interrupted, interrupted])
    #expect(asked == 3)
  }

  @Test("an answer that is not complete in the time for a whole request")
  func noCompleteAnswer() throws {
    let server = try ScriptedServer { _ in
      .json("{}").cut(after: 30, then: .stall)
    }
    var transport = CurlTransport.forTest {
      $0.requestMilliseconds = 1500
      $0.stallMilliseconds = 3_600_000
    }
    #expect(
      try transport.get(server.url).failure
        == TransportError(
          .timedOut, "the answer was not complete within 1500 ms", nothingSent: false))
  }

  @Test("case 58, N2: a server that falls silent", arguments: [0, 50])
  func stall(count: Int) throws {
    let server = try ScriptedServer { _ in
      .json(#"{"text":"Hello world 3"}"#).cut(after: count, then: .stall)
    }
    var transport = CurlTransport.forTest { $0.stallMilliseconds = 1000 }
    #expect(
      try transport.get(server.url).failure
        == TransportError(.timedOut, "the server was silent for 1 s", nothingSent: false))
  }

  @Test("a request that is refused to be read whole")
  func largeRequestCut() throws {
    let server = try ScriptedServer { _ in .dropped }
    var transport = CurlTransport.forTest()
    let request = HTTPRequest(
      method: "POST", url: server.url, body: [UInt8](repeating: 0x61, count: 8 << 20))
    let failure = try transport.send(request).failure
    #expect(failure == TransportError(.cut, "the connection was cut", nothingSent: false))
  }

  @Test(
    "case 62, N8: plain http to another machine is refused by its address, before it is connected to",
    // 192.0.2.1 in the forms that libcurl takes.
    arguments: ["http://3221225985/", "http://0xc0000201/", "http://192.0.2.1/"])
  func plainHTTPElsewhere(url: String) throws {
    var transport = CurlTransport.forTest { $0.connectMilliseconds = 60_000 }
    #expect(
      try transport.get(url).failure
        == TransportError(.plainHTTP, "plain http to 192.0.2.1: use https", nothingSent: true))
  }

  @Test("case 62, N8: plain http is refused before a byte is sent, after the connected address")
  func plainHTTP() throws {
    let server = try ScriptedServer { _ in .json("{}") }
    var transport = CurlTransport.forTest { $0.allowsPlainHTTPToLoopback = false }
    let request = HTTPRequest(
      method: "POST", url: "\(server.url)/secret",
      headers: [HTTPField("X-ZUMO-AUTH", "canary")], body: Array("canary".utf8))
    #expect(
      try transport.send(request).failure
        == TransportError(.plainHTTP, "plain http to 127.0.0.1: use https", nothingSent: true))
    server.stop()
    #expect(server.requests.isEmpty)
  }

  @Test("https to a server without TLS is not trusted, and nothing was sent")
  func noTLS() throws {
    let server = try ScriptedServer { _ in .raw("HTTP/1.1 400 Bad Request\r\n\r\n") }
    var transport = CurlTransport.forTest()
    let origin = "https://127.0.0.1:\(server.port)"
    let failure = try #require(try transport.get("\(origin)/secret").failure)
    #expect(failure.kind == .insecure)
    #expect(failure.nothingSent)
    #expect(failure.message.hasPrefix("cannot trust \(origin): "))
    #expect(!failure.message.contains("secret"))
  }

  @Test("N7: a TLS handshake that is not answered is no connection")
  func silentTLS() throws {
    let server = try ScriptedServer { _ in .silent }
    var transport = CurlTransport.forTest { $0.connectMilliseconds = 150 }
    let origin = "https://127.0.0.1:\(server.port)"
    #expect(
      try transport.get(origin).failure
        == TransportError(
          .cannotConnect, "cannot reach \(origin): no connection within 150 ms", nothingSent: true))
  }
}
