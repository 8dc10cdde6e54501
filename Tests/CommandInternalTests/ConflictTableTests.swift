import CommandSupport
import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite("The view of a conflict")
struct ConflictTableTests {
  static let passport = Conflict(
    base: item(["text": "Renew passport", "due": "2026-02-27"]),
    client: item(["text": "Renew passport", "due": "2026-03-03"]),
    server: item(["text": "Renew passport", "due": "2026-03-10", "notes": "bring photos"]))

  private static func letter(_ month: String) -> Item {
    item([
      "text": .string(
        Text(
          "Ask the landlord whether the contract that ends in March can be prolonged until the end "
            + "of \(month), and for which rent"))
    ])
  }
  static let landlord = Conflict(
    base: letter("June"), client: letter("July"), server: letter("August"))

  private static func list(_ lines: String...) -> Item {
    item(["text": "Pack", "notes": .string(Text(lines.joined(separator: "\n")))])
  }
  static let packing = Conflict(
    base: list("passport", "tickets", "charger", "", "for the beach:", "towel", "hat"),
    client: list("passport", "tickets", "two chargers", "", "for the beach:", "towel", "hat"),
    server: list(
      "passport", "tickets", "charger, adapter", "", "for the beach:", "towel", "hat", "sun cream",
      "umbrella", "a ball", "sandals"))

  private static func item(_ members: JSON) -> Item { Item(members.object ?? JSONObject()) }

  static func lines(
    _ conflict: Conflict, _ columns: Int, title: String = "todoitem/2b9e  Renew passport"
  ) -> [String] {
    let fields = conflict.base.flatMap { base in
      conflict.client.flatMap { client in
        conflict.server.map {
          FieldMerge(base: base, client: client, server: $0, policy: MergePolicy())
        }
      }
    }
    let whole = Conflict(
      base: conflict.base, client: conflict.client, server: conflict.server,
      fields: fields)
    return ConflictTable(
      whole, place: "2 of 5", title: Line(title), times: ("10:02", "10:14"), columns: columns
    ).lines.map(\.text)
  }

  private func expect(_ conflict: Conflict, _ columns: Int, _ screen: String) {
    let lines = Self.lines(conflict, columns)
    #expect(lines.joined(separator: "\n") == screen)
    #expect(lines.allSatisfy { Terminal.columns(of: $0) <= columns })
  }

  @Test("edited on both sides, at 80 columns")
  func edited80() {
    expect(
      Self.passport, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                base        client (10:02)  server (10:14)
      ! due     2026-02-27  2026-03-03      2026-03-10
        notes   -           -               bring photos
      """)
  }

  @Test("of a long value the part that differs is shown, at 80 columns")
  func long80() {
    expect(
      Self.landlord, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                base                    client (10:02)          server (10:14)
      ! text    … of June, and for wh…  … of July, and for wh…  … of August, and for …
      """)
  }

  @Test("a text of several lines is shown as a difference, at 80 columns")
  func lines80() {
    expect(
      Self.packing, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                base     client (10:02)  server (10:14)
      ! notes   7 lines  7 lines         11 lines
          base to client:
           tickets
          -charger
          +two chargers

          base to server:
           tickets
          -charger
          +charger, adapter

           …
           hat
          +sun cream
          +umbrella
          … and 2 more
      """)
  }

  @Test("a text that both sides add is compared between them, one that one side adds is shown")
  func added() {
    func text(_ base: JSON?, _ client: JSON?, _ server: JSON?) -> [String] {
      func item(_ value: JSON?) -> Item {
        var object = JSONObject()
        if let value { object.append("notes", value) }
        return Item(object)
      }
      let conflict = Conflict(
        base: item(base), client: item(client), server: item(server))
      return Array(Self.lines(conflict, 80).dropFirst(4))
    }
    #expect(
      text(nil, "a\nb", "a\nc") == ["    client to server:", "     a", "    -b", "    +c"])
    #expect(text(nil, nil, "a\nb") == ["    base to server:", "    +a", "    +b"])
    // What a side has removed is told by its cell.
    #expect(text("a\nb", nil, "a") == ["    base to server:", "     a", "    -b"])
    // A line that is added at the end changes no other line, nor does a line end.
    #expect(text("a", "a\nb", "a") == ["    base to client:", "     a", "    +b"])
    #expect(text("a\nb", "a\nb\n", "c").prefix(3) == ["    base to client:", "     b", "    +"])
  }

  @Test("no line is longer than the terminal, whatever is in conflict")
  func fits() {
    var random = SplitMix64(seed: 59)
    let pieces = ["a", "日本", "e\u{301}", " ", "\n", "\u{1B}", "word ", "👍", "\t", "\r\n"]
    func text() -> Text {
      Text((0..<random.below(60)).map { _ in pieces[random.below(pieces.count)] }.joined())
    }
    for _ in 0..<100 {
      let names = (0..<3).map { _ in text() }
      func item() -> Item? {
        guard random.below(5) > 0 else { return nil }
        var object = JSONObject()
        for name in names where random.below(4) > 0 { object[name] = .string(text()) }
        return Item(object)
      }
      let conflict = Conflict(base: item(), client: item(), server: item())
      for columns in [30, 40, 60, 80, 200] {
        let lines = Self.lines(conflict, columns, title: text().string)
        #expect(lines.allSatisfy { Terminal.columns(of: $0) <= columns })
      }
    }
  }
}
