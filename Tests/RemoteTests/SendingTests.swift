import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct SendingTests {
  private let stage = Stage()

  @Test("the answer's row comes back as the server wrote it")
  func row() throws {
    var backend = stage.backend(ScriptedTransport(Sample.done("a1")))
    let reply = try backend.replies(to: [Sample.intent(.update)]).first?.reply
    guard case .done(let row?) = reply?.outcome else {
      Issue.record("no row")
      return
    }
    #expect(String(decoding: row.text, as: UTF8.self) == Sample.rowText("a1"))
    #expect(row.version == Version("v2"))
    #expect(reply?.stop == nil)
  }

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
    let outcome = try backend.replies(to: [Sample.intent(.update)]).first?.reply.outcome
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
    let outcome = try backend.replies(to: [Sample.intent(.update)]).first?.reply.outcome
    #expect(outcome == .done(Sample.row(Sample.rowText("a1"))))
  }

  @Test("a row that comes back with a wrong field, or as a tombstone, proves nothing")
  func wrongRows() throws {
    for body in [
      Sample.rowText("a1", deleted: true), #"{"id":"a1","version":7}"#,
      #"{"id":"a1","version":"v","version":"w"}"#, #"{"id":"a1","version":"v","deleted":"no"}"#,
      #"[{"id":"a1","version":"v"}]"#, #"{"id":"A1","version":"v"}"#, #"{"id":1,"version":"v"}"#,
      #"{"id":"a1","version":"\#(String(repeating: "x", count: 1_025))"}"#, "42",
    ] {
      for kind in [Operation.Kind.insert, .update, .undelete] {
        var backend = stage.backend(ScriptedTransport(.json(200, body)))
        let reply = try backend.replies(to: [Sample.intent(kind)]).first?.reply
        // To an insert, any row says that one was made; which it is, a reading tells.
        if kind == .insert, body.hasPrefix("{") {
          guard case .done(let row) = reply?.outcome else {
            Issue.record("\(body)")
            continue
          }
          #expect(row?.id != (try ItemID("a1")), "\(body)")
        } else {
          #expect(reply == Reply(.unknown(nil)), "\(kind) \(body)")
        }
      }
    }
  }

  @Test("a delete may tell the tombstone, the row as it was, or nothing")
  func deletes() throws {
    let tombstone = Sample.rowText("a1", deleted: true)
    let answers: [(HTTPAnswer, Reply.Outcome)] = [
      (.json(200, tombstone), .done(Sample.row(tombstone))),
      (.json(200, Sample.rowText("a1")), .done(nil)), (.empty(204), .done(nil)),
      (HTTPAnswer(status: 204), .done(nil)), (.empty(200), .done(nil)),
      // Cut off after the status line: nothing says that nothing was to follow.
      (HTTPAnswer(status: 200), .unknown(nil)),
      (.json(200, Sample.rowText("b")), .unknown(nil)), (.json(200, "{"), .unknown(nil)),
      (.plain(200, "gone fishing"), .unknown(nil)),
    ]
    for (answer, outcome) in answers {
      var backend = stage.backend(ScriptedTransport(answer))
      #expect(try backend.replies(to: [Sample.intent(.delete)]).first?.reply == Reply(outcome))
    }
  }

  @Test(
    "writes go out 8 at a time, 32 to a tsync-server, or as many as are set; the first goes alone",
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
    #expect(replies.count == 70 && replies.first?.id == "i0")
    #expect(Set(replies.map(\.id)).count == 70)
  }

  @Test("an error of who takes the replies goes through")
  func errorGoesThrough() throws {
    struct Full: Error {}
    var backend = stage.backend(ScriptedTransport(Sample.done("a1")))
    var rest = [Sample.intent(.update)][...]
    #expect(throws: Full.self) {
      try backend.send(next: { rest.popFirst() }, done: { _, _ in throw Full() })
    }
  }

  @Test("nothing to send is no request")
  func nothing() throws {
    let transport = ScriptedTransport(Sample.done("a1"))
    var backend = stage.backend(transport)
    #expect(try backend.replies(to: []).isEmpty)
    #expect(transport.log.requests.isEmpty)
  }
}
