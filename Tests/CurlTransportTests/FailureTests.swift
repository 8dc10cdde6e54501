import CurlTransport
import Remote
import TestSupport
import Testing

/// The failures that can be had on loopback, in the words that people read.
@Suite struct FailureTests {
  @Test("a connection that is broken off is cut, and something was sent")
  func reset() throws {
    let server = try ScriptedServer { _ in .broken }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(.cut, "the connection was cut", nothingSent: false))
  }

  @Test(
    "case 58: a server that goes silent before, in or after the header, or in the body, is left")
  func silent() throws {
    let server = try ScriptedServer { request in
      .json("{}").cut(after: Int(request.target.dropFirst()) ?? 0, then: .stall)
    }
    var transport = CurlTransport.forTest { $0.stallMilliseconds = 1_000 }
    let requests = [0, 30, 76, 77].flatMap { count in
      ["GET", "PATCH"].map {
        HTTPRequest(
          method: $0, url: "\(server.url)/\(count)", body: $0 == "GET" ? nil : Array("{}".utf8))
      }
    }
    let error = TransportError(.timedOut, "the server was silent for 1 s", nothingSent: false)
    let outcomes = try transport.send(requests, width: requests.count)
    #expect(outcomes.map { $0.failure } == Array(repeating: error, count: requests.count))
  }

  @Test(
    "whoever waits is asked whether to go on, even while drops come; where not, all under way ends",
    arguments: [
      (.silent, 3), (.raw("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", then: .drip), 30),
    ] as [(ScriptedReply, Int)])
  func waitsNoLonger(reply: ScriptedReply, times: Int) throws {
    let server = try ScriptedServer { _ in reply }
    var limits = TransportLimits()
    limits.requestMilliseconds = 5_000
    var asked = 0
    var transport = CurlTransport(
      userAgent: "test", certificateFile: nil, noProxy: nil, limits: limits
    ) {
      asked += 1
      return asked < times
    }
    let requests = Array(repeating: HTTPRequest(method: "GET", url: server.url), count: 2)
    let interrupted = TransportError(.interrupted, "interrupted", nothingSent: false)
    let outcomes = try transport.send(requests, width: 2)
    #expect(outcomes.map(\.failure) == [interrupted, interrupted])
    #expect(asked == times)
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

  @Test("TLS to a plain port, and plain HTTP to a port for TLS, are known; nothing was done")
  func wrongScheme() throws {
    let answers: [ScriptedReply] = [
      .raw([21, 3, 1, 0, 2, 2, 70]),
      .answer(400, body: Array("<h1>The plain HTTP request was sent to HTTPS port</h1>".utf8)),
      .answer(400, body: Array("Client sent an HTTP request to an HTTPS server.".utf8)),
    ]
    for answer in answers {
      let server = try ScriptedServer { _ in answer }
      var transport = CurlTransport.forTest()
      let error = TransportError(.wrongScheme, "\(server.url) expects TLS", nothingSent: true)
      #expect(try transport.get(server.url).failure == error)
    }
    let refusal = try ScriptedServer { _ in
      .json(#""the url must not be an HTTPS port""#, status: 400)
    }
    var plain = CurlTransport.forTest()
    #expect(try plain.get(refusal.url).get().status == 400)
    let server = try ScriptedServer { _ in .json("{}") }
    var transport = CurlTransport.forTest()
    let origin = "https://127.0.0.1:\(server.port)"
    #expect(
      try transport.get(origin).failure
        == TransportError(.wrongScheme, "\(origin) does not speak TLS", nothingSent: true))
  }

  @Test("an answer that is not HTTP is none", arguments: ["SSH-2.0-x\r\n", "\0", "<html>"])
  func noHTTP(text: String) throws {
    let server = try ScriptedServer { _ in .raw(text) }
    var transport = CurlTransport.forTest()
    let error = TransportError(.malformed, "the answer is not HTTP", nothingSent: false)
    #expect(try transport.get(server.url).failure == error)
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
