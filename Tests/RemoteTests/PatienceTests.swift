import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct PatienceTests {
  private let stage = Stage()

  @Test("a server that asks for two seconds gets them, and the same bytes again")
  func patience() throws {
    let transport = ScriptedTransport(Sample.busy(429, "2"), Sample.done("a1"))
    var backend = stage.backend(transport)
    let replies = try backend.replies(to: [Sample.intent(.update)])
    guard case .done = replies.first?.reply.outcome else {
      Issue.record("not done")
      return
    }
    #expect(stage.pauses == [2_000])
    let requests = transport.log.requests
    #expect(requests.count == 2)
    #expect(requests[0].body == requests[1].body && requests[0].headers == requests[1].headers)
    #expect(requests[0].url == requests[1].url && requests[0].method == requests[1].method)
  }

  @Test("421 ends a reading at once: the server answers for another host or data set")
  func misdirected() throws {
    let transport = ScriptedTransport(.json(421, #"{"error":"not mine"}"#))
    var backend = stage.backend(transport)
    #expect(throws: Stop.unreachable("the server answered 421 not mine")) {
      try backend.read(Sample.key("a1"))
    }
    #expect(transport.log.requests.count == 1 && stage.pauses == [])
  }

  @Test("case 54, S22: a date in Retry-After is measured by the server's clock")
  func patienceUntilADate() throws {
    var answer = Sample.busy(503, "Sun, 06 Nov 1994 08:50:07 GMT")
    answer.headers.append(HTTPField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))
    var backend = stage.backend(ScriptedTransport(answer, Sample.done("a1")))
    _ = try backend.replies(to: [Sample.intent(.update)])
    #expect(stage.pauses == [30_000])
  }

  @Test(
    "case 54, S22: a wish that makes no sense is answered by pauses of our own",
    arguments: ["banana", "-3", "", "Thu, 01 Jan 1970 00:00:00 GMT"])
  func nonsense(wish: String) throws {
    var backend = stage.backend(ScriptedTransport(Sample.busy(429, wish), Sample.done("a1")))
    _ = try backend.replies(to: [Sample.intent(.update)])
    #expect(stage.pauses == [500])
  }

  @Test("case 54, S22: who asks for a day is told off, and nothing more is sent")
  func tooMuchPatience() throws {
    let transport = ScriptedTransport(Sample.busy(429, "86400"))
    var backend = stage.backend(transport)
    let replies = try backend.replies(to: Sample.updates(3))
    #expect(replies.map(\.reply) == [Reply(.notSent, stop: .busy(status: 429, seconds: 86_400))])
    #expect(stage.pauses.isEmpty && transport.log.requests.count == 1)
  }

  @Test("case 55, N5: 503 four times, then done")
  func fourTimes503() throws {
    let no = Sample.busy(503, nil)
    var backend = stage.backend(ScriptedTransport(no, no, no, no, Sample.done("a1")))
    let replies = try backend.replies(to: [Sample.intent(.update)])
    #expect(replies.first?.reply.stop == nil)
    #expect(stage.pauses == [500, 1_000, 2_000, 4_000])
  }

  @Test("503 for ever ends the sending; what it did is not known")
  func always503() throws {
    let transport = ScriptedTransport(Sample.busy(503, nil))
    var backend = stage.backend(transport)
    let replies = try backend.replies(to: Sample.updates(2))
    #expect(
      replies.map(\.reply) == [
        Reply(
          .unknown(Refusal(status: 503, words: "busy")), stop: .busy(status: 503, seconds: nil))
      ])
    #expect(transport.log.requests.count == 5)
  }

  @Test("while one write has to wait nothing else goes out; then it goes first")
  func pausesTogether() throws {
    var turnedAway = false
    let transport = ScriptedTransport { request in
      if request.lastSegment == "i1", !turnedAway {
        turnedAway = true
        return .success(Sample.busy(429, "1"))
      }
      return .success(Sample.done(request.lastSegment))
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 2))
    let replies = try backend.replies(to: Sample.updates(5))
    #expect(transport.log.requests.map(\.lastSegment) == ["i0", "i1", "i2", "i1", "i3", "i4"])
    #expect(replies.map(\.id) == ["i0", "i2", "i1", "i3", "i4"])
    #expect(stage.pauses == [1_000])
  }

  @Test("after 503 a refusal doesn't prove that nothing was done")
  func refusalAfterDoubt() throws {
    var backend = stage.backend(
      ScriptedTransport(Sample.busy(503, nil), .json(400, #"{"error":"no"}"#)))
    let replies = try backend.replies(to: [Sample.intent(.update)])
    #expect(replies.first?.reply == Reply(.unknown(Refusal(status: 400, words: "no"))))
  }

  @Test("after 503 a server that can't be reached leaves the write in doubt")
  func unreachableAfterDoubt() throws {
    var first = true
    let transport = ScriptedTransport { _ in
      defer { first = false }
      return first
        ? .success(Sample.busy(503, nil))
        : .failure(TransportError(.cannotConnect, "connection refused", nothingSent: true))
    }
    var backend = stage.backend(transport)
    let replies = try backend.replies(to: [Sample.intent(.update)])
    #expect(
      replies.first?.reply == Reply(.unknown(nil), stop: .unreachable("connection refused")))
  }

  @Test("a dispute after 503 is a dispute")
  func disputeAfterDoubt() throws {
    var backend = stage.backend(
      ScriptedTransport(Sample.busy(503, nil), .json(412, Sample.rowText("a1"))))
    let replies = try backend.replies(to: [Sample.intent(.update)])
    #expect(
      replies.first?.reply == Reply(.disputed(Refusal(status: 412, words: "precondition failed"))))
  }

  @Test(
    "what fails before anything was sent is not sent; else it is unknown",
    arguments: [
      (TransportError.Kind.nameNotResolved, true), (.cannotConnect, true), (.insecure, true),
      (.plainHTTP, true), (.unavailable, true), (.timedOut, true), (.timedOut, false),
      (.cut, false),
    ])
  func unreachable(kind: TransportError.Kind, nothingSent: Bool) throws {
    let transport = ScriptedTransport { _ in
      .failure(TransportError(kind, "the fact", nothingSent: nothingSent))
    }
    var backend = stage.backend(transport)
    let replies = try backend.replies(to: Sample.updates(3))
    let outcome = nothingSent ? Reply.Outcome.notSent : .unknown(nil)
    #expect(replies.map(\.reply) == [Reply(outcome, stop: .unreachable("the fact"))])
    #expect(stage.pauses.isEmpty && transport.log.requests.count == 1)
  }

  @Test(
    "an answer that can't be one leaves the write in doubt",
    arguments: [TransportError.Kind.tooLarge, .malformed])
  func malformed(kind: TransportError.Kind) throws {
    var backend = stage.backend(
      ScriptedTransport { _ in .failure(TransportError(kind, "the fact", nothingSent: false)) })
    let replies = try backend.replies(to: [Sample.intent(.update)])
    #expect(replies.first?.reply == Reply(.unknown(nil), stop: .notSpeaking("the fact")))
  }

  @Test("an idle connection that was found broken is no reason to stop")
  func brokenBeforeSent() throws {
    var count = 0
    let transport = ScriptedTransport { _ in
      count += 1
      return count < 3
        ? .failure(TransportError(.cut, "reset", nothingSent: true)) : .success(Sample.done("a1"))
    }
    var backend = stage.backend(transport)
    let replies = try backend.replies(to: [Sample.intent(.update)])
    #expect(replies.first?.reply.stop == nil)
    #expect(stage.pauses == [500, 1_000])
  }

  @Test("what is under way when the sending ends is still answered; nothing new goes out")
  func stopsInTheMiddle() throws {
    let transport = ScriptedTransport { request in
      request.lastSegment == "i2"
        ? .failure(TransportError(.cut, "reset", nothingSent: false))
        : .success(Sample.done(request.lastSegment))
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 3))
    let replies = try backend.replies(to: Sample.updates(20))
    #expect(replies.map(\.id) == ["i0", "i1", "i2", "i3", "i4"])
    #expect(replies.compactMap(\.reply.stop) == [.unreachable("reset")])
  }

  @Test("what waits when the sending ends is answered, too")
  func waitingWhenStopped() throws {
    let transport = ScriptedTransport { request in
      switch request.lastSegment {
      case "i0": .success(Sample.done("i0"))
      case "i1": .success(Sample.busy(429, "1"))
      case "i2": .success(Sample.busy(503, "1"))
      default: .failure(TransportError(.cut, "reset", nothingSent: false))
      }
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 3))
    let replies = try backend.replies(to: Sample.updates(9))
    let stop = Stop.unreachable("reset")
    #expect(replies.map(\.id) == ["i0", "i3", "i1", "i2"])
    #expect(
      replies.dropFirst().map(\.reply) == [
        Reply(.unknown(nil), stop: stop), Reply(.notSent, stop: stop),
        Reply(.unknown(nil), stop: stop),
      ])
    #expect(stage.pauses.isEmpty)
  }
}
