import CommandSupport
import Commands
import TestSupport
import Testing

/// What a server writes into its rows.
@Suite("Rows from a hostile server") struct RowContentCases {
  private let table: HostileTable
  private let anna = Person()

  init() throws {
    table = try HostileTable()
  }

  @Test(
    "case 10: a text that would drive a terminal is kept as it is, and shown escaped",
    arguments: [
      (#"\u001b[2J"#, "\\x1b[2J"), ("\u{202E}gpj.exe", "\\u{202e}gpj.exe"),
      ("a\u{200B}b", "a\\u{200b}b"), (#"\u009b31m"#, "\\x9b31m"), ("\u{E0041}", "\\u{e0041}"),
      (#"\u001b]52;c;eA==\u0007"#, "\\x1b]52;c;eA==\\x07"), ("\u{2066}x\u{2069}", "\\u{2066}x"),
    ])
  func isShownEscaped(text: String, shown: String) throws {
    table.put("a", at: 1, #""text":"\#(text)""#)
    let cloned = anna.run("clone", "-v", table.url, "list")
    #expect(cloned.status == 0)
    #expect(cloned.isPrintable)
    for words in [
      ["list"], ["show", "a"], ["list", "--json"], ["show", "--json", "a"], ["status"],
    ] {
      let outcome = anna.run(words)
      #expect(outcome.status == 0)
      #expect(outcome.isPrintable)
    }
    #expect(anna.run("list").output.contains(shown))
    // As the server wrote it, but for an escape that JSON doesn't need.
    let text = text.utf8.elementsEqual(#"\u009b31m"#.utf8) ? "\u{9B}31m" : text
    let item = try #require(anna.directory.read(anna.file("a")))
    #expect(item.split(separator: UInt8(ascii: "\n")).contains { $0.contains(Array(text.utf8)) })
    #expect(anna.run("pull").status == 0)
    anna.expectClean()
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let name, text: String
    var testDescription: String { name }
  }

  private static func bad(_ name: String, _ text: String) -> Bad { Bad(name: name, text: text) }

  private static let time = HostileTable.time(2)
  private static let rows = [
    bad("12: no id", #"{"updatedAt":"\#(time)","version":"v1"}"#),
    bad("12: a fraction as id", #"{"id":7.5,"updatedAt":"\#(time)","version":"v1"}"#),
    bad("12: null as id", #"{"id":null,"updatedAt":"\#(time)","version":"v1"}"#),
    bad("12: not an object", "42"), bad("12: an array", "[]"), bad("12: null", "null"),
    bad("13: deleted", #"{"id":"b","deleted":"yes","updatedAt":"\#(time)","version":"v1"}"#),
    bad("13: version", #"{"id":"b","version":7,"updatedAt":"\#(time)"}"#),
    bad("13: updatedAt", #"{"id":"b","version":"v1","updatedAt":"yesterday"}"#),
    bad("13: updatedAt", #"{"id":"b","version":"v1","updatedAt":7}"#),
    bad("16: twice", #"{"id":"b","x":1,"x":2,"updatedAt":"\#(time)","version":"v1"}"#),
    bad("16: twice within", #"{"id":"b","y":{"x":1,"x":2},"updatedAt":"\#(time)","version":"v"}"#),
    bad("16: twice, one escaped", #"{"id":"b","x":1,"\u0078":2,"updatedAt":"\#(time)"}"#),
    bad("18: half a pair", #"{"id":"b","x":"\ud800","updatedAt":"\#(time)","version":"v1"}"#),
    bad("18: half a pair as id", #"{"id":"\udc00","updatedAt":"\#(time)","version":"v1"}"#),
    bad(
      "19: 65 deep",
      #"{"id":"b","x":\#(String(repeating: "[", count: 65))1\#(String(repeating: "]", count: 65))"#
        + #","updatedAt":"\#(time)","version":"v1"}"#),
    bad(
      "19: 100 000 deep",
      #"{"id":"b","x":\#(String(repeating: "[", count: 100_000))1"#
        + #"\#(String(repeating: "]", count: 100_000)),"updatedAt":"\#(time)","version":"v1"}"#),
    bad(
      "20: more than 1 MiB",
      #"{"id":"b","x":"\#(String(repeating: "x", count: 1 << 20))","updatedAt":"\#(time)"}"#),
  ]

  @Test("cases 12, 13, 16, 18, 19, 20: what can't be a row is set aside alone", arguments: rows)
  func isSetAside(row: Bad) throws {
    table.put("good", at: 1)
    table.put(raw: row.text, id: "b", at: 2)
    table.put("last", at: 3)
    let cloned = anna.clone(table)
    #expect(cloned.status == 3)
    #expect(cloned.output.hasPrefix("quarantined "))
    #expect(anna.items == ["good.json", "last.json"])
    // The row's bytes are kept, all of them.
    #expect(anna.quarantined == [row.text])
    // A pull goes on behind it; when the server mends it, it comes.
    #expect(anna.run("pull").status == 0)
    table.put("b", at: 4, version: "v2")
    #expect(anna.run("pull").status == 0)
    #expect(anna.items.count == 3)
    anna.expectClean(quarantined: 1)
  }

  @Test("case 13: a row without a time is an item, and doesn't move the token")
  func untimed() throws {
    table.put("good", at: 1)
    table.put(raw: #"{"id":"b","version":"v1","updatedAt":null}"#, id: "b", at: 2)
    #expect(anna.clone(table).status == 0)
    #expect(anna.items == ["b.json", "good.json"])
    #expect(anna.run("pull").status == 0)
    #expect(table.requests.last?.contains("updatedAt ge cast(\(HostileTable.time(1))") == true)
  }

  @Test("case 14: of a row that stands twice in a page the later one counts, which is told")
  func twice() throws {
    table.put("a", at: 1, #""text":"first""#)
    table.put(
      raw: #"{"id":"a","updatedAt":"\#(HostileTable.time(1))","version":"v2","text":"later"}"#,
      id: "b", at: 1)
    let cloned = anna.clone(table)
    #expect(cloned.status == 0)
    #expect(cloned.error.contains("listed todoitem/a twice"))
    #expect(anna.items == ["a.json"])
    #expect(anna.item("a")?.contains(#""text": "later""#) == true)
    anna.expectClean()
  }

  @Test("case 17: numbers stay as they are written, there and back")
  func numbers() throws {
    let numbers = [
      "1e400", String(repeating: "7", count: 400), "-0", "1.10", "1E+2", "0.30000000000000004",
    ]
    let members = numbers.enumerated().map { "\"n\($0.offset)\":\($0.element)" }
    let server = try RunningServer()
    try server.request(
      "POST", "tables/todoitem", #"{"id":"a",\#(members.joined(separator: ","))}"#)
    let anna = try Person(cloning: server.url)
    for (index, number) in numbers.enumerated() {
      #expect(anna.item("a")?.contains("\"n\(index)\": \(number)") == true)
    }
    anna.expectClean()
    // Another field is changed and sent: the numbers aren't.
    #expect(anna.run("set", "a", "text=x").status == 0)
    #expect(anna.run("push").status == 0)
    let row = try server.request("GET", "tables/todoitem/a")
    for member in members { #expect(row.contains(member)) }
    // A number that is written here is sent as it is written.
    anna.directory.write(#"{"n": 1.50, "m": 1e999}"#, to: anna.file("b"))
    #expect(anna.run("push").status == 0)
    #expect(try server.request("GET", "tables/todoitem/b").contains(#""n":1.50,"m":1e999"#))
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("b") == #"{"n": 1.50, "m": 1e999}"#)
  }

  @Test("case 20: a row of 1 MiB is an item")
  func largest() throws {
    let frame = #"{"id":"b","x":"","updatedAt":"\#(Self.time)","version":"v1"}"#.utf8.count
    let text = String(repeating: "x", count: (1 << 20) - frame)
    table.put(
      raw: #"{"id":"b","x":"\#(text)","updatedAt":"\#(Self.time)","version":"v1"}"#, id: "b", at: 2)
    #expect(anna.clone(table).status == 0)
    #expect(anna.items == ["b.json"])
    anna.expectClean()
  }

  @Test("case 20: a row of 1 MiB whose text is larger where it is indented is an item, too")
  func largestList() throws {
    func put(_ first: Int, at second: Int) {
      let list = (first..<120_000).map(String.init).joined(separator: ",")
      table.put(
        raw: #"{"id":"b","x":[\#(list)],"updatedAt":"\#(Self.time)","version":"v\#(second)"}"#,
        id: "b", at: second)
    }
    put(0, at: 2)
    #expect(anna.clone(table).status == 0)
    anna.expectClean()
    put(1, at: 3)
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("b")?.contains("[1,2,") == true)
    anna.expectClean()
  }

  @Test("case 30: other content under the same version and time is a change")
  func versionReused() throws {
    table.put("a", at: 1, #""text":"one""#)
    #expect(anna.clone(table).status == 0)
    table.put("a", at: 1, #""text":"two""#)
    let pulled = anna.run("pull", "-v")
    #expect(pulled.status == 0)
    #expect(pulled.output == "changed a  two\n")
    #expect(anna.item("a")?.contains(#""text": "two""#) == true)
    #expect(anna.run("pull", "-v").output == "")
    anna.expectClean()
  }
}
