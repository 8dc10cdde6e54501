import SyncModel
import Testing

@Suite("Merging of fields") struct FieldMergeTests {
  /// Three items, the merged one, and what became of each field that somebody changed.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let base: String?
    let client, server, merged, fields: String
    let policy: MergePolicy

    init(
      _ name: String, _ base: String?, client: String, server: String, merged: String,
      _ fields: String, _ policy: MergePolicy = MergePolicy()
    ) {
      testDescription = name
      (self.base, self.client, self.server) = (base, client, server)
      (self.merged, self.fields, self.policy) = (merged, fields, policy)
    }
  }

  static let scalars: [Case] = [
    Case(
      "nobody changed anything", #"{"a":1}"#, client: #"{"a":1}"#, server: #"{"a":1.0}"#,
      merged: #"{"a":1}"#, ""),
    Case(
      "each changed another field", #"{"a":1,"b":1}"#, client: #"{"a":2,"b":1}"#,
      server: #"{"a":1,"b":2}"#, merged: #"{"a":2,"b":2}"#, "a client, b server"),
    Case(
      "both changed a field alike", #"{"a":1}"#, client: #"{"a":2}"#, server: #"{"a":2.0}"#,
      merged: #"{"a":2}"#, ""),
    Case(
      "both changed a field differently", #"{"a":1}"#, client: #"{"a":2}"#, server: #"{"a":3}"#,
      merged: #"{"a":2}"#, "a disputed"),
    Case(
      "one dispute holds up nothing else", #"{"a":1,"b":1,"c":1}"#,
      client: #"{"a":2,"b":2,"c":1}"#, server: #"{"a":3,"b":1,"c":3}"#,
      merged: #"{"a":2,"b":2,"c":3}"#, "b client, c server, a disputed"),
    Case(
      "both added a field differently", "{}", client: #"{"a":1}"#, server: #"{"a":2}"#,
      merged: #"{"a":1}"#, "a disputed"),
    Case(
      "the server made a field null", #"{"a":1}"#, client: #"{"a":1}"#, server: #"{"a":null}"#,
      merged: "{}", "a server"),
    Case(
      "removed here, null there", #"{"a":1}"#, client: "{}", server: #"{"a":null}"#, merged: "{}",
      ""),
    Case(
      "removed here, changed there", #"{"a":1}"#, client: "{}", server: #"{"a":2}"#, merged: "{}",
      "a disputed"),
    Case(
      "changed here, removed there", #"{"a":1}"#, client: #"{"a":2}"#, server: "{}",
      merged: #"{"a":2}"#, "a disputed"),
    Case(
      "null and absent are the same", #"{"a":null}"#, client: "{}", server: #"{"a":null}"#,
      merged: "{}", ""),
    Case(
      "a null from the server isn't written", "{}", client: #"{"b":1}"#,
      server: #"{"a":null,"b":1}"#, merged: #"{"b":1}"#, ""),
    Case(
      "without a base both are additions", nil, client: #"{"a":1,"b":1}"#,
      server: #"{"a":1,"b":2,"c":3}"#, merged: #"{"a":1,"b":1,"c":3}"#, "c server, b disputed"),
    Case(
      "another type is another value", #"{"a":1}"#, client: #"{"a":"1"}"#, server: #"{"a":[1]}"#,
      merged: #"{"a":"1"}"#, "a disputed"),
    Case(
      "numbers in arrays are one value", #"{"a":[1,2]}"#, client: #"{"a":[0,1,2]}"#,
      server: #"{"a":[1,2,3]}"#, merged: #"{"a":[0,1,2]}"#, "a disputed"),
    Case(
      "an array that one changed", #"{"a":[1,2]}"#, client: #"{"a":[1,2]}"#,
      server: #"{"a":[2,1]}"#, merged: #"{"a":[2,1]}"#, "a server"),
    Case(
      "texts of one line are one value", #"{"a":"x y"}"#, client: #"{"a":"xx y"}"#,
      server: #"{"a":"x yy"}"#, merged: #"{"a":"xx y"}"#, "a disputed"),
    Case(
      "names that only look alike", "{\"\u{E9}\":1}", client: "{\"\u{E9}\":1,\"e\u{301}\":1}",
      server: "{\"\u{E9}\":2}", merged: "{\"\u{E9}\":2,\"e\u{301}\":1}",
      "\u{E9} server, e\u{301} client"),
    Case(
      "system fields are no fields", #"{"a":1}"#, client: #"{"a":1,"version":"x"}"#,
      server: #"{"a":1,"version":"y","deleted":false}"#, merged: #"{"a":1}"#, ""),
  ]

  static let nested: [Case] = [
    Case(
      "members of one object", #"{"o":{"a":1,"b":1}}"#, client: #"{"o":{"a":2,"b":1}}"#,
      server: #"{"o":{"a":1,"b":2}}"#, merged: #"{"o":{"a":2,"b":2}}"#, "o both"),
    Case(
      "members of objects within", #"{"o":{"p":{"a":1,"b":1}}}"#,
      client: #"{"o":{"p":{"a":2,"b":1}}}"#, server: #"{"o":{"p":{"a":1,"b":2}}}"#,
      merged: #"{"o":{"p":{"a":2,"b":2}}}"#, "o both"),
    Case(
      "one member, differently", #"{"o":{"a":1,"b":1}}"#, client: #"{"o":{"a":2,"b":1}}"#,
      server: #"{"o":{"a":3,"b":2}}"#, merged: #"{"o":{"a":2,"b":2}}"#, "o.a disputed"),
    Case(
      "one member, alike, and another", #"{"o":{"a":1,"b":1}}"#, client: #"{"o":{"a":2,"b":1}}"#,
      server: #"{"o":{"a":2,"b":2}}"#, merged: #"{"o":{"a":2,"b":2}}"#, "o both"),
    Case(
      "each added a member", #"{"o":{}}"#, client: #"{"o":{"a":1}}"#, server: #"{"o":{"b":2}}"#,
      merged: #"{"o":{"a":1,"b":2}}"#, "o both"),
    Case(
      "both added a member, differently", #"{"o":{}}"#, client: #"{"o":{"a":1}}"#,
      server: #"{"o":{"a":2}}"#, merged: #"{"o":{"a":1}}"#, "o.a disputed"),
    Case(
      "each removed a member", #"{"o":{"a":1,"b":1,"c":1}}"#, client: #"{"o":{"b":1,"c":1}}"#,
      server: #"{"o":{"a":1,"c":1}}"#, merged: #"{"o":{"c":1}}"#, "o both"),
    Case(
      "a member removed here, changed there", #"{"o":{"a":1,"b":1}}"#, client: #"{"o":{"b":2}}"#,
      server: #"{"o":{"a":2,"b":1}}"#, merged: #"{"o":{"b":2}}"#, "o.a disputed"),
    Case(
      "a member changed here, removed there", #"{"o":{"a":1,"b":1}}"#,
      client: #"{"o":{"a":2,"b":1}}"#, server: #"{"o":{"b":2}}"#, merged: #"{"o":{"a":2,"b":2}}"#,
      "o.a disputed"),
    Case(
      "within an object null is a value", #"{"o":{"a":1,"b":1}}"#,
      client: #"{"o":{"a":null,"b":1}}"#, server: #"{"o":{"b":1}}"#,
      merged: #"{"o":{"a":null,"b":1}}"#, "o.a disputed"),
    Case(
      "null for one member, a change of another", #"{"o":{"a":1,"b":1}}"#,
      client: #"{"o":{"a":null,"b":1}}"#, server: #"{"o":{"a":1,"b":2}}"#,
      merged: #"{"o":{"a":null,"b":2}}"#, "o both"),
    Case(
      "both added an object", "{}", client: #"{"o":{"a":1}}"#, server: #"{"o":{"b":2}}"#,
      merged: #"{"o":{"a":1,"b":2}}"#, "o both"),
    Case(
      "objects in the place of a text", #"{"o":"Rome"}"#, client: #"{"o":{"lat":41.9}}"#,
      server: #"{"o":{"street":"Via"}}"#, merged: #"{"o":{"lat":41.9}}"#, "o disputed"),
    Case(
      "objects in the place of a member's null", #"{"o":{"p":null}}"#,
      client: #"{"o":{"p":{"a":1}}}"#, server: #"{"o":{"p":{"b":2}}}"#,
      merged: #"{"o":{"p":{"a":1}}}"#, "o.p disputed"),
    Case(
      "objects that both added within an object", #"{"o":{}}"#,
      client: #"{"o":{"p":{"a":1}}}"#, server: #"{"o":{"p":{"b":2}}}"#,
      merged: #"{"o":{"p":{"a":1,"b":2}}}"#, "o both"),
    Case(
      "an object here, a text there", #"{"o":{"a":1}}"#, client: #"{"o":{"a":2}}"#,
      server: #"{"o":"x"}"#, merged: #"{"o":{"a":2}}"#, "o disputed"),
    Case(
      "arrays within objects are one value", #"{"o":{"l":[1]}}"#, client: #"{"o":{"l":[1,2]}}"#,
      server: #"{"o":{"l":[1,3]}}"#, merged: #"{"o":{"l":[1,2]}}"#, "o.l disputed"),
    Case(
      "objects without ids in arrays are one value", #"{"l":[{"a":1,"b":1}]}"#,
      client: #"{"l":[{"a":2,"b":1}]}"#,
      server: #"{"l":[{"a":1,"b":2}]}"#, merged: #"{"l":[{"a":2,"b":1}]}"#, "l disputed"),
    Case(
      "lines of one text", #"{"t":"a\nb\nc\n"}"#, client: #"{"t":"A\nb\nc\n"}"#,
      server: #"{"t":"a\nb\nC\n"}"#, merged: #"{"t":"A\nb\nC\n"}"#, "t both"),
    Case(
      "lines that touch", #"{"t":"a\nb\nc\n"}"#, client: #"{"t":"A\nb\nc\n"}"#,
      server: #"{"t":"a\nB\nc\n"}"#, merged: #"{"t":"A\nb\nc\n"}"#, "t disputed"),
    Case(
      "lines of a text within an object", #"{"o":{"t":"a\nb\nc"}}"#,
      client: #"{"o":{"t":"A\nb\nc"}}"#, server: #"{"o":{"t":"a\nb\nC"}}"#,
      merged: #"{"o":{"t":"A\nb\nC"}}"#, "o both"),
    Case(
      "texts that both added have no lines in common", "{}", client: #"{"t":"a\nb\n"}"#,
      server: #"{"t":"a\nc\n"}"#, merged: #"{"t":"a\nb\n"}"#, "t disputed"),
  ]

  private static let dispute = (
    base: #"{"a":1,"b":1,"c":1}"#, client: #"{"a":2,"b":2,"c":1}"#,
    server: #"{"a":3,"b":1,"c":3}"#
  )

  static let policies: [Case] = [
    Case(
      "client", dispute.base, client: dispute.client, server: dispute.server,
      merged: #"{"a":2,"b":2,"c":3}"#, "a client, b client, c server, server lost",
      MergePolicy(.client)),
    Case(
      "server", dispute.base, client: dispute.client, server: dispute.server,
      merged: #"{"a":3,"b":2,"c":3}"#, "a server, b client, c server, client lost",
      MergePolicy(.server)),
    Case(
      "manual", dispute.base, client: dispute.client, server: dispute.server,
      merged: #"{"a":2,"b":2,"c":1}"#, "a disputed, b disputed, c disputed", MergePolicy(.manual)),
    Case(
      "a field's rule goes before the table's", dispute.base, client: dispute.client,
      server: dispute.server, merged: #"{"a":3,"b":2,"c":3}"#,
      "a server, b client, c server, client lost", MergePolicy(.fields, fields: ["a": .server])),
    Case(
      "a manual field", dispute.base, client: dispute.client, server: dispute.server,
      merged: #"{"a":2,"b":2,"c":3}"#, "b client, c server, a disputed",
      MergePolicy(.server, fields: ["a": .manual])),
    Case(
      "a manual field that only the client changed", dispute.base, client: dispute.client,
      server: dispute.server, merged: #"{"a":2,"b":2,"c":3}"#,
      "b client, c server, a disputed", MergePolicy(fields: ["b": .manual])),
    Case(
      "a manual field that only the server changed", dispute.base, client: dispute.client,
      server: dispute.server, merged: #"{"a":2,"b":2,"c":3}"#,
      "b client, c server, a disputed", MergePolicy(fields: ["c": .manual])),
    Case(
      "a manual field, where lines would merge", #"{"t":"a\nb\nc\n"}"#,
      client: #"{"t":"A\nb\nc\n"}"#, server: #"{"t":"a\nb\nC\n"}"#,
      merged: #"{"t":"A\nb\nc\n"}"#, "t disputed", MergePolicy(fields: ["t": .manual])),
    Case(
      "a field with a rule in a manual table", dispute.base, client: dispute.client,
      server: dispute.server, merged: #"{"a":3,"b":2,"c":1}"#,
      "a server, b disputed, c disputed, client lost",
      MergePolicy(.manual, fields: ["a": .server])),
    Case(
      "all but one field by themselves", #"{"a":1,"b":1}"#, client: #"{"a":2,"b":2}"#,
      server: #"{"a":3,"b":3}"#, merged: #"{"a":2,"b":2}"#, "b client, a disputed, server lost",
      MergePolicy(.client, fields: ["a": .fields])),
    Case(
      "client, removed there", #"{"a":1}"#, client: #"{"a":2}"#, server: "{}",
      merged: #"{"a":2}"#, "a client, server lost", MergePolicy(.client)),
    Case(
      "server, removed there", #"{"a":1}"#, client: #"{"a":2}"#, server: "{}", merged: "{}",
      "a server, client lost", MergePolicy(.server)),
    Case(
      "server, changed there and removed here", #"{"a":1}"#, client: "{}", server: #"{"a":2}"#,
      merged: #"{"a":2}"#, "a server, client lost", MergePolicy(.server)),
    Case(
      "client, and nothing in dispute", #"{"a":1,"b":1}"#, client: #"{"a":2,"b":1}"#,
      server: #"{"a":1,"b":2}"#, merged: #"{"a":2,"b":2}"#, "a client, b server",
      MergePolicy(.client)),
    Case(
      "server, where lines merge", #"{"t":"a\nb\nc\n"}"#, client: #"{"t":"A\nb\nc\n"}"#,
      server: #"{"t":"a\nb\nC\n"}"#, merged: #"{"t":"A\nb\nC\n"}"#, "t both",
      MergePolicy(.server)),
    Case(
      "manual, where lines would merge", #"{"t":"a\nb\nc\n"}"#, client: #"{"t":"A\nb\nc\n"}"#,
      server: #"{"t":"a\nb\nC\n"}"#, merged: #"{"t":"A\nb\nc\n"}"#, "t disputed",
      MergePolicy(.manual)),
    Case(
      "manual, and both alike", #"{"a":1}"#, client: #"{"a":2}"#, server: #"{"a":2}"#,
      merged: #"{"a":2}"#, "", MergePolicy(.manual)),
  ]

  @Test("single values", arguments: scalars)
  func scalar(_ row: Case) throws { try check(row) }

  @Test("values with parts", arguments: nested)
  func parts(_ row: Case) throws { try check(row) }

  @Test("rules", arguments: policies)
  func rules(_ row: Case) throws { try check(row) }

  private func check(_ row: Case) throws {
    let merge = FieldMerge(
      base: try row.base.map { try Item(text: $0) }, client: try Item(text: row.client),
      server: try Item(text: row.server), policy: row.policy)
    #expect(merge.item() == (try Item(text: row.merged)))
    var told = merge.merged.map { "\($0.name) \($0.source)" }
    told += merge.disputes.map { "\($0.path) disputed" }
    if merge.clientLost { told.append("client lost") }
    if merge.serverLost { told.append("server lost") }
    #expect(Text(told.joined(separator: ", ")) == Text(row.fields))
  }

  @Test("a dispute holds the three values, nothing for absent")
  func values() throws {
    let merge = FieldMerge(
      base: try Item(text: #"{"a":1,"c":1}"#), client: try Item(text: #"{"b":3,"a":2}"#),
      server: try Item(text: #"{"c":3,"b":4,"a":null}"#))
    #expect(merge.disputes.map(\.path.text) == ["b", "a", "c"])
    #expect(merge.disputes.map(\.values.base) == [nil, 1, 1])
    #expect(merge.disputes.map(\.values.client) == [3, 2, nil])
    #expect(merge.disputes.map(\.values.server) == [4, nil, 3])
  }

  @Test("the merged item has the client's order, then the server's")
  func order() throws {
    let merge = FieldMerge(
      base: try Item(text: #"{"a":1,"b":1}"#), client: try Item(text: #"{"b":2,"a":1}"#),
      server: try Item(text: #"{"n":1,"a":3,"b":1,"m":1}"#))
    #expect(merge.item().fields.members.map(\.name) == ["b", "a", "n", "m"])
  }
}
