import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Lists for other programs.
@Suite struct CSVTests {
  @Test("a thousand items of any text come back from their CSV, field by field")
  func readsBack() throws {
    print("texts of seed \(Cuts.seed)")
    var random = SplitMix64(seed: Cuts.seed)
    let pieces = ["\"", ",", "\n", "\r", " ", "a", "é", "e\u{301}", "\u{1B}", "\\", "\u{FEFF}"]
    func text() -> Text {
      Text((0..<random.below(8)).map { _ in pieces[random.below(pieces.count)] }.joined())
    }
    let items = (1_000..<2_000).map { [Text("i\($0)"), text(), text()] }
    let lines = items.map { item -> [UInt8] in
      let members = zip(["id", "text", "notes"] as [Text], item)
      let object = JSONObject(members.map { .init(name: $0, value: .string($1)) })
      return JSON.object(object).encoded() + [0x0A]
    }
    let anna = Person()
    anna.run("init", "list")
    anna.directory.write(Array(lines.joined()), to: "list/items.jsonl")
    #expect(anna.run("new", "-f", "items.jsonl").status == 0)
    let records = try Self.records(Array(anna.run("list", "--csv", "-S", "id").output.utf8))
    #expect(records.count == 1_002 && records.first == ["id", "text", "notes"])
    for (record, item) in zip(records.dropFirst(), items + [[]]) { #expect(record == item) }
  }

  /// Reads records by RFC 4180, but with line feeds as line ends; an empty one follows the last.
  private static func records(_ text: [UInt8]) throws -> [[Text]] {
    let (quote, comma, lineFeed) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\n"))
    var (records, rest): ([[Text]], ArraySlice<UInt8>) = ([[]], text[...])
    while !rest.isEmpty {
      var parts: [ArraySlice<UInt8>] = []
      while rest.first == quote {
        parts.append(rest.dropFirst().prefix { $0 != quote })
        rest = rest.dropFirst(parts[parts.count - 1].count + 2)
      }
      if parts.isEmpty {
        parts = [rest.prefix { ![quote, comma, lineFeed, 0x0D].contains($0) }]
        rest = rest.dropFirst(parts[0].count)
      }
      let field = try #require(Text(validating: Array(parts.joined(separator: [quote]))))
      records[records.count - 1].append(field)
      let end = rest.popFirst()
      guard end == comma || end == lineFeed else { throw TestFailure("'\(field)' has no end") }
      if end == lineFeed { records.append([]) }
    }
    return records
  }
}
