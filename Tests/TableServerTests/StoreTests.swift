import SyncModel
import TableServer
import Testing

/// What every store does: one suite for all of them.
@Suite struct StoreTests {
  private func write(_ action: RowWrite.Action, _ name: String) -> RowWrite {
    RowWrite(action, id(name))
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
      #expect(try await store.row(id("one"), in: scope("other")) == nil)
    }
  }

  @Test(
    "writes of one transaction are carried out over one another; owners' rows are their own",
    arguments: StoreKind.allCases)
  func transaction(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let ann = scope("todoitem", owner: "ann")
      let kept = try await store.insert("kept", "{}")
      let outcomes = try await store.transaction([
        ScopedWrite(write(.insert(try members(#"{"n":1}"#)), "one"), in: todoitem),
        ScopedWrite(write(.insert(try members(#"{"n":7}"#)), "one"), in: ann),
        ScopedWrite(write(.merge(try members(#"{"n":2}"#)), "one"), in: todoitem),
        ScopedWrite(write(.insert(JSONObject()), "kept"), in: todoitem),
        ScopedWrite(write(.delete, "one"), in: todoitem),
        ScopedWrite(write(.merge(try members(#"{"n":3}"#)), "one"), in: todoitem),
      ])
      let rows = outcomes.map(\.stored)
      #expect(rows.map(\.?.body) == [#"{"n":1}"#, #"{"n":7}"#, #"{"n":2}"#, nil, #"{"n":2}"#, nil])
      #expect(outcomes[3] == .exists(kept))
      #expect(outcomes[5] == .deleted(try #require(rows[4])))
      let stamps = rows.compactMap { $0 }.filter { $0.body != #"{"n":7}"# }.map(\.updatedAt)
      #expect(stamps == stamps.sorted() && Set(stamps).count == 3)
      #expect(rows[4]?.version == Stamp(moment: .now, count: 4).version)
      #expect(rows[1]?.version == Stamp(moment: .now, count: 1).version)
      #expect(try await store.row(id("one"), in: todoitem) == rows[4])
      #expect(try await store.row(id("one"), in: ann) == rows[1])
      #expect(try await store.page(PageRequest(), of: ann).rows().map(\.id) == [id("one")])
      #expect(try await store.page(PageRequest(), of: todoitem).rows() == [kept])
    }
  }

  @Test("a check counts the rows of each scope, tombstones included", arguments: StoreKind.allCases)
  func check(kind: StoreKind) async throws {
    try await kind.withStore { store in
      #expect(try await StoreCheck(of: store).counts.isEmpty)
      for name in ["b", "a", "é"] { try await store.insert(name, "{}") }
      try await store.insert("a", "{}", in: scope("todoitem", owner: "ann"))
      _ = try await store.write(write(.delete, "a"), in: todoitem)
      let check = try await StoreCheck(of: store)
      #expect(check.counts.map(\.rows) == [3, 1])
      #expect(check.counts.map(\.tombstones) == [1, 0])
      #expect(check.damage.isEmpty)
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
      #expect(try await store.page(request, of: scope("other")) == Page(expecting: 0, total: 0))
      request.countsAll = false
      #expect(try await store.page(request, of: todoitem).total == nil)
    }
  }
}
