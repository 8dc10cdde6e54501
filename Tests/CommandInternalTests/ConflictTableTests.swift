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
    _ conflict: Conflict, _ columns: Int, isTerminal: Bool = true,
    title: String = "todoitem/2b9e  Renew passport"
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
      whole, place: "2 of 5", title: Line(title), times: ("10:02", "10:14"),
      on: Invocation.Sink(isTerminal: isTerminal, columns: columns) { _ in }
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

  @Test("a long value in conflict stands whole below its name, at 80 columns")
  func long80() {
    expect(
      Self.landlord, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                  base  client (10:02)  server (10:14)
      ! text
          base    Ask the landlord whether the contract that ends in March can be prol
                  onged until the end of June, and for which rent
          client  Ask the landlord whether the contract that ends in March can be prol
                  onged until the end of July, and for which rent
          server  Ask the landlord whether the contract that ends in March can be prol
                  onged until the end of August, and for which rent
      """)
  }

  @Test("of a very long value the part that differs is shown")
  func paragraph() {
    let same = String(repeating: "the same in all ", count: 100)
    func item(_ end: String) -> Item { Self.item(["text": .string(Text(same + end))]) }
    let conflict = Conflict(base: item("END"), client: item("mine"), server: item("theirs"))
    let lines = Self.lines(conflict, 80)
    #expect(lines.contains { $0.hasSuffix("mine") } && lines.contains { $0.hasSuffix("theirs") })
    #expect(lines.count < 32)
  }

  @Test("of a text of several lines the lines in conflict are shown, at 80 columns")
  func lines80() {
    expect(
      Self.packing, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                  base  client (10:02)  server (10:14)
      ! notes     line 3
          base    charger
          client  two chargers
          server  charger, adapter
        notes     line 8 from server
      """)
  }

  @Test("of objects the members are shown, first those in conflict")
  func members() {
    func item(_ city: JSON, _ zip: JSON, _ geo: JSON) -> Item {
      Self.item(["addr": ["city": city, "zip": zip, "geo": geo], "tags": [zip]])
    }
    let conflict = Conflict(
      base: item("Bern", "1", 1), client: item("Bern", "3", 5), server: item("Wien", "2", 1))
    expect(
      conflict, 80,
      """
      2 of 5 · edited here and on the server
      todoitem/2b9e  Renew passport
                   base   client (10:02)  server (10:14)
      ! addr.zip   1      3               2
        addr.city  Bern   Bern            Wien
        addr.geo   1      5               1
      ! tags       ["1"]  ["3"]           ["2"]
      """)
    expect(
      conflict, 34,
      """
      2 of 5 · edited here and on the
      server
      todoitem/2b9e  Renew passport
        client (10:02), server (10:14)
      ! addr.zip
          base    1
          client  3
          server  2
        addr.city
          base    Bern
          client  Bern
          server  Wien
        addr.geo
          base    1
          client  5
          server  1
      ! tags
          base    ["1"]
          client  ["3"]
          server  ["2"]
      """)
  }

  @Test("of a text without a base each side is shown, eight lines of it from where they differ")
  func added() {
    func item(_ lines: Int, _ last: String) -> Item {
      let lines = (1...lines).map { "line \($0)" } + [last]
      return Self.item(["notes": .string(Text(lines.joined(separator: "\n")))])
    }
    let conflict = Conflict(
      base: Self.item([:]), client: item(2, "mine"), server: item(10, "theirs"))
    let lines = Self.lines(conflict, 80).dropFirst(3).joined(separator: "\n")
    #expect(
      lines == """
        ! notes
            base    -
            client  … 2 equal lines
                    mine
            server  … 2 equal lines
                    line 3
                    line 4
                    line 5
                    line 6
                    line 7
                    line 8
                    line 9
                    line 10
                    … 1 more line
        """)
  }

  @Test("each run that a side changed is shown, with whose lines count")
  func merged() {
    func item(_ lines: String...) -> Item {
      Self.item(["notes": .string(Text(lines.joined(separator: "\n")))])
    }
    let (base, client, server) = (
      item("a", "b", "c", "d", "e", "f", "g"), item("A", "b", "x", "d", "E", "f", "g", ""),
      item("a", "b", "x", "d", "S", "f", "G")
    )
    let merge = FieldMerge(base: base, client: client, server: server, policy: MergePolicy(.server))
    let conflict = Conflict(base: base, client: client, server: server, fields: merge)
    let table = ConflictTable(
      conflict, title: Line("x"), times: (nil, nil), on: Invocation.Sink { _ in })
    #expect(
      table.lines.last?.text
        == "  notes   line 1 from client, line 3 from both, line 5 from server, line 7 from server, "
        + "last line feed from client")
  }

  @Test("only on a terminal something is cut")
  func cut() {
    let (here, there) = (String(repeating: "a", count: 700), String(repeating: "b", count: 90))
    let conflict = Conflict(
      base: Self.item(["text": "x", "notes": "y"]),
      client: Self.item(["text": .string(Text(here))]),
      server: Self.item(["text": "z", "notes": .string(Text(there))]))
    let piped = Self.lines(conflict, 80, isTerminal: false)
    #expect(piped.contains("    client  \(here)") && piped.contains("    server  \(there)"))
    let shown = Self.lines(conflict, 80)
    #expect(shown.contains { $0.hasSuffix("a…") } && !shown.contains { $0.contains("\(there)") })
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
