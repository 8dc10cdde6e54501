import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct ReadingTests {
  private let stage = Stage()

  private func backend(
    _ dialect: Dialect, _ transport: ScriptedTransport
  ) -> RESTBackend<ScriptedTransport> {
    stage.backend(transport, facts: ServerFacts(dialect: dialect))
  }

  @Test("version 2 reads one row by a list, its quotes doubled")
  func mobileApps() throws {
    let text = #"{"id":"it's 1+1","version":"v","deleted":true}"#
    let transport = ScriptedTransport(.json(200, "[\(text)]"))
    var backend = backend(.mobileApps, transport)
    #expect(try backend.read(Sample.key("it's 1+1")) == .row(Sample.row(text)))
    #expect(
      transport.log.targets == [
        "tables/todoitem?$filter=id%20eq%20'it''s%201%2B1'&__includeDeleted=true"
      ])
    #expect(transport.log.requests.first?.method == "GET")
    #expect(
      transport.log.requests.first?.headers == [
        HTTPField("ZUMO-API-VERSION", "2.0.0"), HTTPField("Accept", "application/json"),
        HTTPField("Cache-Control", "no-cache"),
      ])
  }

  @Test("version 3 reads one row by its id")
  func datasync() throws {
    for dialect in [Dialect.datasync, .communityToolkit] {
      let transport = ScriptedTransport(.json(200, Sample.rowText("a/1")))
      var backend = backend(dialect, transport)
      #expect(try backend.read(Sample.key("a/1")) == .row(Sample.row(Sample.rowText("a/1"))))
      #expect(transport.log.targets == ["tables/todoitem/a%2F1?__includedeleted=true"])
    }
  }

  @Test("an empty list is no row")
  func emptyList() throws {
    for body in ["[]", #"{"results":[],"count":0}"#, #"{"results":[]}"#, " [ ] "] {
      var backend = backend(.mobileApps, ScriptedTransport(.json(200, body)))
      #expect(try backend.read(Sample.key("a1")) == .absent)
    }
  }

  @Test(
    "'not found' of an id that a path must escape counts where the list lacks it, too",
    arguments: [true, false])
  func escapedID(isListed: Bool) throws {
    let row = Sample.rowText("a/1")
    let transport = ScriptedTransport { request in
      guard request.url.contains("$filter") else { return .success(.json(404, "{}")) }
      return .success(.json(200, #"{"items":[\#(isListed ? row : "")]}"#))
    }
    var backend = backend(.communityToolkit, transport)
    #expect(try backend.read(Sample.key("a/1")) == (isListed ? .row(Sample.row(row)) : .absent))
  }

  @Test("'not found' counts once the table has answered a list, which is asked once")
  func notFound() throws {
    let transport = ScriptedTransport { request in
      .success(request.url.contains("$top") ? .json(200, #"{"items":[]}"#) : .empty(404))
    }
    var backend = backend(.datasync, transport)
    #expect(try backend.read(Sample.key("a1")) == .absent)
    #expect(try backend.read(Sample.key("a2")) == .absent)
    #expect(
      transport.log.targets == [
        "tables/todoitem/a1?__includedeleted=true",
        "tables/todoitem?$orderby=updatedAt,id&$top=1&__includedeleted=true",
        "tables/todoitem/a2?__includedeleted=true",
      ])
  }

  @Test("2014: a table that isn't there when its rows are looked at is known to be missing")
  func missingTable() throws {
    var backend = backend(.mobileServices, ScriptedTransport(.json(404, "{}")))
    #expect(throws: Stop.noTable(Sample.table)) {
      try backend.pages(of: Feed(Sample.table), from: nil) { _ in true }
    }
    #expect(backend.facts.tables[Sample.table]?.isMissing == true)
  }

  @Test("a web page for 'not found' is no answer", arguments: [404, 410])
  func webPage(status: Int) throws {
    for dialect in Dialect.allCases {
      var backend = backend(dialect, ScriptedTransport(.page(status)))
      #expect(throws: Stop.noTable(Sample.table)) { try backend.read(Sample.key("a1")) }
    }
  }

  @Test("a tombstone that is hidden from a reading is asked for by a list")
  func hiddenTombstone() throws {
    let tombstone = Sample.rowText("a1", deleted: true)
    let transport = ScriptedTransport(.empty(410), .json(200, #"{"items":[\#(tombstone)]}"#))
    var backend = backend(.datasync, transport)
    #expect(try backend.read(Sample.key("a1")) == .row(Sample.row(tombstone)))
    #expect(
      transport.log.targets.last
        == "tables/todoitem?$filter=id%20eq%20'a1'&__includedeleted=true")
  }

  @Test("a row that can't be taken, or has another id, is refused with the reason")
  func refusedRow() throws {
    let other = Sample.rowText("A1")
    for (dialect, body, reason) in [
      (Dialect.mobileApps, "[\(other)]", "the server has it under the id A1"),
      (.datasync, other, "the server has it under the id A1"),
      (
        .mobileApps, #"[{"id":"a1","id":"a1"}]"#,
        "the server's row is not valid: 'id' appears twice in the object"
      ),
    ] {
      var backend = backend(dialect, ScriptedTransport(.json(200, body)))
      #expect(try backend.read(Sample.key("a1")) == .refused(reason))
    }
  }

  @Test("a row that its reader may not see is refused, in a table that may be read")
  func unreadable() throws {
    for status in [400, 403] {
      for dialect in Dialect.allCases {
        let transport = ScriptedTransport { request in
          let isList = request.url.contains("$top=1")
          return .success(
            isList
              ? .json(
                200, [.mobileApps, .mobileServices].contains(dialect) ? "[]" : #"{"items":[]}"#)
              : .json(status, #"{"error":"not yours"}"#))
        }
        var backend = backend(dialect, transport)
        let reading = try backend.read(Sample.key("a1"))
        #expect(reading == .refused("the server's row cannot be read: \(status) not yours"))
      }
    }
    var backend = backend(.datasync, ScriptedTransport(.json(403, #"{"error":"not you"}"#)))
    #expect(throws: Stop.self) { try backend.read(Sample.key("a1")) }
  }

  @Test("a reading is tried again where that may help")
  func triedAgain() throws {
    let row = HTTPAnswer.json(200, Sample.rowText("a1"))
    for status in [408, 425, 429, 500, 502, 503, 504, 520, 522, 598] {
      let no = HTTPAnswer.json(status, #"{"error":"no"}"#)
      let stage = Stage()
      var backend = stage.backend(ScriptedTransport(no, no, no, no, row))
      #expect(try backend.read(Sample.key("a1")) != .absent)
      #expect(stage.pauses == [500, 1_000, 2_000, 4_000])
      backend = stage.backend(ScriptedTransport(no))
      #expect(throws: Stop.self) { try backend.read(Sample.key("a1")) }
      // Of one row that fails, the table is asked whether it is the row's fault.
      #expect(backend.exchange.transport.log.requests.count == (status == 500 ? 7 : 5))
    }
  }

  @Test("a broken connection is tried again; one that can't be made is not")
  func transportFails() throws {
    func transport(_ kind: TransportError.Kind) -> ScriptedTransport {
      ScriptedTransport { _ in .failure(TransportError(kind, "the fact", nothingSent: false)) }
    }
    let kinds: [(TransportError.Kind, Int, Stop)] = [
      (.cut, 5, .unreachable("the fact")), (.cannotConnect, 1, .unreachable("the fact")),
      (.nameNotResolved, 1, .unreachable("the fact")), (.timedOut, 1, .unreachable("the fact")),
      (.insecure, 1, .unreachable("the fact")), (.tooLarge, 1, .notSpeaking("the fact")),
      (.malformed, 1, .elsewhere("the fact")), (.wrongScheme, 1, .elsewhere("the fact")),
    ]
    for (kind, count, stop) in kinds {
      var backend = stage.backend(transport(kind))
      #expect(throws: stop) { try backend.read(Sample.key("a1")) }
      #expect(backend.exchange.transport.log.requests.count == count)
    }
  }
}
