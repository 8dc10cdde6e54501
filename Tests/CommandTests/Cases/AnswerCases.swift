import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Answers that are too much, or none.
@Suite("Answers of a hostile server") struct AnswerCases {
  private let table: HostileTable
  private let anna = Person()

  init() throws {
    table = try HostileTable()
    table.put("good", at: 1)
  }

  /// Pulls with a server that gives one answer to everything, then with the table again.
  private func pull(_ reply: ScriptedReply, _ words: String...) throws -> Outcome {
    #expect(anna.clone(table).status == 0)
    table.put("new", at: 2)
    let (items, surroundings) = (anna.items, anna.surroundings)
    table.change { $0.answer = { _ in reply } }
    let outcome = anna.run(words.isEmpty ? ["pull"] : words)
    #expect(anna.items == items)
    #expect(anna.surroundings == surroundings)
    #expect(outcome.isPrintable)
    table.change { $0.answer = nil }
    #expect(anna.run("pull").status == 0)
    #expect(anna.items == ["good.json", "new.json"])
    anna.expectClean()
    return outcome
  }

  private static func answer(
    _ body: String, status: Int = 200, _ fields: [(name: String, value: String)] = []
  ) -> ScriptedReply {
    .answer(
      status, [("Content-Type", "application/json"), ("X-Tsync-Dataset", "d1")] + fields,
      body: Array(body.utf8))
  }

  @Test(
    "case 11: of an error as large as a book one escaped line is told",
    arguments: [("\u{1B}[31m\n", "\\x1b[31m\\x0a"), ("\\u001b[31m\\n", "\\u001b[31m\\n")])
  func longError(piece: String, shown: String) throws {
    let body = #"{"error":"\#(String(repeating: piece, count: 150_000))"}"#
    let pulled = try pull(Self.answer(body, status: 400))
    #expect(pulled.status == 5)
    // The error's one, and the way on.
    #expect(pulled.error.utf8.count { $0 == UInt8(ascii: "\n") } == 2)
    #expect(pulled.error.hasSuffix("try again: tsync pull\n"))
    #expect(pulled.error.contains(shown))
    // 64 KiB are read, and each of their bytes is four at most when it is shown.
    #expect(pulled.error.utf8.count < 5 * (64 << 10))
  }

  @Test(
    "cases 15, 19: what is no list ends the pull, and nothing is applied",
    arguments: [
      #"{"items":{}}"#, "42", "", "null", "\"x\"", "{}", #"{"items":[{"id":"new"}"#,
      #"{"items":[{"id":"new"}]} x"#, #"{"items":[{"id":"new"}],"items":[]}"#,
      #"{"items":[],"count":"many"}"#,
      String(repeating: "[", count: 100_000), String(repeating: #"{"items":"#, count: 100_000),
      #"{"items":[\#(String(repeating: "[", count: 100_000))"#,
    ])
  func noList(body: String) throws {
    let pulled = try pull(Self.answer(body))
    #expect(pulled.status == 5)
    #expect(pulled.error.hasPrefix("tsync: pull: "))
  }

  @Test(
    "case 22: codings that nobody asked for are refused",
    arguments: ["gzip×1000", "br", "gzip, br"])
  func codings(coding: String) throws {
    let coding =
      coding == "gzip×1000"
      ? Array(repeating: "gzip", count: 1_000).joined(separator: ", ") : coding
    let pulled = try pull(Self.answer(#"{"items":[]}"#, [("Content-Encoding", coding)]))
    #expect(pulled.status == 5)
  }

  @Test("case 23: a header of 100 000 lines is refused")
  func header() throws {
    let fields = (0..<100_000).map { (name: "X-\($0)", value: "x") }
    #expect(try pull(Self.answer(#"{"items":[]}"#, fields)).status == 5)
  }

  /// Runs the program itself in the person's workspace with 512 MiB of memory at most.
  private func pullInLittleMemory() throws -> Outcome {
    try anna.shell("ulimit -v 524288; exec tsync pull 2>&1")
  }

  @Test(
    "case 21: a body of 65 MiB, and one that unpacks to 209 MB, end the pull within 512 MiB",
    .disabled(if: Sanitizer.isOn),
    arguments: [true, false])
  func bodies(isPacked: Bool) throws {
    #expect(anna.clone(table).status == 0)
    let script =
      isPacked
      ? "head -c 209000000 /dev/zero | tr '\\0' ' ' | gzip -9" : "head -c 68157440 /dev/zero"
    let body = try ChildProcess(["sh", "-c", script]).ending().output
    if isPacked { #expect((100_000..<400_000).contains(body.count)) }
    let fields = isPacked ? [(name: "Content-Encoding", value: "gzip")] : []
    let reply = ScriptedReply.answer(
      200, [("Content-Type", "application/json"), ("X-Tsync-Dataset", "d1")] + fields, body: body)
    table.change { $0.answer = { _ in reply } }
    let ending = try pullInLittleMemory()
    #expect(ending.status == 5)
    #expect(ending.output.hasPrefix("tsync: pull: "))
    table.change { $0.answer = nil }
    table.put("new", at: 2)
    #expect(try pullInLittleMemory().status == 0)
    #expect(anna.items == ["good.json", "new.json"])
  }

  @Test("a page of 30 MB fits into 512 MiB", .disabled(if: Sanitizer.isOn))
  func largePage() throws {
    #expect(anna.clone(table).status == 0)
    for number in 0..<300 {
      table.put("n\(number)", at: 2, #""text":"\#(String(repeating: "x", count: 100_000))""#)
    }
    #expect(try pullInLittleMemory().status == 0)
    #expect(anna.items.count == 301)
  }
}
