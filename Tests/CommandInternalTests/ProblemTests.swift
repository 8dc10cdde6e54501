import SyncEngine
import SyncModel
import SystemPackage
import Testing
import Workspace

@testable import Commands

@Suite("Problems")
struct ProblemTests {
  struct Row: CustomTestStringConvertible {
    let error: any Error
    let status: Commands.ExitStatus
    let message: String
    let hints: Int
    var testDescription: String { message }

    init(_ error: any Error, _ status: Commands.ExitStatus, _ message: String, hints: Int = 0) {
      self.error = error
      self.status = status
      self.message = message
      self.hints = hints
    }
  }

  static let rows: [Row] = [
    Row(Problem.usage("no"), .usage, "no"),
    Row(WorkspaceError.notFound(from: "/x"), .usage, "no workspace in /x or above it", hints: 1),
    Row(WorkspaceError.locked(nil), .locked, "another tsync holds the workspace", hints: 1),
    Row(
      WorkspaceError.file(place: "items/a.json", .noSpace), .damaged,
      ".todosync/items/a.json: No space left on device", hints: 1),
    Row(
      WorkspaceError.damaged(place: "journal/t.jsonl", line: 17, fact: "odd"), .damaged,
      ".todosync/journal/t.jsonl:17: damaged: odd", hints: 1),
    Row(
      WorkspaceError.otherFormat(place: "state.json", isNewer: true), .damaged,
      ".todosync/state.json: made by another version of tsync", hints: 1),
    Row(WorkspaceError.untrusted(place: "x", fact: "is a link"), .unsafe, "x is a link", hints: 1),
    Row(
      WorkspaceError.exposed(place: "c"), .unauthorized, "c can be read by other users", hints: 1),
    Row(
      WorkspaceError.credentials(place: "c", line: 1, column: 2, fact: "odd"), .unauthorized,
      "c:1:2: odd", hints: 1),
    Row(
      WorkspaceError.credentials(place: "c", fact: "is larger than 1 MiB"), .unauthorized,
      "c is larger than 1 MiB"),
    Row(
      WorkspaceError.setting(place: ".todosync/config.json", line: 1, column: 2, fact: "odd"),
      .usage, ".todosync/config.json:1:2: odd", hints: 1),
    Row(
      WorkspaceError.file(place: "/w/sub/server.db", .noSpace), .damaged,
      "sub/server.db: No space left on device", hints: 1),
    Row(Stop.unreachable("cannot reach x"), .unreachable, "cannot reach x"),
    Row(
      Stop.busy(status: 503, seconds: 30), .unreachable,
      "the server is busy (503); try again in 30 s"),
    Row(
      Stop.unauthorized(Refusal(status: 401, words: "no")), .unauthorized,
      "the server refused access: 401 no", hints: 1),
    Row(Stop.notSpeaking("HTML"), .unreachable, "HTML"),
    Row(
      Stop.unsafe(.unfiltered(query: "open")), .unsafe, "the server passes over $filter", hints: 1),
    Row(NameError("bad name"), .usage, "bad name"),
    Row(FilterError("bad filter"), .usage, "bad filter"),
    Row(
      InvalidItem(
        place: "items/a.json", line: 4, column: 12, message: "odd", way: .rename(to: "b")),
      .usage, ".todosync/items/a.json:4:12: odd", hints: 1),
    Row(Errno.noSpace, .damaged, "No space left on device"),
  ]

  @Test("every error has its words, its status and its hints", arguments: rows)
  func words(row: Row) {
    let problem = Problem(row.error)
    #expect(problem.status == row.status)
    let text = HintText(option: nil, directory: "/w", workspace: "/w")
    #expect(text.text(of: problem.fact) == row.message)
    #expect(problem.hints.count == row.hints)
  }

  @Test("the first of 8, 6, 4, 7, 5, 3 and 1 wins, a signal before all")
  func order() {
    let order: [Commands.ExitStatus] = [
      .signal(2), .damaged, .unsafe, .unauthorized, .locked, .unreachable, .rejected, .usage,
      .conflicts, .done,
    ]
    for (index, one) in order.enumerated() {
      for other in order[index...] {
        #expect(one.or(other) == one)
        #expect(other.or(one) == one)
      }
    }
    #expect(Commands.ExitStatus.signal(2).number == 130)
  }

  @Test("a problem is one line, then a line for each hint")
  func lines() {
    let text = HintText(option: nil, directory: "/")
    let problem = Problem(
      .unreachable, "a\nb", hints: ["nothing is lost\(.column)\(typed: "push")"])
    #expect(
      problem.lines(command: "push", text).map(\.text) == [
        "tsync: push: a\\x0ab", "tsync: nothing is lost                           tsync push",
      ])
  }
}
