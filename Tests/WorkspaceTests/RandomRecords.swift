import SyncEngine
import SyncModel
import TestSupport

/// Random records of the journal, by a seed.
struct RandomRecords {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  private static let texts: [Text] = [
    "a", "", "buy milk", "e\u{301}", "\u{e9}", "\"}{,\\", "line\nend\r\n", "\u{0}\u{7F}\u{202E}",
    "\u{1F95B}", "%2F../x",
  ]

  mutating func text() -> Text { Self.texts[numbers.below(Self.texts.count)] }

  mutating func key() throws -> ItemKey {
    let ids: [Text] = ["a", "../x", "e\u{301}", "\u{e9}", "7f3a2c1e", "x y", "\"", "-rf"]
    return ItemKey(
      try TableName(["todoitem", "other", "_t9"][numbers.below(3)]),
      try ItemID(ids[numbers.below(ids.count)]))
  }

  mutating func json(depth: Int = 2) -> JSON {
    switch numbers.below(depth > 0 ? 7 : 5) {
    case 0: return .null
    case 1: return .bool(numbers.once(in: 2))
    case 2:
      return .number(
        JSONNumber(["1.50", "-0", "1e400", "12345678901234567890"][numbers.below(4)])
          ?? JSONNumber(1))
    case 3, 4: return .string(text())
    case 5: return .array((0..<numbers.below(3)).map { _ in json(depth: depth - 1) })
    default: return .object(object(depth: depth - 1))
    }
  }

  private mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<numbers.below(4) {
      let name = text()
      if object[name] == nil { object.append(name, json(depth: depth)) }
    }
    return object
  }

  mutating func item() -> Item { Item(object(depth: 2)) }

  mutating func digest() -> Digest? {
    numbers.once(in: 3) ? nil : Digest(of: [UInt8(numbers.below(256))])
  }

  mutating func row(_ id: ItemID) -> Row {
    if numbers.once(in: 5) { return .gone(id) }
    return Row(
      id: id, item: item(), version: Version(["AAAA=", "1", "\"q\""][numbers.below(3)]),
      updatedAt: numbers.once(in: 4) ? nil : Timestamp(ticks: Int64(numbers.below(1 << 40))),
      createdAt: numbers.once(in: 2) ? nil : "2026-01-01T00:00:00Z", deleted: numbers.once(in: 3))
  }

  private mutating func kind() -> Operation.Kind {
    Operation.Kind.allCases[numbers.below(Operation.Kind.allCases.count)]
  }

  private mutating func request() -> Request {
    let bodies: [[UInt8]?] = [
      nil, [], Array("{\"a\":\"é\"}\n".utf8), [0xFF, 0, 0x80], [0xC3], [0],
    ]
    return Request(
      method: ["POST", "PATCH"][numbers.below(2)], target: "tables/" + text().string,
      headers: (0..<numbers.below(3)).map { _ in .init("If-Match", "\"\(text())\"") },
      body: bodies[numbers.below(bodies.count)])
  }

  /// Returns a record of one of the nine kinds of lines.
  mutating func record(_ number: Int) throws -> JournalRecord {
    let key = try key()
    switch number % 9 {
    case 0:
      let successor = numbers.once(in: 2) ? nil : try self.key()
      return .noted(
        key,
        Note(
          kind: kind(), commanded: numbers.once(in: 2), successor: successor,
          hasArrived: successor != nil && numbers.once(in: 2)))
    case 1:
      return .intent(
        Intent(
          key: key, kind: kind(), request: request(),
          version: numbers.once(in: 3) ? nil : Version("AAAA"),
          item: numbers.once(in: 3) ? nil : item(), digest: digest(), attempt: numbers.below(6)))
    case 2: return .result(key, numbers.once(in: 3) ? nil : row(key.id))
    case 3:
      return .rejected(
        key,
        Rejection(
          kind: kind(), refusal: Refusal(status: 400 + numbers.below(200), words: text()),
          digest: digest(), tries: numbers.below(9), time: Int64(numbers.below(1 << 40))))
    case 4:
      return .conflict(
        key,
        OpenConflict(
          kind: Conflict.Kind.allCases[numbers.below(4)],
          fields: (0..<numbers.below(3)).map { _ in text() }, digest: digest(),
          server: row(key.id)))
    case 5:
      return .resolve(
        key,
        Resolution(
          item: numbers.once(in: 2) ? nil : item(), digest: digest(), server: row(key.id),
          copy: numbers.once(in: 2) ? nil : try self.key(),
          client: numbers.once(in: 2) ? nil : item()))
    case 6: return .purge(key.table)
    case 7:
      let subjects: [JournalRecord.Subject] = [
        .operation(key), .intent(key), .conflict(key), .resolution(key),
      ]
      return .closed(subjects[numbers.below(4)])
    default: return .closed(.purge(key.table))
    }
  }
}
