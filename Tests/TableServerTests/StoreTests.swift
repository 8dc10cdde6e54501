import SyncModel
import TableServer
import Testing

/// What every store does: one suite for all of them.
@Suite struct StoreTests {
  private func write(
    _ action: RowWrite.Action, _ name: String, match: Version? = nil
  ) -> RowWrite {
    var write = RowWrite(action, id(name))
    if let match { write.precondition = Precondition(match: match) }
    return write
  }

  @Test("an item that was inserted is read back byte by byte", arguments: StoreKind.allCases)
  func insert(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let json = #"{"z":1.50,"a":"\u00e9","n":12345678901234567890123,"o":{"k":[1e5,null]}}"#
      let row = try await store.insert("one", json)
      #expect(
        row.body == Text(#"{"z":1.50,"a":"é","n":12345678901234567890123,"o":{"k":[1e5,null]}}"#))
      #expect(row.createdAt == row.updatedAt)
      #expect(!row.isDeleted)
      #expect(try await store.row(id("one"), in: todoitem) == row)
      #expect(try await store.row(id("two"), in: todoitem) == nil)
      #expect(try await store.row(id("one"), in: table("other")) == nil)
    }
  }

  @Test(
    "an id that is taken is told with the row, a tombstone as well",
    arguments: StoreKind.allCases)
  func taken(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let first = try await store.insert("one", #"{"text":"first"}"#)
      let again = write(.insert(try members(#"{"text":"second"}"#)), "one")
      #expect(try await store.write(again, in: todoitem) == .exists(first))
      let gone = try #require(try await store.write(write(.delete, "one"), in: todoitem).stored)
      #expect(try await store.write(again, in: todoitem) == .exists(gone))
      #expect(try await store.row(id("one"), in: todoitem) == gone)
    }
  }

  @Test("ids that only look alike are different items", arguments: StoreKind.allCases)
  func alike(kind: StoreKind) async throws {
    let names = ["a", "A", "é", "e\u{301}", "a ", "../../x", "a'b\"c", "%2F", "日本", "1", "01"]
    try await kind.withStore { store in
      for name in names { try await store.insert(name, "{\"n\":\"\(name.utf8.count)\"}") }
      for name in names {
        let row = try #require(try await store.row(id(name), in: todoitem))
        #expect(row.id.text == Text(name))
        #expect(row.body == Text("{\"n\":\"\(name.utf8.count)\"}"))
      }
      let rows = try await store.page(PageRequest(), of: todoitem).rows()
      #expect(rows.map(\.id) == names.map { id($0) }.sorted())
    }
  }

  @Test("PATCH changes members in their places, PUT replaces them", arguments: StoreKind.allCases)
  func update(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let first = try await store.insert("one", #"{"b":1.0,"a":"x","c":true}"#)
      let patch = write(.merge(try members(#"{"a":null,"new":2,"b":1.00}"#)), "one")
      let second = try #require(try await store.write(patch, in: todoitem).stored)
      #expect(second.body == #"{"b":1.00,"a":null,"c":true,"new":2}"#)
      #expect(second.version != first.version)
      #expect(second.updatedAt > first.updatedAt)
      #expect(second.createdAt == first.createdAt)
      let put = write(.replace(try members(#"{"only":[]}"#)), "one")
      let third = try #require(try await store.write(put, in: todoitem).stored)
      #expect(third.body == #"{"only":[]}"#)
      #expect(try await store.row(id("one"), in: todoitem) == third)
    }
  }

  @Test(
    "a write with a stale version changes nothing and tells the row",
    arguments: StoreKind.allCases)
  func stale(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let first = try await store.insert("one", #"{"n":1}"#)
      let change = try members(#"{"n":2}"#)
      let second = try #require(
        try await store.write(write(.merge(change), "one", match: first.version), in: todoitem)
          .stored)
      for action: RowWrite.Action in [.merge(change), .replace(change), .delete, .undelete] {
        #expect(
          try await store.write(write(action, "one", match: first.version), in: todoitem)
            == .conflict(current: second))
      }
      #expect(try await store.row(id("one"), in: todoitem) == second)
    }
  }

  @Test("what isn't there is missing, with a version or without", arguments: StoreKind.allCases)
  func missing(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let row = try await store.insert("other", "{}")
      for action: RowWrite.Action in [
        .merge(JSONObject()), .replace(JSONObject()), .delete, .undelete,
      ] {
        for match in [nil, row.version] {
          #expect(
            try await store.write(write(action, "one", match: match), in: todoitem) == .missing)
        }
      }
    }
  }

  @Test(
    "a delete leaves a tombstone that only an undelete brings back",
    arguments: StoreKind.allCases)
  func tombstone(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let first = try await store.insert("one", #"{"n":1}"#)
      guard case .changed(let gone) = try await store.write(write(.delete, "one"), in: todoitem)
      else {
        Issue.record("the delete was refused")
        return
      }
      #expect(gone.isDeleted)
      #expect(gone.body == first.body)
      #expect(gone.version != first.version)
      #expect(gone.updatedAt > first.updatedAt)
      let change = try members(#"{"n":2}"#)
      for action: RowWrite.Action in [.merge(change), .replace(change), .delete] {
        #expect(try await store.write(write(action, "one"), in: todoitem) == .deleted(gone))
      }
      #expect(
        try await store.write(write(.undelete, "one", match: first.version), in: todoitem)
          == .conflict(current: gone))
      let back = try #require(
        try await store.write(write(.undelete, "one", match: gone.version), in: todoitem).stored)
      #expect(!back.isDeleted)
      #expect(back.updatedAt > gone.updatedAt)
      #expect(try await store.write(write(.undelete, "one"), in: todoitem) == .unchanged(back))
    }
  }

  @Test(
    "a merge or a replacement that revives undeletes and writes at once",
    arguments: StoreKind.allCases)
  func revive(kind: StoreKind) async throws {
    try await kind.withStore { store in
      try await store.insert("one", #"{"n":1,"m":1}"#)
      for (action, body) in [
        (RowWrite.Action.merge(try members(#"{"n":2}"#)), Text(#"{"n":2,"m":1}"#)),
        (.replace(try members(#"{"n":3}"#)), Text(#"{"n":3}"#)),
      ] {
        _ = try await store.write(write(.delete, "one"), in: todoitem)
        var reviving = write(action, "one")
        reviving.revives = true
        let back = try #require(try await store.write(reviving, in: todoitem).stored)
        #expect(!back.isDeleted)
        #expect(back.body == body)
      }
    }
  }

  @Test("an item that would become too large is refused", arguments: StoreKind.allCases)
  func large(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let half = String(repeating: "x", count: 600_000)
      let row = try await store.insert("one", "{\"a\":\"\(half)\"}")
      let more = write(.merge(try members("{\"b\":\"\(half)\"}")), "one")
      #expect(try await store.write(more, in: todoitem) == .tooLarge)
      #expect(try await store.row(id("one"), in: todoitem) == row)
    }
  }

  @Test(
    "an item that would have more members than a client takes is refused",
    arguments: StoreKind.allCases)
  func wide(kind: StoreKind) async throws {
    try await kind.withStore { store in
      // With the id and the four of the server these are 4,096.
      let full = (1...4_091).map { "\"m\($0)\":0" }.joined(separator: ",")
      let over = try members("{\(full),\"n\":0}")
      let row = try await store.insert("one", "{\(full)}")
      for action: RowWrite.Action in [.merge(try members(#"{"n":0}"#)), .replace(over)] {
        #expect(try await store.write(write(action, "one"), in: todoitem) == .tooLarge)
      }
      #expect(try await store.write(write(.insert(over), "two"), in: todoitem) == .tooLarge)
      #expect(try await store.row(id("one"), in: todoitem) == row)
      #expect(try await store.row(id("two"), in: todoitem) == nil)
      // A member that is null is one, too.
      let swap = write(.merge(try members(#"{"m1":null,"n":0}"#)), "one")
      #expect(try await store.write(swap, in: todoitem) == .tooLarge)
    }
  }

  @Test(
    "V6: stamps of a table grow strictly although the clock steps back",
    arguments: StoreKind.allCases)
  func clock(kind: StoreKind) async throws {
    let clock = FakeClock(1_000_000)
    try await kind.withStore(now: { clock.now() }) { store in
      var last = Moment(milliseconds: 0)
      for (number, time) in [1_000_000, 1_000_000, 999_000, 5, 1_000_001, 2_000_000, 0].enumerated()
      {
        clock.set(Int64(time))
        let row = try await store.insert("i\(number)", "{}")
        #expect(row.updatedAt > last)
        last = row.updatedAt
      }
      #expect(last.milliseconds == 2_000_001)
      // Another table has stamps of its own.
      #expect(try await store.insert("i", "{}", in: table("other")).updatedAt.milliseconds == 1)
    }
  }

  @Test("a page is ordered, cut and counted as asked", arguments: StoreKind.allCases)
  func page(kind: StoreKind) async throws {
    try await kind.withStore { store in
      for (name, n) in [("d", "2"), ("b", "1"), ("a", "null"), ("c", "1"), ("e", "\"x\"")] {
        try await store.insert(name, "{\"n\":\(n)}")
      }
      _ = try await store.write(write(.delete, "d"), in: todoitem)
      var request = PageRequest()
      request.countsAll = true
      func ids() async throws -> String {
        try await store.page(request, of: todoitem).rows().map(\.id.text.string).joined()
      }
      #expect(try await ids() == "abce")
      request.includesDeleted = true
      #expect(try await ids() == "abcde")
      request.order = [.init(.member(["n"]))]
      #expect(try await ids() == "abcde")
      request.order = [.init(.member(["n"]), isDescending: true)]
      #expect(try await ids() == "edbca")
      request.order = [.init(.updatedAt)]
      #expect(try await ids() == "baced")
      request.order = [.init(.member(["n"])), .init(.id, isDescending: true)]
      #expect(try await ids() == "acbde")
      request.offset = 1
      request.limit = 2
      #expect(try await ids() == "cb")
      #expect(try await store.page(request, of: todoitem).total == 5)
      request.limit = 0
      #expect(try await store.page(request, of: todoitem) == Page(expecting: 0, total: 5))
      #expect(try await store.page(request, of: table("other")) == Page(expecting: 0, total: 0))
      request.countsAll = false
      #expect(try await store.page(request, of: todoitem).total == nil)
    }
  }
}
