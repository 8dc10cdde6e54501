import SyncEngine
import SyncModel
import Testing

@Suite("Settling doubts by reading the row") struct SettlementTests {
  private static let key = "plain"
  private static let uuid = "8d5e1b0c-6b3f-4e0b-9f3c-0a1b2c3d4e5f"

  /// A write, what reading the row brought, and what it comes to.
  struct Case: CustomTestStringConvertible, Sendable {
    let kind: Operation.Kind
    let row: String?
    let comes: String
    let refusal: Int?
    let disputed: Bool
    let id: String
    let attempt: Int
    let isKnown: Bool

    var testDescription: String {
      let said = refusal.map { disputed ? ", disputed by \($0)" : ", answered \($0)" } ?? ""
      return "\(kind)\(said), attempt \(attempt), \(row ?? "nothing there"), \(id) → \(comes)"
    }

    init(
      _ kind: Operation.Kind, _ row: String?, _ comes: String, answered: Int? = nil,
      disputed: Int? = nil, id: String = SettlementTests.key, attempt: Int = 1,
      isKnown: Bool? = nil
    ) {
      (self.kind, self.row, self.comes, self.id, self.attempt) = (kind, row, comes, id, attempt)
      refusal = answered ?? disputed
      self.disputed = disputed != nil
      self.isKnown = isKnown ?? (kind != .insert)
    }
  }

  // What was sent is {"a":1} over {"a":0,"z":9} of the version v1.
  private static let ours = #"{"a":1,"version":"v2"}"#
  private static let other = #"{"a":2,"version":"v2"}"#
  private static let more = #"{"a":1,"b":0,"version":"v2"}"#
  private static let former = #"{"a":0,"z":9,"version":"v1"}"#
  private static let dead = #"{"a":1,"version":"v2","deleted":true}"#
  private static let formerDead = #"{"a":0,"z":9,"version":"v1","deleted":true}"#
  private static let half = #"{"a":1,"z":9,"version":"v2"}"#

  private static let refused = "what can't be taken"

