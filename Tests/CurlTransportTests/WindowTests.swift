import CurlTransport
import Remote
import Synchronization
import TestSupport
import Testing

/// Many requests at once, on connections that are kept.
@Suite(.timeLimit(.minutes(40))) struct WindowTests {
  private struct Stop: Error {}

  private func requests(_ count: Int, to server: ScriptedServer) -> [HTTPRequest] {
    (0..<count).map { HTTPRequest(method: "GET", url: "\(server.url)/\($0)") }
  }

  @Test("connections are kept from one run to the next")
  func keepAliveAcrossRuns() throws {
    let server = try ScriptedServer { .json($0.target) }
    var transport = CurlTransport.forTest()
    for number in 0..<5 {
      #expect(try transport.get("\(server.url)/\(number)").text == "/\(number)")
    }
    #expect(server.connectionCount == 1)
  }

  @Test("a window of N has N requests at the server at once", arguments: [1, 2, 8, 32])
  func width(width: Int) throws {
    let total = width * 3
    let full = Gate()
    let count = Mutex((now: 0, most: 0))
    let server = try ScriptedServer { request in
      let now = count.withLock { count in
        count.now += 1
        count.most = max(count.most, count.now)
        return count.now
      }
      // The first N wait for each other: they answer only when all of them are here.
      if now == width { full.open() }
      full.wait()
      count.withLock { $0.now -= 1 }
      return .json(request.target)
    }
    var transport = CurlTransport.forTest()
    let outcomes = try transport.send(requests(total, to: server), width: width)
    #expect(outcomes.map(\.text) == (0..<total).map { "/\($0)" })
    #expect(count.withLock { $0.most } == width)
    #expect(server.connectionCount == width)
  }

  @Test("answers are handed over in the order in which they come")
  func orderOfArrival() throws {
    let firstIsAnswered = Gate()
    let server = try ScriptedServer { request in
      if request.target == "/0" { firstIsAnswered.wait() }
      return .json(request.target)
    }
    var transport = CurlTransport.forTest()
    var left = requests(3, to: server)[...]
    var order: [String] = []
    try transport.run(
      width: 3, next: { left.popFirst() },
      done: { _, outcome in
        order.append(outcome.text ?? "failed")
        if order.count == 2 { firstIsAnswered.open() }
      }, meanwhile: {})
    #expect(order.last == "/0")
    #expect(Set(order) == ["/0", "/1", "/2"])
  }

  @Test("`next` is asked again after each `done`, even when it had nothing before")
  func nextAfterDone() throws {
    let server = try ScriptedServer { .json($0.target) }
    var transport = CurlTransport.forTest()
    // Each answer is the cause of the next request, as with pages.
    var following: HTTPRequest? = HTTPRequest(tag: 1, method: "GET", url: "\(server.url)/1")
    var asked = 0
    var pages: [Int] = []
    try transport.run(
      width: 8,
      next: {
        asked += 1
        defer { following = nil }
        return following
      },
      done: { request, _ in
        pages.append(request.tag)
        let tag = request.tag + 1
        guard tag <= 4 else { return }
        following = HTTPRequest(tag: tag, method: "GET", url: "\(server.url)/\(tag)")
      },
      meanwhile: {})
    #expect(pages == [1, 2, 3, 4])
    #expect(asked >= 8)
  }

  @Test("`meanwhile` runs while the request is at the server and its answer is not yet given")
  func meanwhileOverlaps() throws {
    let isAtServer = Gate()
    let mayAnswer = Gate()
    let server = try ScriptedServer { request in
      isAtServer.open()
      return mayAnswer.wait() ? .json(request.target) : .dropped
    }
    var transport = CurlTransport.forTest()
    var left = requests(1, to: server)[...]
    var story: [String] = []
    try transport.run(
      width: 1,
      next: {
        story.append("next")
        return left.popFirst()
      },
      done: { _, outcome in story.append("done \(outcome.text ?? "failed")") },
      meanwhile: {
        // Were the request not on its way, this would wait in vain.
        story.append(isAtServer.wait() ? "meanwhile" : "too early")
        mayAnswer.open()
      })
    #expect(story == ["next", "meanwhile", "done /0", "next"])
  }

  @Test("a body larger than the socket takes does not keep `meanwhile` waiting")
  func meanwhileWithLargeBody() throws {
    // The server reads the second request only after its answer to the first, which waits.
    let mayAnswer = Gate()
    let server = try ScriptedServer { request in
      mayAnswer.wait() ? .json("\(request.body.count)") : .dropped
    }
    let peer = try SilentPeer()
    var transport = CurlTransport.forTest { $0.requestMilliseconds = 3000 }
    let body = [UInt8](repeating: 0x61, count: 32 << 20)
    var left = [
      HTTPRequest(method: "POST", url: server.url, body: Array("{}".utf8)),
      HTTPRequest(tag: 1, method: "POST", url: peer.url, body: body),
    ][...]
    var story: [String] = []
    do {
      try transport.run(
        width: 2, next: { left.popFirst() },
        done: { request, outcome in
          story.append("done \(request.tag) \(outcome.text ?? "failed")")
          throw Stop()
        },
        meanwhile: {
          story.append("meanwhile")
          mayAnswer.open()
        })
    } catch is Stop {}
    #expect(story == ["meanwhile", "done 0 2"])
  }

  @Test("`meanwhile` is called for each round of new requests, and for no other")
  func meanwhileEachRound() throws {
    let server = try ScriptedServer { .json($0.target) }
    var transport = CurlTransport.forTest()
    var left = requests(5, to: server)[...]
    var story: [String] = []
    try transport.run(
      width: 1,
      next: {
        let request = left.popFirst()
        if request != nil { story.append("next") }
        return request
      },
      done: { _, _ in story.append("done") },
      meanwhile: { story.append("meanwhile") })
    #expect(story == Array(repeating: ["next", "meanwhile", "done"], count: 5).joined().map { $0 })
  }

  @Test("what a closure throws ends the run, and the transport goes on with the next")
  func thrownByClosures() throws {
    let server = try ScriptedServer { request in
      request.target == "/0" ? .json("") : .silent
    }
    for place in ["next", "done", "meanwhile"] {
      var transport = CurlTransport.forTest()
      var left = requests(4, to: server)[...]
      #expect(throws: Stop.self) {
        try transport.run(
          width: 3,
          next: {
            if place == "next", left.count == 1 { throw Stop() }
            return left.popFirst()
          },
          done: { _, _ in if place == "done" { throw Stop() } },
          meanwhile: { if place == "meanwhile" { throw Stop() } })
      }
      #expect(try transport.get("\(server.url)/0").text == "", "after \(place)")
    }
  }

  @Test("requests that can't be sent are told among those that can")
  func refusedAmongOthers() throws {
    let server = try ScriptedServer { .json($0.target) }
    var transport = CurlTransport.forTest()
    var mixed = requests(9, to: server)
    for number in stride(from: 0, to: 9, by: 2) { mixed[number].url = "file:///etc/passwd" }
    let outcomes = try transport.send(mixed, width: 3)
    #expect(
      outcomes.map { $0.text ?? "refused" }
        == ["refused", "/1", "refused", "/3", "refused", "/5", "refused", "/7", "refused"])
  }

  @Test("200 requests to a server that closes after each answer are all answered")
  func closingServer() throws {
    let server = try ScriptedServer { request in
      .raw(
        "HTTP/1.1 200 OK\r\nContent-Length: \(request.target.utf8.count)\r\n\r\n\(request.target)",
        then: .close)
    }
    var transport = CurlTransport.forTest()
    let outcomes = try transport.send(requests(200, to: server), width: 8)
    #expect(outcomes.map(\.text) == (0..<200).map { "/\($0)" })
  }
}
