import SyncModel
import Testing

@Suite("What becomes of an item that both sides touched") struct MergeTests {
  /// The three sides, a policy, and the decision in words.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let base, client, server: String?
    let policy: MergePolicy
    let decision: String

    init(
      _ name: String, _ base: String?, _ client: String?, _ server: String?,
      _ decision: String, _ policy: MergePolicy.Rule = .fields,
      fields: [Text: MergePolicy.Rule] = [:]
    ) {
      testDescription = "\(name) (\(policy.rawValue))"
      (self.base, self.client, self.server) = (base, client, server)
      self.policy = MergePolicy(policy, fields: fields)
      self.decision = decision
    }
  }

  private static let o = #"{"a":1,"b":1}"#
  private static let c = #"{"a":2,"b":1}"#
  private static let s = #"{"a":1,"b":2}"#
  private static let x = #"{"a":3,"b":1}"#

  /// The rows that come out the same by every rule.
  static let simple: [Case] = MergePolicy.Rule.allCases.flatMap { rule in
    [
      Case("nothing anywhere", nil, nil, nil, "settled", rule),
      Case("nothing changed", o, o, o, "settled", rule),
      Case("nothing changed in meaning", o, o, #"{"b":1.0,"a":1,"z":null}"#, "settled", rule),
      Case("the client changed it", o, c, o, "settled", rule),
      Case("the client added it", nil, c, nil, "settled", rule),
      Case("the client deleted it", o, nil, o, "settled", rule),
      Case("both changed it alike", o, c, c, "settled", rule),
      Case("both added it alike", nil, c, c, "settled", rule),
      Case("both deleted it", o, nil, nil, "settled", rule),
      Case("the server changed it", o, o, s, "take \(s)", rule),
      Case("the server added it", nil, nil, s, "take \(s)", rule),
      Case("the server deleted it", o, o, nil, "take nothing", rule),
    ]
  }

  static let meeting: [Case] = [
    Case("apart", o, c, s, #"merged {"a":2,"b":2} [a client, b server]"#),
    Case("apart", o, c, s, "conflict MM a, b", .manual),
    Case("apart", o, c, s, #"merged {"a":2,"b":2} [a client, b server]"#, .client),
    Case("apart", o, c, s, #"merged {"a":2,"b":2} [a client, b server]"#, .server),
    Case("meeting", o, c, x, "conflict MM a"),
    Case("meeting", o, c, x, "conflict MM a", .manual),
    Case("meeting", o, c, x, #"merged {"a":2,"b":1} [a client] server lost"#, .client),
    Case("meeting", o, c, x, #"merged {"a":3,"b":1} [a server] client lost"#, .server),
    Case(
      "added apart", nil, #"{"a":1}"#, #"{"b":1}"#, #"merged {"a":1,"b":1} [a client, b server]"#),
    Case("added apart", nil, #"{"a":1}"#, #"{"b":1}"#, "conflict AA a, b", .manual),
    Case("added, meeting", nil, c, x, "conflict AA a"),
    Case("added, meeting", nil, c, x, "conflict AA a", .manual),
    Case("added, meeting", nil, c, x, #"merged {"a":2,"b":1} [a client] server lost"#, .client),
    Case("added, meeting", nil, c, x, #"merged {"a":3,"b":1} [a server] client lost"#, .server),
    Case("edited here, deleted there", o, c, nil, "conflict MD "),
    Case("edited here, deleted there", o, c, nil, "conflict MD ", .manual),
    Case("edited here, deleted there", o, c, nil, "merged \(c) []", .client),
    Case("edited here, deleted there", o, c, nil, "merged nothing [] client lost", .server),
    Case("deleted here, edited there", o, nil, s, "conflict DM "),
    Case("deleted here, edited there", o, nil, s, "conflict DM ", .manual),
    Case("deleted here, edited there", o, nil, s, "merged nothing [] server lost", .client),
    Case("deleted here, edited there", o, nil, s, "merged \(s) []", .server),
    Case(
      "a rule for the field", o, c, x, #"merged {"a":3,"b":1} [a server] client lost"#,
      fields: ["a": .server]),
    Case("a rule for another field", o, c, x, "conflict MM a", fields: ["b": .server]),
    Case(
      "a manual field apart from a change", o, c, s, #"merged {"a":2,"b":2} [a client, b server]"#,
      fields: ["c": .manual]),
    Case(
      "a manual field that only the client changed", o, c, s,
      #"merged {"a":2,"b":2} [a client, b server]"#, fields: ["a": .manual]),
    Case(
      "a manual field that only the server changed", o, c, s,
      #"merged {"a":2,"b":2} [a client, b server]"#, fields: ["b": .manual]),
    Case("a manual field that meets", o, c, x, "conflict MM a", .server, fields: ["a": .manual]),
    Case(
      "a rule for a field where an item is gone", o, c, nil, "conflict MD ", fields: ["a": .client]),
  ]

  @Test("by every rule alike", arguments: simple)
  func anyRule(_ row: Case) throws { try check(row) }

  @Test("what a deleted row held last comes back with the client's item, by its rule")
  func revives() throws {
    let merge = Merge(
      base: try Item(text: Self.o), client: try Item(text: Self.c), server: nil,
      last: try Item(text: Self.s), policy: MergePolicy(.client))
    #expect(words(merge) == #"merged {"a":2,"b":2} []"#)
  }

  @Test("by the rule", arguments: meeting)
  func byRule(_ row: Case) throws { try check(row) }

  private func check(_ row: Case) throws {
    let merge = Merge(
      base: try row.base.map { try Item(text: $0) },
      client: try row.client.map { try Item(text: $0) },
      server: try row.server.map { try Item(text: $0) }, policy: row.policy)
    #expect(words(merge) == row.decision)
  }

  private func words(_ merge: Merge) -> String {
    func text(_ item: Item?) -> String {
      item.map { String(decoding: JSON.object($0.fields).encoded(), as: UTF8.self) } ?? "nothing"
    }
    switch merge {
    case .settled: return "settled"
    case .takeServer(let item): return "take \(text(item))"
    case .merged(let item, let report):
      let fields = report.fields.map { "\($0.name) \($0.source)" }.joined(separator: ", ")
      let lost =
        (report.clientLost ? " client lost" : "") + (report.serverLost ? " server lost" : "")
      return "merged \(text(item)) [\(fields)]\(lost)"
    case .conflict(let conflict):
      let names = conflict.names.map(\.string).joined(separator: ", ")
      return "conflict \(conflict.kind.rawValue) \(names)"
    }
  }

  @Test("a conflict holds the three sides as they are")
  func sides() throws {
    let (base, client, server) = (
      try Item(text: Self.o), try Item(text: Self.c), try Item(text: Self.x)
    )
    guard case .conflict(let conflict) = Merge(base: base, client: client, server: server) else {
      Issue.record("no conflict")
      return
    }
    #expect(conflict.base == base && conflict.client == client && conflict.server == server)
    #expect(conflict.fields == FieldMerge(base: base, client: client, server: server))
    guard case .conflict(let gone) = Merge(base: base, client: client, server: nil) else {
      Issue.record("no conflict")
      return
    }
    #expect(gone.base == base && gone.client == client && gone.server == nil && gone.fields == nil)
  }
}