  static let inserts: [Case] = [
    Case(.insert, nil, "void"),
    Case(.insert, nil, "rejected", answered: 500),
    Case(.insert, nil, "rejected", disputed: 409),
    Case(.insert, dead, "incoming"),
    Case(.insert, dead, "incoming", disputed: 409),
    Case(.insert, ours, "done"),
    Case(.insert, ours, "done", answered: 500),
    Case(.insert, ours, "done", disputed: 409),
    Case(.insert, #"{"z":null,"a":1.0,"version":"v2"}"#, "done", disputed: 409),
    Case(.insert, other, "incoming"),
    Case(.insert, other, "incoming", disputed: 409),
    Case(.insert, other, "incoming", disputed: 409, attempt: 2),
    // Our content with the server's defaults beside it is ours.
    Case(.insert, more, "over ours"),
    Case(.insert, more, "over ours", disputed: 409),
    // An id proves nothing, however random: a copied workspace, a lost base or an old backup has it, too.
    Case(.insert, other, "incoming", id: uuid),
    Case(.insert, other, "incoming", answered: 500, id: uuid),
    Case(.insert, other, "incoming", disputed: 409, id: uuid, attempt: 2),
    Case(.insert, dead, "incoming", disputed: 409, id: uuid, attempt: 2),
    Case(.insert, ours, "done", disputed: 409, id: uuid, attempt: 2),
    Case(.insert, ours, "done", disputed: 409, id: uuid, attempt: 2, isKnown: true),
    // What a server makes of a value is ours; of two values, or beside another change, it isn't.
    Case(.insert, #"{"a":"1","version":"v2"}"#, "done"),
    Case(.insert, #"{"a":"1","b":0,"version":"v2"}"#, "incoming"),
    Case(.insert, #"{"a":"2","version":"v2"}"#, "incoming"),
    // A row that can't be taken tells nothing.
    Case(.insert, refused, "rejected", disputed: 409),
    Case(.insert, refused, "unknown"),
  ]

  static let updates: [Case] = [
    Case(.update, nil, "incoming gone"),
    Case(.update, nil, "incoming gone", answered: 500),
    Case(.update, nil, "incoming gone", disputed: 404),
    Case(.update, dead, "incoming"),
    Case(.update, dead, "incoming", disputed: 410),
    Case(.update, formerDead, "incoming", disputed: 410),
    Case(.update, ours, "done"),
    Case(.update, ours, "done", disputed: 412),
    Case(.update, other, "incoming"),
    Case(.update, other, "incoming", disputed: 412),
    // What was sent with something beside it is ours, changed by the server or by others since; with
    // a part missing it isn't.
    Case(.update, more, "over ours"),
    Case(.update, more, "over ours", disputed: 412),
    Case(.update, half, "incoming", disputed: 412),
    Case(.update, #"{"a":"1","version":"v2"}"#, "done"),
    Case(.update, #"{"a":"1","z":9,"version":"v2"}"#, "incoming"),
    Case(.update, #"{"a":"1","b":0,"version":"v2"}"#, "incoming"),
    Case(.update, former, "void"),
    Case(.update, former, "rejected", answered: 500),
    Case(.update, former, "rejected", disputed: 412),
    Case(.update, #"{"a":1,"version":"v1"}"#, "void"),
    Case(.update, refused, "rejected", disputed: 412),
    Case(.update, refused, "unknown"),
    Case(.update, refused, "unknown", answered: 500),
  ]

  static let deletes: [Case] = [
    Case(.delete, nil, "done without a row"),
    Case(.delete, nil, "done without a row", answered: 500),
    Case(.delete, nil, "done without a row", disputed: 404),
    Case(.delete, dead, "done"),
    Case(.delete, dead, "done", disputed: 412),
    Case(.delete, formerDead, "done", disputed: 410),
    Case(.delete, former, "void"),
    Case(.delete, former, "rejected", answered: 500),
    Case(.delete, former, "rejected", disputed: 412),
    Case(.delete, other, "incoming"),
    Case(.delete, other, "incoming", disputed: 412),
  ]

  static let undeletes: [Case] = [
    Case(.undelete, nil, "incoming gone"),
    Case(.undelete, nil, "incoming gone", disputed: 404),
    Case(.undelete, formerDead, "void"),
    Case(.undelete, formerDead, "rejected", answered: 500),
    Case(.undelete, formerDead, "rejected", disputed: 412),
    Case(.undelete, dead, "incoming"),
    Case(.undelete, dead, "incoming", disputed: 412),
    Case(.undelete, ours, "done"),
    Case(.undelete, ours, "done", disputed: 409),
    Case(.undelete, other, "incoming"),
    Case(.undelete, other, "incoming", disputed: 409),
    Case(.undelete, former, "incoming", disputed: 409),
    Case(.undelete, more, "over ours"),
    Case(.undelete, half, "incoming"),
  ]

  @Test("an insert", arguments: inserts)
  func insert(_ row: Case) throws { try check(row) }

  @Test("an update", arguments: updates)
  func update(_ row: Case) throws { try check(row) }

  @Test("a delete", arguments: deletes)
  func delete(_ row: Case) throws { try check(row) }

  @Test("an undelete", arguments: undeletes)
  func undelete(_ row: Case) throws { try check(row) }

  private func check(_ test: Case) throws {
    let key = ItemKey(try TableName("t"), try ItemID(Text(test.id)))
    let attempt = Attempt(
      key: key, kind: test.kind,
      version: test.kind == .insert ? nil : Version("v1"),
      item: test.kind == .delete ? nil : try Item(text: #"{"a":1}"#), digest: nil,
      tries: test.attempt)
    let isRefused = test.row == Self.refused
    let row = try (isRefused ? nil : test.row).map { text -> Row in
      var object = try JSON(parsing: Array(text.utf8)).object ?? JSONObject()
      object["id"] = .string(key.id.text)
      return try Row(object)
    }
    let refusal = test.refusal.map { Refusal(status: $0, words: "its words", passes: $0 >= 500) }
    let settlement = Settlement(
      attempt, over: test.isKnown ? try Item(text: #"{"a":0,"z":9}"#) : nil,
      reading: isRefused ? .refused("why") : row.map(Reading.row) ?? .absent,
      refusal: refusal)
    switch settlement {
    case .done(let settled):
      #expect(test.comes == (settled == nil ? "done without a row" : "done"))
      #expect(settled == row)
    case .rejected(let told):
      #expect(test.comes == "rejected")
      #expect(told.status == refusal?.status)
      #expect(told.words == (isRefused ? "its words; why" : "its words"))
    case .void: #expect(test.comes == "void")
    case .unknown: #expect(test.comes == "unknown")
    case .incoming(let settled):
      #expect(test.comes == (row == nil ? "incoming gone" : "incoming"))
      #expect(settled == row ?? .gone(key.id))
    case .incomingOverOurs(let settled):
      #expect(test.comes == "over ours")
      #expect(settled == row)
    }
  }

  @Test("what stands for no row is a tombstone without a version")
  func gone() throws {
    let row = Row.gone(try ItemID("x"))
    #expect(row.deleted && row.version == nil && row.updatedAt == nil)
    #expect(Base(row) == .tombstone(row))
  }
}
