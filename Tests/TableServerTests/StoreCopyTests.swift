import Foundation
import PostgresStore
import SQLiteStore
import SyncModel
import Synchronization
import TableServer
import TestSupport
import Testing

/// Copies of stores, cut at each of their steps while others write.
@Suite struct StoreCopyTests {
  enum Direction: CaseIterable {
    case filesOnly
    case toPostgres
    case fromPostgres

    static let allCases: [Direction] =
      [.filesOnly] + (PostgresCluster.shared == nil ? [] : [.toPostgres, .fromPostgres])

    /// Names the store that is copied, and the new one.
    func stores(_ directory: String) throws -> (from: String, to: String) {
      let url = try PostgresCluster.shared?.url() ?? ""
      return switch self {
      case .filesOnly: (directory + "/a.db", directory + "/b.db")
      case .toPostgres: (directory + "/a.db", url)
      case .fromPostgres: (url, directory + "/b.db")
      }
    }
  }

  @Test(
    "a copy that is cut at each step, while devices write, loses nothing in either store",
    arguments: Direction.allCases)
  func cut(direction: Direction) async throws {
    try await withTemporaryDirectory { directory in
      let names = try direction.stores(directory)
      let source = try await Self.open(names.from)
      let board = scope("board", owner: "anna")
      for number in 0..<150 { try await source.insert("row-\(number)", "{\"n\":\(number)}") }
      for number in 0..<3 { try await source.insert("b\(number)", "{}", in: board) }
      _ = try await source.write(RowWrite(.delete, id("row-7")), in: todoitem)
      try await source.add(AccessToken.make(for: "anna", at: .now).1)
      try await source.add(AccessToken.make(for: "ben", at: .now).1)
      #expect(try await source.revoke("ben", at: .now) == 1)
      let written = Written()
      let cuts = try await withThrowingTaskGroup(of: Int?.self) { group in
        for device in 0..<8 {
          group.addTask {
            let writes = GroupCommit(source)
            var (number, acknowledged) = (0, 0)
            while acknowledged < 60, !written.isOver.load(ordering: .acquiring) {
              number += 1
              let write = RowWrite(.insert(JSONObject()), id("w\(device)-\(number)"))
              if let outcome = try? await writes.write(write, in: todoitem) {
                written.add(try #require(outcome.stored))
                acknowledged += 1
              } else {
                try await Task.sleep(for: .milliseconds(2))
              }
            }
            return nil
          }
        }
        group.addTask {
          defer { written.isOver.store(true, ordering: .releasing) }
          var step = 0
          while true {
            let cutter = Cutter(at: step)
            let target = try await Self.open(names.to, copyOf: source.dataset)
            do {
              _ = try await StoreCopy(
                CutStore(store: source) { _, work in try await cutter.run(work) },
                to: CutStore(store: target) { _, work in try await cutter.run(work) }
              ).run()
              try await target.close()
              return step
            } catch is Cutter.Cut {
              // At every third cut somebody gives up, and the devices go on.
              let state = try await source.state()
              if state == .open { #expect(try await target.state() != .open) }
              if step % 3 == 0, case .moving = state {
                try await source.become(.open, from: state)
              }
              step += 1
            }
            try await target.close()
          }
        }
        return try await group.reduce(into: 0) { $0 = max($0, $1 ?? 0) }
      }
      print("copy: \(direction), \(cuts) cuts, \(written.rows.count) rows written meanwhile")
      #expect(cuts > 15)
      #expect(!written.rows.isEmpty)
      let target = try await Self.open(names.to)
      #expect(try await target.state() == .open)
      for row in written.rows { #expect(try await target.row(row.id, in: todoitem) == row) }
      #expect(try await target.row(id("row-7"), in: todoitem)?.isDeleted == true)
      #expect(try await target.row(id("b2"), in: board) == source.row(id("b2"), in: board))
      #expect(try await target.stamps() == source.stamps())
      // Those of one millisecond come in any order.
      #expect(try await Set(target.tokens()) == Set(source.tokens()))
      #expect(try await target.tokens().count(where: \.isRevoked) == 1)
      await #expect(throws: TableError.self) { try await source.insert("late", "{}") }
      #expect(try await target.insert("new", "{}").updatedAt > written.rows.map(\.updatedAt).max()!)
      let state = try await source.state()
      await #expect(throws: StoreCopy.Refusal.sourceIsNotOpen(state)) {
        try await StoreCopy(source, to: target).run()
      }
      try await source.close()
      try await target.close()
    }
  }

  @Test("a store that is one already, or has other rows, is not copied into")
  func refused() async throws {
    try await withTemporaryDirectory { directory in
      let source = try await Self.open(directory + "/a.db")
      try await source.insert("a", "{}")
      for name in ["/b.db", "/a.db"] {
        let used = try await Self.open(directory + name)
        await #expect(throws: StoreCopy.Refusal.targetIsUsed) {
          try await StoreCopy(source, to: used).run()
        }
        try await used.close()
      }
      #expect(try await source.state() == .open)
      try await source.close()
    }
  }

  @Test("of two copies at once one is refused, and a store that is served stays as it is")
  func twice() async throws {
    try await withTemporaryDirectory { directory in
      let source = try await Self.open(directory + "/a.db")
      try await source.insert("a", "{}")
      let target = try await Self.open(directory + "/b.db", copyOf: source.dataset)
      let late = CutStore(store: target) { name, work in
        if name == "removeAll" {
          #expect(try await StoreCopy(source, to: target).run() == 1)
          try await target.insert("served", "{}")
        }
        try await work()
      }
      await #expect(throws: StoreCopy.Refusal.changed) {
        try await StoreCopy(source, to: late).run()
      }
      #expect(try await target.row(id("served"), in: todoitem) != nil)
      #expect(try await target.row(id("a"), in: todoitem) != nil)
      try await target.close()
      try await source.close()
    }
  }

