import Foundation
import PostgresStore
import SQLiteStore
import SyncModel
import TableServer
import Testing

/// Requests made by chance, which all stores must answer alike, to the byte.
@Suite struct StoreModelTests {
  private typealias Chance = FilterHistoryTests.Chance

  /// How many requests; the campaign asks more.
  private static let count =
    ProcessInfo.processInfo.environment["TSYNC_STORE_REQUESTS"].flatMap { Int($0) } ?? 2_000

  @Test("all stores answer requests made by chance alike", arguments: [UInt64(20_261_128)])
  func agree(seed: UInt64) async throws {
    var chance = Chance(seed: seed)
    let clock = FakeClock(1_700_000_000_000)
    var differ = 0
    let plain = MemoryItemStore(now: clock.now, salt: { 0 })
    try await StoreKind.sqlite.withStore(now: clock.now) { sqlite in
      var others = [sqlite]
      let url = try PostgresCluster.shared?.url()
      let postgres = try await url.asyncMap {
        try await PostgresStore(url: $0, now: clock.now, salt: { 0 })
      }
      if let postgres { others.append(postgres) }
      for number in 0..<Self.count {
        clock.set(1_700_000_000_000 + Int64(number) * 2 + Int64(chance.pick([0, 1, 2])))
        let request = chance.request()
        let expected = try await request.answer(of: plain)
        for other in others {
          let answer = try await request.answer(of: other)
          if answer != expected { differ += 1 }
          #expect(answer == expected, "seed \(seed), request \(number): \(request)")
        }
      }
      try await postgres?.close()
    }
    print("stores: \(Self.count) requests, seed \(seed), \(differ) differ")
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(
    _ transform: (Wrapped) async throws -> Result
  ) async rethrows -> Result? {
    guard let value = self else { return nil }
    return try await transform(value)
  }
}

/// A request to a store.
private enum StoreRequest {
  case write([ScopedWrite])
  case row(ItemID, Scope)
  case page(PageRequest, Scope)

  enum Answer: Equatable {
    case outcomes([WriteOutcome])
    case row(StoredRow?)
    case page(Page)
  }

  func answer(of store: any ItemStore) async throws -> Answer {
    switch self {
    case .write(let writes): .outcomes(try await store.transaction(writes))
    case .row(let id, let scope): .row(try await store.row(id, in: scope))
    case .page(let request, let scope): .page(try await store.page(request, of: scope))
    }
  }
}

extension FilterHistoryTests.Chance {
  fileprivate mutating func request() -> StoreRequest {
    let scope = scope("todoitem", owner: Text(pick(["", "", "ann"])))
    switch Int.random(in: 0..<10, using: &self) {
    case 0..<5:
      let count = Int.random(in: 1...5, using: &self)
      return .write((0..<count).map { _ in ScopedWrite(write(), in: scope) })
    case 5: return .row(id(name()), scope)
    default: return .page(page(), scope)
    }
  }

  private mutating func name() -> String {
    "\(pick(["a", "B", "é", "z "]))\(Int.random(in: 0..<12, using: &self))"
  }

  private mutating func write() -> RowWrite {
    let members = (try? TableServerTests.members(json())) ?? JSONObject()
    var write = RowWrite(
      pick([
        .insert(members), .insert(members), .merge(members), .replace(members), .delete, .undelete,
      ]),
      id(name()))
    write.revives = pick([false, true])
    write.includesDeleted = pick([false, true])
    if pick([false, false, true]) {
      let count = Int64.random(in: 1..<200, using: &self)
      write.precondition = Precondition(match: Stamp(moment: .now, count: count).version)
    }
    return write
  }

  private mutating func page() -> PageRequest {
    var request = PageRequest()
    let moment = 1_700_000_000_000 + Int64.random(in: 0..<5_000, using: &self)
    let filters = [
      condition(2), "id eq '\(name())'", "id eq '\(name())' or id eq '\(name())'",
      "id gt '\(name())'", "updatedAt ge datetimeoffset'\(Moment(milliseconds: moment))'",
      "updatedAt lt datetimeoffset'\(Moment(milliseconds: moment))' and (\(condition(1)))",
      "id ne '\(name())' and updatedAt gt datetimeoffset'\(Moment(milliseconds: moment))'",
    ]
    request.filter = pick([nil, try? ODataFilter(Text(pick(filters)))])
    let columns: [RowColumn] = [.id, .updatedAt, .updatedAt, .createdAt, .deleted, .member(["a"])]
    request.order = (0..<Int.random(in: 0...2, using: &self)).map { _ in
      .init(pick(columns), isDescending: pick([false, true]))
    }
    request.offset = pick([0, 0, 1, 3, 50])
    request.limit = pick([1, 3, 10, 1_000])
    request.includesDeleted = pick([false, true])
    request.countsAll = pick([false, true])
    return request
  }
}
