import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct PatienceTests {
  private let stage = Stage()

  @Test("421 ends a reading at once: the server answers for another host or data set")
  func misdirected() throws {
    let transport = ScriptedTransport(.json(421, #"{"error":"not mine"}"#))
    var backend = stage.backend(transport)
    #expect(throws: Stop.unreachable("the server answered 421 not mine")) {
      try backend.read(Sample.key("a1"))
    }
    #expect(transport.log.requests.count == 1 && stage.pauses == [])
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

  @Test("after 503 a refusal and a lost line leave the write in doubt; a dispute is one")
  func afterDoubt() throws {
    let answers: [(Result<HTTPAnswer, TransportError>, Reply)] = [
      (
        .success(.json(400, #"{"error":"no"}"#)),
        Reply(.unknown(Refusal(status: 400, words: "no")))
      ),
      (
        .failure(TransportError(.cannotConnect, "connection refused", nothingSent: true)),
        Reply(.unknown(nil), stop: .unreachable("connection refused"))
      ),
      (
        .success(.json(412, Sample.rowText("a1"))),
        Reply(.disputed(Refusal(status: 412, words: "precondition failed")))
      ),
    ]
    for (answer, expected) in answers {
      var isFirst = true
      let transport = ScriptedTransport { _ in
        defer { isFirst = false }
        return isFirst ? .success(Sample.busy(503, nil)) : answer
      }
      var backend = stage.backend(transport)
      let replies = try backend.replies(to: [Sample.attempt(.update)])
      #expect(replies.map(\.reply) == [expected])
    }
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
    let replies = try backend.replies(to: [Sample.attempt(.update)])
    #expect(replies.first?.reply.stop == nil)
    #expect(stage.pauses == [500, 1_000])
  }

  @Test("what is under way when the sending ends is still answered; nothing new goes out")
  func stopsInTheMiddle() throws {
    let transport = ScriptedTransport { request in
      request.lastSegment == "i2"
        ? .failure(TransportError(.cannotConnect, "refused", nothingSent: true))
        : .success(Sample.done(request.lastSegment))
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 3))
    let replies = try backend.replies(to: Sample.updates(20))
    #expect(replies.map(\.id) == ["i0", "i1", "i2", "i3", "i4"])
    #expect(replies.compactMap(\.reply.stop) == [.unreachable("refused")])
  }

  @Test(
    "a write that gets no whole answer ends no sending",
    arguments: [TransportError.Kind.cut, .timedOut, .tooLarge, .malformed])
  func cut(_ kind: TransportError.Kind) throws {
    let transport = ScriptedTransport { request in
      request.lastSegment == "i2"
        ? .failure(TransportError(kind, "the fact", nothingSent: false))
        : .success(Sample.done(request.lastSegment))
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 3))
    let replies = try backend.replies(to: Sample.updates(20))
    #expect(replies.count == 20)
    #expect(replies.allSatisfy { $0.reply.stop == nil })
    #expect(
      replies.first { $0.id == "i2" }?.reply.outcome == .cut(timedOut: kind == .timedOut))
  }

  @Test("what was under way when the user ended the push stays unknown")
  func interrupted() throws {
    let error = TransportError(.interrupted, "interrupted", nothingSent: false)
    var backend = stage.backend(ScriptedTransport { _ in .failure(error) })
    let replies = try backend.replies(to: [Sample.attempt(.update)])
    #expect(replies.map(\.reply) == [Reply(.unknown(nil), stop: .unreachable("interrupted"))])
  }

  @Test("what waits when the sending ends is answered, too")
  func waitingWhenStopped() throws {
    let transport = ScriptedTransport { request in
      switch request.lastSegment {
      case "i0": .success(Sample.done("i0"))
      case "i1": .success(Sample.busy(429, "1"))
      case "i2": .success(Sample.busy(503, "1"))
      default: .failure(TransportError(.cannotConnect, "refused", nothingSent: true))
      }
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 3))
    let replies = try backend.replies(to: Sample.updates(4))
    let stop = Stop.unreachable("refused")
    #expect(replies.map(\.id) == ["i0", "i3", "i1", "i2"])
    #expect(
      replies.dropFirst().map(\.reply) == [
        Reply(.notSent, stop: stop), Reply(.notSent, stop: stop),
        Reply(.unknown(nil), stop: stop),
      ])
    #expect(stage.pauses.isEmpty)
  }

  /// The answers to the writes and to the lists of a push of seven items, one at a time.
  private func replies(
    writes: HTTPAnswer, lists: HTTPAnswer
  ) throws -> (replies: [Reply], lists: Int) {
    let transport = ScriptedTransport { request in
      .success(request.method == "GET" ? lists : writes)
    }
    var backend = stage.backend(transport, settings: RemoteSettings(jobs: 1))
    let replies = try backend.replies(to: Sample.updates(7)).map(\.reply)
    return (replies, transport.log.requests.count { $0.method == "GET" })
  }

  private static let rows = HTTPAnswer.json(200, #"{"items":[]}"#)

  @Test("that a row is forbidden is believed while lists are allowed, which is asked once")
  func forbidden() throws {
    let answer = HTTPAnswer.json(403, #"{"error":"no"}"#)
    let refusal = Refusal(status: 403, words: "no")
    let allowed = try replies(writes: answer, lists: Self.rows)
    #expect(allowed.replies == Array(repeating: Reply(.refused(refusal)), count: 7))
    #expect(allowed.lists == 1)
    let none = try replies(writes: answer, lists: answer)
    #expect(none.replies == [Reply(.notSent, stop: .unauthorized(refusal))])
    let page = try replies(writes: .page(403), lists: Self.rows)
    #expect(page.replies.map(\.outcome) == [.notSent] && page.replies[0].stop != nil)
  }

  @Test("that the front of the server refuses an id is believed while lists answer")
  func unrouted() throws {
    let words: Text = "the server's web front refuses this id"
    let refusal = Refusal(status: 404, words: words, passes: true)
    let told = try replies(writes: .page(404), lists: Self.rows)
    #expect(told.replies == Array(repeating: Reply(.refused(refusal)), count: 7))
    #expect(told.lists == 1)
    let gone = try replies(writes: .page(404), lists: .page(404))
    #expect(gone.replies == Array(repeating: Reply(.absent(refusal)), count: 7))
  }

  @Test("where the answers for three rows on end pass, a list tells whether to go on")
  func threePass() throws {
    let refusal = Refusal(status: 423, words: "locked", passes: true)
    let told = try replies(writes: .empty(423), lists: Self.rows)
    #expect(told.replies == Array(repeating: Reply(.refused(refusal)), count: 7))
    #expect(told.lists == 2)
    let down = try replies(writes: .empty(423), lists: .empty(500))
    let stop = Stop.unreachable("the server answered 500 internal server error")
    #expect(
      down.replies == [
        Reply(.refused(refusal)), Reply(.refused(refusal)), Reply(.notSent, stop: stop),
      ])
  }
}
