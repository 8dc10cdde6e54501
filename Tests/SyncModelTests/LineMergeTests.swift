import SyncModel
import TestSupport
import Testing

@Suite("Merging of lines") struct LineMergeTests {
  /// Three texts and the merged one; `nil` where they are in conflict.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let base, client, server: Text
    let merged: Text?

    init(_ name: String, _ base: String, _ client: String, _ server: String, _ merged: String?) {
      testDescription = name
      (self.base, self.client, self.server) = (Text(base), Text(client), Text(server))
      self.merged = merged.map { Text($0) }
    }
  }

  static let table: [Case] = [
    Case("apart", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
    Case("one line", "a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", nil),
    Case("lines that touch", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", nil),
    Case("one line between", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
    Case("the same change, once", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"),
    Case(
      "the same change, and another", "a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\nX\nc\nD\n", "a\nX\nc\nD\n"
    ),
    Case(
      "the same and one of each", "a\nb\nc\nd\ne\n", "A\nb\nX\nd\ne\n", "a\nb\nX\nd\nE\n",
      "A\nb\nX\nd\nE\n"),
    Case(
      "a line more at the beginning and at the end", "a\nb\n", "0\na\nb\n", "a\nb\nc\n",
      "0\na\nb\nc\n"),
    Case("a line more at one place", "a\nb\n", "a\nx\nb\n", "a\ny\nb\n", nil),
    Case("all lines gone here, a line more there", "a\nb\n", "", "a\nb\nc\n", nil),
    Case("the same line more", "a\nb\n", "a\nx\nb\n", "a\nx\nb\n", "a\nx\nb\n"),
    Case("a line more at the end, differently", "a\nb\n", "a\nb\nx\n", "a\nb\ny\n", nil),
    Case("a line less here, another there", "a\nb\nc\n", "b\nc\n", "a\nb\n", "b\n"),
    Case("the same line less", "a\nb\nc\n", "a\nc\n", "a\nc\n", "a\nc\n"),
    Case("a line less here, changed there", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", nil),
    Case("a line less beside a line more", "a\nb\nc\n", "a\nc\n", "a\nb\nx\nc\n", nil),
    Case("a line less, a line more further on", "a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n", "b\nc\nd\n"),
    Case("one side only", "a\nb\n", "a\nb\n", "a\nB\n", "a\nB\n"),
    Case("no end of line at the end", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"),
    Case("an end of line more at the end", "a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"),
    Case("an end of line less at the end", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nc", "A\nb\nc"),
    Case(
      "the end of line here, the last line there", "a\nb\nc", "a\nb\nc\n", "a\nb\nC", "a\nb\nC\n"),
    Case("a line more behind a last line without end", "a\nb", "A\nb", "a\nb\nc", "A\nb\nc"),
    Case("the last line here, a line more there", "a\nb\nc", "a\nb\nC", "a\nb\nc\nd", nil),
    Case(
      "one removal of equal lines on both sides", "w\nw\ncat\npost\nw\nw\nw", "w\ncat\npost\nw\nw",
      "w\nw\ncat\npost\nw\nw", "w\ncat\npost\nw\nw"),
    Case("one addition to equal lines on both sides", "w\nw\na", "w\nw\nw\na", "w\nw\nw\nA", nil),
    Case(
      "one more of equal lines, another line", "w\nw\nb\na", "w\nw\nw\nb\na", "w\nw\nb\nA",
      "w\nw\nw\nb\nA"),
    Case("one less here, two less there", "w\nw\nw\na", "w\nw\na", "w\na", nil),
    Case("CRLF", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"),
    Case("one CRLF of many LF", "a\nb\nc\n", "a\r\nb\nc\n", "a\nb\nC\n", "a\r\nb\nC\n"),
    Case(
      "all ends of lines here, one line there", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nC\n", nil),
    Case("empty lines", "a\n\n\nb\n", "A\n\n\nb\n", "a\n\n\nB\n", "A\n\n\nB\n"),
    Case(
      "composed and decomposed", "\u{E9}\nm\nx\n", "e\u{301}\nm\nx\n", "\u{E9}\nm\ny\n",
      "e\u{301}\nm\ny\n"),
    Case(
      "beyond ASCII", "\u{20AC}\nm\n\u{1F600}\n", "\u{20AC}1\nm\n\u{1F600}\n",
      "\u{20AC}\nm\n2\u{1F600}\n",
      "\u{20AC}1\nm\n2\u{1F600}\n"),
    Case("everything gone here", "a\nb\n", "", "a\nB\n", nil),
    Case("one line each", "a", "b", "c", nil),
    Case("one line, with its end", "a\n", "b\n", "c\n", nil),
    Case("lines where there was one", "a", "a\nb\n", "c\na", nil),
    Case("lines where there was nothing", "", "a\nb\n", "a\nc\n", nil),
    Case("one line left on both sides", "a\nb\n", "A\n", "B\n", nil),
  ]

  @Test("changes that don't touch are merged", arguments: table)
  func merge(_ row: Case) {
    #expect(LineMerge(base: row.base, client: row.client, server: row.server)?.text == row.merged)
    #expect(LineMerge(base: row.base, client: row.server, server: row.client)?.text == row.merged)
  }

  // MARK: - Against another implementation

  /// A text of lines that differ from one another, edited by one side.
  private struct Edited {
    /// Whether each line of the base is kept.
    var kept: [Bool]
    /// The lines that stand before each line of the base, and at the end.
    var more: [[String]]

    init(_ count: Int, _ name: String, _ random: inout SplitMix64) {
      kept = (0..<count).map { _ in !random.once(in: 5) }
      more = (0...count).map { place in
        random.once(in: 5) ? (0...random.below(2)).map { "\(name)\(place).\($0)" } : []
      }
    }

    /// Returns the lines that stand for the lines `range` of the base, and for what is before its
    /// end.
    func lines(_ base: [String], _ range: Range<Int>) -> [String] {
      range.flatMap { more[$0] + (kept[$0] ? [base[$0]] : []) } + more[range.upperBound]
    }
  }

  /// diff3 in its plainest form: between lines that both sides kept, one side may have changed.
  private func expected(_ base: [String], _ one: Edited, _ other: Edited) -> [String]? {
    var result: [String] = []
    var start = 0
    for end in 0...base.count where end == base.count || (one.kept[end] && other.kept[end]) {
      let mine = one.lines(base, start..<end)
      let theirs = other.lines(base, start..<end)
      let old = Array(base[start..<end])
      guard mine == old || theirs == old || mine == theirs else { return nil }
      result += mine == old ? theirs : mine
      if end < base.count { result.append(base[end]) }
      start = end + 1
    }
    return result
  }

  @Test("texts whose lines differ are merged as diff3 does", arguments: UInt64(0)..<20)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var merged = 0
    for round in 0..<200 {
      let base = (0..<2 + random.below(9)).map { "line \($0)" }
      let mine = Edited(base.count, "mine", &random)
      // Now and then both sides make the same edits.
      var other = Edited(base.count, random.once(in: 3) ? "mine" : "theirs", &random)
      if random.once(in: 4) { other.kept[0] = mine.kept[0] }
      let (ours, theirs) = (mine.lines(base, base.indices), other.lines(base, base.indices))
      guard ours.count > 1 || theirs.count > 1 else { continue }
      func text(_ lines: [String]) -> Text { Text(lines.map { $0 + "\n" }.joined()) }
      let result = LineMerge(base: text(base), client: text(ours), server: text(theirs))
      #expect(result?.text == expected(base, mine, other).map(text), "seed \(seed), round \(round)")
      if result != nil { merged += 1 }
    }
    #expect(merged > 10, "seed \(seed): hardly anything merges")
  }

  /// Draws a text of few different lines, which can be compared in many ways.
  private func draw(_ random: inout SplitMix64) -> Text {
    let lines = (0..<2 + random.below(6)).map { _ in ["a", "b", "c"][random.below(3)] }
    return Text(lines.joined(separator: "\n") + (random.once(in: 2) ? "\n" : ""))
  }

  @Test("one side's changes alone are that side's text", arguments: UInt64(0)..<10)
  func oneSided(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let (base, text) = (draw(&random), draw(&random))
      #expect(LineMerge(base: base, client: text, server: base)?.text == text, "seed \(seed)")
      #expect(LineMerge(base: base, client: base, server: text)?.text == text, "seed \(seed)")
      #expect(LineMerge(base: base, client: text, server: text)?.text == text, "seed \(seed)")
    }
  }

  @Test(
    "it makes no difference which side is whose, and no line is invented", arguments: UInt64(0)..<10
  )
  func symmetric(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let (base, one, other) = (draw(&random), draw(&random), draw(&random))
      let merged = LineMerge(base: base, client: one, server: other)?.text
      #expect(merged == LineMerge(base: base, client: other, server: one)?.text, "seed \(seed)")
      let known = Set((one.string + "\n" + other.string).split(separator: "\n"))
      #expect(
        merged?.string.split(separator: "\n").allSatisfy(known.contains) ?? true, "seed \(seed)")
    }
  }

  @Test("who takes all lines away says nothing of the line end")
  func emptied() throws {
    let merge = try #require(LineMerge(base: "a\nb\n", client: "", server: "a\nc\n"))
    #expect(LineMerge.text(of: merge.runs, taking: .server) == "a\nc\n")
    #expect(LineMerge.text(of: merge.runs, taking: .client) == "")
  }

  // MARK: - Large texts

  private func large(_ count: Int, changing: [Int: String]) -> Text {
    Text((0..<count).map { (changing[$0] ?? "line \($0 % 100)") + "\n" }.joined())
  }

  @Test("20,000 lines with a few changes on each side are merged")
  func manyLines() {
    let mine = [3: "m", 4_000: "m", 9_999: "m", 15_000: "m", 19_998: "m"]
    let theirs = [10: "t", 5_000: "t", 10_001: "t", 15_002: "t", 19_990: "t"]
    let merged = LineMerge(
      base: large(20_000, changing: [:]), client: large(20_000, changing: mine),
      server: large(20_000, changing: theirs))
    #expect(merged?.text == large(20_000, changing: mine.merging(theirs) { one, _ in one }))
  }

  @Test("texts that have nothing in common are given up")
  func nothingInCommon() {
    func text(_ name: String) -> Text { Text((0..<3_000).map { "\(name) \($0)\n" }.joined()) }
    #expect(LineMerge(base: text("a"), client: text("b"), server: text("a")) == nil)
    #expect(LineMerge(base: text("a"), client: text("b"), server: text("c")) == nil)
  }
}

extension LineMerge {
  /// The merged text; `nil` where a run is in conflict.
  fileprivate var text: Text? {
    runs.contains(where: \.isDisputed) ? nil : Self.text(of: runs, taking: .client)
  }
}
