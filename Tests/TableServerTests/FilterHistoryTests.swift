import SQLiteStore
import SyncModel
import TableServer
import TestSupport
import Testing

/// Filters made by chance: SQL and Swift must come to the same.
@Suite struct FilterHistoryTests {
  /// Draws filters.
  struct Chance: RandomNumberGenerator {
    private var random: SplitMix64

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int.random(in: elements.indices, using: &self)]
    }

    mutating func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &self) {
      case 0:
        return pick(["a", "A", "b", "B", "c/d", "C/d", "id", "ID", "deleted", "Deleted", "e", "E"])
      case 1: return pick(["1", "-2", "2.5", "'x'", "'Xy'", "''", "null", "true", "1e3", "'2'"])
      case 2:
        return pick(["0", "3", "'é'", "'2026-03-01T10:00:00Z'", "9223372036854775807", "09:52:35"])
      case 3:
        let function = pick([
          "length", "tolower", "toupper", "trim", "round", "floor", "year", "hour",
        ])
        return "\(function)(\(value(depth - 1)))"
      case 4:
        let function = pick(["concat", "indexof", "contains", "startswith", "endswith"])
        return "\(function)(\(value(depth - 1)),\(value(depth - 1)))"
      default:
        return
          "(\(value(depth - 1)) \(pick(["add", "sub", "mul", "div", "mod"])) \(value(depth - 1)))"
      }
    }

    mutating func condition(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 5 : 2), using: &self) {
      case 0, 1:
        return "\(value(2)) \(pick(["eq", "ne", "gt", "ge", "lt", "le"])) \(value(2))"
      case 2: return "not (\(condition(depth - 1)))"
      case 3: return "(\(condition(depth - 1)) and \(condition(depth - 1)))"
      default: return "(\(condition(depth - 1)) or \(condition(depth - 1)))"
      }
    }

    mutating func json() -> String {
      let values = [
        "null", "true", "false", "0", "1", "-2", "2.5", "3.0", "1e3", "9223372036854775807",
        "9223372036854775808", "-0", "\"x\"", "\"Xy\"", "\" é \"", "\"\"", "\"2\"",
        "\"a\\\"b\\\\c\"",
        "\"2026-03-01T10:00:00.5Z\"", "[1,2]", "{\"d\":1}", "{\"d\":\"x\"}", "{}",
        "\"a\\u0000b\"", "\"09:52:35.000\"", "\"10:00\"",
      ]
      // Names in both cases, in any order, as objects in an item can have them.
      let names = ["a", "b", "c", "e", "A", "B", "C", "E"].shuffled(using: &self)
        .filter { _ in Bool.random(using: &self) }
      return "{\(names.map { "\"\($0)\":\(pick(values))" }.joined(separator: ","))}"
    }
  }

  @Test("a filter made by chance finds the same rows in SQLite and in memory", arguments: 0..<60)
  func agree(seed: Int) async throws {
    var chance = Chance(seed: UInt64(seed))
    let memory = MemoryItemStore()
    try await withTemporaryDirectory { directory in
      let sqlite = try SQLiteItemStore(path: directory + "/items.db")
      for number in 10..<40 {
        let json = chance.json()
        try await memory.insert("i\(number)", json)
        try await sqlite.insert("i\(number)", json)
      }
      for _ in 0..<40 {
        let filter = chance.condition(3)
        guard let parsed = try? ODataFilter(Text(filter)) else { continue }
        var request = PageRequest()
        request.filter = parsed
        request.order = [.init(.member(["a"]), isDescending: Bool.random(using: &chance))]
        request.includesDeleted = true
        let expected = try await memory.page(request, of: todoitem).rows().map(\.id)
        let found = try await sqlite.page(request, of: todoitem).rows().map(\.id)
        #expect(found == expected, "seed \(seed): \(filter)")
      }
      try await sqlite.close()
    }
  }
}
