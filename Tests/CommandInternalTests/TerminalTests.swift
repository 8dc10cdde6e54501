import Testing

@testable import Commands

@Suite("Text on a terminal")
struct TerminalTests {
  struct Row: CustomTestStringConvertible {
    let text, safe: String
    var testDescription: String { safe }

    init(_ text: String, _ safe: String) {
      (self.text, self.safe) = (text, safe)
    }
  }

  @Test(
    "what a terminal obeys, or nobody sees, is spelled out",
    arguments: [
      Row("plain ~ text", "plain ~ text"), Row("é 日本 👍", "é 日本 👍"), Row("e\u{301}", "e\u{301}"),
      Row("\u{1B}[31m", "\\x1b[31m"), Row("\u{1B}]8;;x\u{7}", "\\x1b]8;;x\\x07"),
      Row("a\rb", "a\\x0db"),
      Row("a\u{8}b", "a\\x08b"), Row("a\tb", "a\\x09b"), Row("a\nb", "a\\x0ab"),
      Row("\u{0}", "\\x00"),
      Row("\u{7F}", "\\x7f"), Row("\u{9B}31m", "\\x9b31m"), Row("\u{85}", "\\x85"),
      Row("\u{202E}x\u{202C}", "\\u{202e}x\\u{202c}"), Row("\u{2066}", "\\u{2066}"),
      Row("\u{200B}\u{200D}", "\\u{200b}\\u{200d}"), Row("\u{FEFF}", "\\u{feff}"),
      Row("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), Row("\u{E0041}", "\\u{e0041}"),
      Row("\u{AD}", "\\xad"), Row("\u{3164}", "\\u{3164}"), Row("❤\u{FE0F}", "❤\u{FE0F}"),
      Row("👩\u{200D}👩\u{200D}👧", "👩\u{200D}👩\u{200D}👧"), Row("می\u{200C}خواهم", "می\u{200C}خواهم"),
      Row("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"), Row("a\u{200D}b", "a\\u{200d}b"),
      Row("\u{200D}👧\u{200C}", "\\u{200d}👧\\u{200c}"), Row("👧\u{200D} 👧", "👧\\u{200d} 👧"),
      Row("é\u{200D}\u{200D}é", "é\\u{200d}\\u{200d}é"),
      Row("é\u{200D}\u{3000}", "é\\u{200d}\u{3000}"),
      Row("é\u{200B}é\u{202E}\u{200D}é", "é\\u{200b}é\\u{202e}\\u{200d}é"),
    ])
  func safe(row: Row) {
    #expect(Terminal.safe(row.text) == row.safe)
    #expect(Terminal.safe(row.safe) == row.safe)
  }

  @Test("S5: no character at all gets through that isn't shown as what it is")
  func everyScalar() {
    for value in 0...UInt32(0x10FFFF) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let safe = Terminal.safe(String(Character(scalar)))
      let isClean = safe.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
          && $0.properties.generalCategory != .format
      }
      guard isClean else {
        Issue.record("\(value)")
        return
      }
    }
  }

  @Test("a tab stays where several lines are shown")
  func tabs() {
    #expect(Terminal.safe("a\t\u{1B}", keepingTabs: true) == "a\t\\x1b")
  }

  @Test(
    "wide characters take two columns, marks none",
    arguments: [
      ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👍", 2), ("é", 1), ("ｱ", 1), ("한", 2),
      ("👩\u{200D}👩\u{200D}👧", 2), ("🤷\u{200D}♂\u{FE0F}", 2), ("می\u{200C}خ", 3),
    ])
  func columns(text: String, count: Int) {
    #expect(Terminal.columns(of: text) == count)
  }

  @Test(
    "a text is cut by columns",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
      ("a👩\u{200D}👧日本", 5, "a👩\u{200D}👧…"), ("ab👩\u{200D}👧日本", 4, "ab…"),
      ("a" + String(repeating: "👩\u{200D}", count: 3_000) + "👩", 60, "a…"),
    ])
  func cut(text: String, limit: Int, result: String) {
    #expect(Terminal.cut(text, to: limit) == result)
  }

  @Test("texts are cut to where they differ, and begin alike where they differ at nearly one place")
  func cutAlike() {
    let same = "the same beginning of each, "
    #expect(
      Terminal.cut(["\(same)one, and so on", "\(same)two, and so on", "short"], to: 20)
        == ["…ach, one, and so on", "…ach, two, and so on", "short"])
    // What follows is short: more of what comes before is shown.
    #expect(
      Terminal.cut(["\(same)a", "\(same)b"], to: 20) == [
        "…eginning of each, a", "…eginning of each, b",
      ])
    // Each shows its own change.
    let (one, two) = ("first \(same)", "second \(same)\(same)")
    #expect(
      Terminal.cut(["\(one)\(two)A", "\(one)\(two)B", "\(one)third"], to: 15)
        == ["…of each, A", "…of each, B", "…of each, third"])
    #expect(Terminal.cut(["日本日本日本日本", "日本日本日本語"], to: 8) == ["…本日本", "…本語"])
    #expect(Terminal.cut(["abc", "abd"], to: 3) == ["abc", "abd"])
  }

  @Test("a text is broken where a line is full, and cut after so many lines")
  func folded() {
    #expect(Terminal.folded("", to: 3, lines: 2) == [""])
    #expect(Terminal.folded("abc", to: 3, lines: 2) == ["abc"])
    #expect(Terminal.folded("abc def", to: 3, lines: 3) == ["abc", " de", "f"])
    #expect(Terminal.folded("abcdefg", to: 3, lines: 2) == ["abc", "de…"])
    #expect(Terminal.folded("日本語", to: 5, lines: 2) == ["日本", "語"])
    #expect(Terminal.folded("日本語日本語", to: 5, lines: 2) == ["日本", "語日…"])
  }

  @Test("S5: JSON is made safe by JSON's own escapes")
  func json() {
    let text = Terminal.safe(json: Array("{\n\t\"a\": \"\u{7F}\u{202E}\u{E0041}é\"\n}".utf8))
    #expect(text == "{\n\t\"a\": \"\\u007f\\u202e\\udb40\\udc41é\"\n}")
    let joined = Array("[\"👩\u{200D}👧\", \"\u{200D}\"]".utf8)
    #expect(Terminal.safe(json: joined) == "[\"👩\u{200D}👧\", \"\\u200d\"]")
    #expect(Terminal.safe(json: Array("{\r\n\"a\":\r1}\r\n".utf8)) == "{\n\"a\":1}\n")
  }
}
