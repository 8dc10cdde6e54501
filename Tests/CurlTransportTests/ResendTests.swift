import CurlTransport
import Remote
import TestSupport
import Testing

/// Connections that were kept and turn out dead.
@Suite struct ResendTests {
  @Test("N10: a request whose kept connection dies without an answer is sent again on a new one")
  func resent() throws {
    let server = try ScriptedServer(
      handler: ScriptedServer.inOrder([.json("1"), .dropped, .json("2")]))
    var transport = CurlTransport.forTest()
    let body = Array(#"{"id":"a"}"#.utf8)
    let request = HTTPRequest(method: "POST", url: server.url, body: body)
    #expect(try transport.send(request).text == "1")
    #expect(try transport.send(request).text == "2")
    #expect(server.requests.map(\.connection) == [0, 0, 1])
    #expect(server.requests.map(\.body) == [body, body, body])
  }

  @Test("a request that is sent once goes on a new connection, and isn't sent again")
  func sentOnce() throws {
    let server = try ScriptedServer(handler: ScriptedServer.inOrder([.json("1"), .dropped]))
    var transport = CurlTransport.forTest()
    var request = HTTPRequest(method: "POST", url: server.url, body: Array("{}".utf8))
    #expect(try transport.send(request).text == "1")
    request.isSentOnce = true
    #expect(try transport.send(request).failure?.kind == .cut)
    #expect(server.requests.map(\.connection) == [0, 1])
  }

  @Test("when sending again fails before it begins, the first sending still counts")
  func sentOnceThenRefused() throws {
    let refuseOthers = Gate()
    let isRefusing = Gate()
    let server = try ScriptedServer { request in
      guard request.target == "/2" else { return .json("1") }
      refuseOthers.open()
      return isRefusing.wait() ? .dropped : .json("late")
    }
    var transport = CurlTransport.forTest()
    #expect(try transport.get("\(server.url)/1").text == "1")
    var left = [HTTPRequest(method: "POST", url: "\(server.url)/2")][...]
    var failure: TransportError?
    try transport.run(
      width: 1, next: { left.popFirst() }, done: { _, outcome in failure = outcome.failure },
      meanwhile: {
        refuseOthers.wait()
        server.closeListener()
        isRefusing.open()
      })
    #expect(server.requests.count == 2)
    #expect(
      failure
        == TransportError(
          .cannotConnect, "cannot reach \(server.url): connection refused", nothingSent: false))
  }

  @Test("a kept connection that was closed meanwhile is not used, and nothing was sent")
  func closedMeanwhile() throws {
    let server = try ScriptedServer { _ in .json("1") }
    var transport = CurlTransport.forTest()
    #expect(try transport.get(server.url).text == "1")
    server.stop()
    #expect(
      try transport.get(server.url).failure
        == TransportError(
          .cannotConnect, "cannot reach \(server.url): connection refused", nothingSent: true))
  }
}
