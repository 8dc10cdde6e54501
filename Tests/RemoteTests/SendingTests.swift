import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct SendingTests {
  private let stage = Stage()

  @Test(
    "S23: where the body has no version, a strong entity tag has it",
    arguments: [
      (#""v7""#, "v7"), (#""a\"b""#, #"a"b"#), (#"W/"v7""#, nil), ("v7", nil), (#""""#, nil),
      (nil, nil),
    ] as [(String?, String?)])
  func entityTag(tag: String?, version: String?) throws {
    let answer = HTTPAnswer.json(
      200, Sample.rowText("a1", version: nil), tag.map { [HTTPField("ETag", $0)] } ?? [])
    var backend = stage.backend(ScriptedTransport(answer))
    let outcome = try backend.replies(to: [Sample.attempt(.update)]).first?.reply.outcome
    if case .done(let row) = outcome {
      #expect(row?.version == version.flatMap { Version(Text($0)) })
    } else {
      Issue.record("\(String(describing: outcome))")
    }
  }

  @Test("a version of the body stands above an entity tag")
  func bodyVersion() throws {
    let answer = HTTPAnswer.json(200, Sample.rowText("a1"), [HTTPField("ETag", #""v7""#)])
    var backend = stage.backend(ScriptedTransport(answer))
    let outcome = try backend.replies(to: [Sample.attempt(.update)]).first?.reply.outcome
    #expect(outcome == .done(Sample.row(Sample.rowText("a1"))))
  }

  @Test("a delete's answer tells the tombstone, which is the row then")
  func tombstone() throws {
    let tombstone = Sample.rowText("a1", deleted: true)
    var backend = stage.backend(ScriptedTransport(.json(200, tombstone)))
    let outcome = try backend.replies(to: [Sample.attempt(.delete)]).first?.reply.outcome
    #expect(outcome == .done(Sample.row(tombstone)))
  }

  @Test(
    "writes go out 8 at a time, 32 to a tsync-server, or as many as are set",
    arguments: [(nil, nil, 8), ("d1", nil, 32), ("d1", 3, 3), (nil, 1, 1), (nil, 0, 1)]
      as [(String?, Int?, Int)])
  func window(dataset: String?, jobs: Int?, width: Int) throws {
    let fields = dataset.map { [HTTPField("X-Tsync-Dataset", $0)] } ?? []
    var transport = ScriptedTransport { request in
      .success(.json(200, Sample.rowText(request.lastSegment), fields))
    }
    transport.answersLastFirst = true
    var backend = stage.backend(
      transport, facts: ServerFacts(dialect: .datasync, dataset: dataset.map { Text($0) }),
      settings: RemoteSettings(jobs: jobs))
    let replies = try backend.replies(to: Sample.updates(70))
    #expect(transport.log.mostAtOnce == width)
    #expect(replies.count == 70)
    #expect(Set(replies.map(\.id)).count == 70)
  }

  @Test("an error of who takes the replies goes through")
  func errorGoesThrough() throws {
    struct Full: Error {}
    var backend = stage.backend(ScriptedTransport(Sample.done("a1")))
    var rest = [Sample.attempt(.update)][...]
    #expect(throws: Full.self) {
      try backend.send(
        next: { rest.popFirst().map { ($0.attempt, $0.operation) } },
        done: { _, _ in throw Full() })
    }
  }
}