  @Test("a copy that was given up while it runs opens nothing, and can be completed later")
  func givenUp() async throws {
    try await withTemporaryDirectory { directory in
      let source = try await Self.open(directory + "/a.db")
      try await source.insert("a", "{}")
      let target = try await Self.open(directory + "/b.db", copyOf: source.dataset)
      let compared = CutStore(store: source) { name, work in
        // After the comparison, before the source's end.
        if name == "become", case .moving = try await source.state() {
          try await source.become(.open, from: source.state())
          try await source.insert("late", "{}", in: scope("other"))
        }
        try await work()
      }
      await #expect(throws: StoreCopy.Refusal.changed) {
        try await StoreCopy(compared, to: target).run()
      }
      #expect(try await source.state() == .open)
      #expect(try await target.state() != .open)
      #expect(try await StoreCopy(source, to: target).run() == 2)
      #expect(try await target.row(id("late"), in: scope("other")) != nil)
      try await target.close()
      try await source.close()
    }
  }

  @Test("a server goes on until its store is copied; then it refuses, and another one serves")
  func served() async throws {
    try await withTemporaryDirectory { directory in
      let (from, to) = (directory + "/a.db", directory + "/b.db")
      let server = try await ServerProcess.start(["--no-auth", "--store", from])
      let path = "/tables/todoitem"
      let json = ["Content-Type: application/json"]
      #expect(try await server.send("POST", path, json, #"{"id":"a","text":"x"}"#).status == 201)
      let row = try await server.send("GET", path + "/a").body
      let (words, status) = try await ServerProcess.run(["copy", from, to])
      #expect(status == 0)
      #expect(words == "copied 1 rows: serve \(to), no longer \(from)\n")
      #expect(try await server.send("POST", path, json, "{}").status == 503)
      var read = 200
      while read == 200 {
        try Task.checkCancellation()
        read = try await server.send("GET", path).status
      }
      #expect(read == 503)
      #expect(try await server.stop(SIGTERM) == 0)
      let second = try await ServerProcess.start(["--no-auth", "--store", to])
      #expect(try await second.send("GET", path + "/a").body == row)
      #expect(try await second.stop(SIGTERM) == 0)
    }
  }

  @Test("what a store's state forbids is said with the way on")
  func said() async throws {
    try await withTemporaryDirectory { directory in
      let (from, to) = (directory + "/a.db", directory + "/b.db")
      let source = try SQLiteItemStore(path: from)
      let target = try SQLiteItemStore(path: to, copyOf: source.dataset)
      guard case .copying(let copy, _) = try await target.state() else { throw NameError("open") }
      try await target.close()
      try await source.become(.moving(copy), from: .open)
      for (arguments, expected, status) in [
        (
          ["serve", "--store", from],
          "\(from) is being copied and takes no writes: 'tsync-server copy \(from) TO'", 8
        ),
        (["token", "list", "--store", to], "run 'tsync-server copy FROM \(to)' again", 8),
        (["copy", "--stop", from], "", 0),
        (["copy", "--stop", from], "\(from) is not being copied", 8),
        (["copy", "--stop", from, to], "--stop takes FROM alone", 2),
        (["copy", from], "copy needs FROM and TO", 2),
        (["copy", from, "memory"], "a store in memory can't be copied", 2),
        (["copy", from + "x", to], "there is no store \(from)x", 8),
        (["copy", from, to], "", 0),
        (["copy", from, to], "\(from) was copied to another store", 8),
        (["serve", "--store", from], "\(from) was copied to another store: serve that one", 8),
        (["check", "--store", from], "\(from) was copied to another store", 8),
        (["check", "--store", to], "", 0),
      ] as [([String], String, Int32)] {
        let (words, ended) = try await ServerProcess.run(arguments, standardError: true)
        #expect(ended == status, "\(arguments): \(words)")
        #expect(words.contains(expected) || expected.isEmpty, "\(arguments): \(words)")
        #expect(words.split(separator: "\n").count <= 2, "\(words)")
      }
      try await source.close()
    }
  }

  private static func open(
    _ name: String, copyOf source: Text? = nil
  ) async throws -> any CopiedStore {
    name.contains("://")
      ? try await PostgresStore(url: name, copyOf: source, patience: .seconds(300))
      : try SQLiteItemStore(path: name, copyOf: source)
  }
}

