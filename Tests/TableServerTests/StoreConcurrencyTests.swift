import SyncModel
import Synchronization
import TableServer
import Testing

/// What every store does when many ask it at once.
@Suite struct StoreConcurrencyTests {
  @Test("V4: 32 writers that increment with a version lose nothing", arguments: StoreKind.allCases)
  func increments(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let writes = GroupCommit(store)
      try await store.insert("counter", #"{"n":0}"#)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<32 {
          group.addTask {
            var done = 0
            while done < 10 {
              let row = try #require(try await store.row(id("counter"), in: todoitem))
              let value = try #require(try row.members()["n"]?.integer)
              var write = RowWrite(.merge(try members("{\"n\":\(value + 1)}")), id("counter"))
              write.precondition = Precondition(match: row.version)
              if try await writes.write(write, in: todoitem).stored != nil { done += 1 }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.row(id("counter"), in: todoitem)?.body == #"{"n":320}"#)
    }
  }

  @Test(
    "writes at once have an outcome each, and stamps without gaps or doubles",
    arguments: StoreKind.allCases)
  func together(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let writes = GroupCommit(store)
      let taken = try await store.insert("i0", "{}")
      let outcomes = try await withThrowingTaskGroup(of: (Int, WriteOutcome).self) { group in
        for number in 0..<300 {
          group.addTask {
            // Every third insert is of an id that is taken.
            let name = number % 3 == 0 ? "i0" : "i\(number)"
            let write = RowWrite(.insert(try members("{\"n\":\(number)}")), id(name))
            return (number, try await writes.write(write, in: todoitem))
          }
        }
        return try await group.reduce(into: [Int: WriteOutcome]()) { $0[$1.0] = $1.1 }
      }
      var versions: Set<Version> = [taken.version]
      var moments: Set<Moment> = [taken.updatedAt]
      for (number, outcome) in outcomes {
        if number % 3 == 0 {
          #expect(outcome == .exists(taken))
        } else {
          let row = try #require(outcome.stored)
          #expect(row.body == Text("{\"n\":\(number)}"))
          #expect(try await store.row(row.id, in: todoitem) == row)
          versions.insert(row.version)
          moments.insert(row.updatedAt)
        }
      }
      #expect(versions.count == 201)
      #expect(moments.count == 201)
      // The versions count the writes: refused ones took none.
      #expect(versions.contains(Stamp(moment: .now, count: 201).version))
      #expect(!versions.contains(Stamp(moment: .now, count: 202).version))
    }
  }

  @Test(
    "V5: a reader that goes by updatedAt meets every row of concurrent writers",
    .timeLimit(.minutes(40)),
    arguments: StoreKind.allCases)
  func keyset(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let writes = GroupCommit(store)
      let written = Flag()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          defer { written.value.store(true, ordering: .releasing) }
          try await withThrowingTaskGroup(of: Void.self) { writers in
            for writer in 0..<8 {
              writers.addTask {
                for number in 0..<25 {
                  let write = RowWrite(.insert(JSONObject()), id("w\(writer)-\(number)"))
                  _ = try await writes.write(write, in: todoitem)
                }
              }
            }
            try await writers.waitForAll()
          }
        }
        var seen: Set<ItemID> = []
        var since = Moment(milliseconds: 0)
        while true {
          // Asked before the page: what the last writer wrote is on it or was on one before.
          let isLast = written.value.load(ordering: .acquiring)
          var request = PageRequest()
          request.filter = .compare(
            .column(.updatedAt), .greater, .literal(.integer(since.milliseconds)))
          request.order = [.init(.updatedAt), .init(.id)]
          request.limit = 7
          let rows = try await store.page(request, of: todoitem).rows()
          for row in rows { #expect(seen.insert(row.id).inserted) }
          since = rows.last?.updatedAt ?? since
          if isLast, rows.isEmpty { break }
          await Task.yield()
        }
        #expect(seen.count == 200)
        try await group.waitForAll()
      }
    }
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }
}
