import Testing

@Suite("Pages are read and outputs compared")
struct ReadingTests {
  @Test("each page of a command shows a session, but serve, which ends only by a signal")
  func sessions() throws {
    let silent = try ManualPage.all().filter { $0.name.hasSuffix(".1") && $0.sessions.isEmpty }
    #expect(silent.map(\.name) == ["tsync-serve.1"])
  }

  @Test("a session is a literal block under EXAMPLES that begins with a command")
  func source() {
    let block = ".Bd -literal\n$ a \\(aqb\\(aq\n\\&...\n\\e\n$ c\n.Ed\n.Bd -literal\nd\n.Ed\n"
    let other = ".Bd -literal\n$ elsewhere\n.Ed\n"
    let page = ManualPage(
      name: "x.1", source: ".Sh FILES\n\(other).Sh EXAMPLES\n\(block).Sh NOTES\n\(other)")
    let steps = [
      ManualPage.Step(command: "a 'b'", expected: ["...", #"\"#]),
      ManualPage.Step(command: "c", expected: []),
    ]
    #expect(page.sessions == [steps])
  }

  @Test(
    "outputs match line by line",
    arguments: [
      (["a"], ["a"], true), (["a"], ["b"], false), (["a"], [], false), ([], ["a"], false),
      (["a", "b"], ["..."], true), ([], ["..."], true), (["a", "b"], ["...", "b"], true),
      (["a", "b"], ["...", "a"], false), (["0.3 s"], ["0.1 s"], true),
      (["pulled 4 min ago"], ["pulled just now"], true), (["4 items"], ["5 items"], false),
    ])
  func matches(printed: [String], expected: [String], same: Bool) {
    #expect(Comparison.matches(printed, expected) == same)
  }
}