/// The rows that were acknowledged.
private final class Written: Sendable {
  let isOver = Atomic(false)
  private let kept = Mutex<[StoredRow]>([])

  var rows: [StoredRow] { kept.withLock(\.self) }

  func add(_ row: StoredRow) { kept.withLock { $0.append(row) } }
}

/// Ends a copy at a step: at even ones before it is done, at odd ones after.
private final class Cutter: Sendable {
  struct Cut: Error {}

  private let step: Int
  private let count = Atomic(0)

  init(at step: Int) { self.step = step }

  func run<Result>(_ work: () async throws -> Result) async throws -> Result {
    let number = count.add(1, ordering: .relaxed).newValue - 1
    if number == step / 2, step.isMultiple(of: 2) { throw Cut() }
    let result = try await work()
    if number == step / 2 { throw Cut() }
    return result
  }
}

/// A store in whose changes a test has a part.
private struct CutStore: CopiedStore {
  let store: any CopiedStore
  /// Carries a change out, or not; the text is the function's name.
  let step: @Sendable (String, () async throws -> Void) async throws -> Void

  var dataset: Text { store.dataset }

  func become(_ state: StoreState, from old: StoreState) async throws {
    try await step("become") { try await store.become(state, from: old) }
  }

  func removeAll(in state: StoreState) async throws {
    try await step("removeAll") { try await store.removeAll(in: state) }
  }

  func fill(
    _ rows: [StoredRow], of scope: Scope, stamp: Stamp, in state: StoreState
  ) async throws {
    try await step("fill") { try await store.fill(rows, of: scope, stamp: stamp, in: state) }
  }

  func add(_ token: AccessToken) async throws {
    try await step("add") { try await store.add(token) }
  }

  func row(_ id: ItemID, in scope: Scope) async throws -> StoredRow? {
    try await store.row(id, in: scope)
  }

  func page(_ request: PageRequest, of scope: Scope) async throws -> Page {
    try await store.page(request, of: scope)
  }

  func transaction(_ writes: [ScopedWrite]) async throws -> [WriteOutcome] {
    try await store.transaction(writes)
  }

  func stamps() async throws -> [Scope: Stamp] { try await store.stamps() }

  func rows(after id: Text, of scope: Scope) async throws -> [ReadRow] {
    try await store.rows(after: id, of: scope)
  }

  func state() async throws -> StoreState { try await store.state() }

  func tokens() async throws -> [AccessToken] { try await store.tokens() }

  func revoke(_ user: Text, at now: Moment) async throws -> Int {
    try await store.revoke(user, at: now)
  }

  func close() async throws { try await store.close() }
}

extension AccessToken {
  fileprivate var isRevoked: Bool { revokedAt != nil }
}
