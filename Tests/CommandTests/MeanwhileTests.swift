import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// The workspace changes while a question is open: only the confirmed is done, and what has changed is named.
@Suite struct MeanwhileTests {
  private let world: CaseWorld
  private var anna: Person { world.anna }

  /// Four items fit `kind=x`, and one more does not yet.
  init() throws {
    world = try CaseWorld()
    for id in ["stays", "edited", "gone", "back", "other"] {
      let kind = id == "other" ? "y" : "x"
      anna.run("new", "-s", "id=\(id)", "-s", "kind=\(kind)", id)
    }
    anna.run("push")
    anna.run("rm", "back")
  }

  private func file(_ id: String, _ text: String) -> String {
    #"{"id":"\#(id)","kind":"x","text":"\#(text)"}"#
  }

  private func write(_ id: String, _ text: String) {
    anna.directory.write(file(id, text), to: anna.file(id))
  }

  private func remove(_ id: String) { unlink(anna.directory.path(of: anna.file(id))) }

  /// Runs a command at another terminal.
  private func other(_ words: [String]) {
    let other = Person(in: anna.directory)
    #expect(other.run(words).status == 0, "\(words)")
  }

  /// Runs a command whose question somebody answers, after another program has changed files.
  private func run(
    _ words: [String], answers: [String] = ["y"], meanwhile: (() -> Void)? = nil
  ) -> Outcome {
    let anna = anna
    anna.types = answers
    anna.whileAsked =
      meanwhile ?? {
        write("edited", "Meanwhile")
        write("new", "New")
        remove("gone")
      }
    defer {
      anna.types = nil
      anna.whileAsked = {}
    }
    return anna.run(words)
  }

  @Test(
    "what came is left, what was edited or went is named and left",
    arguments: [
      ["rm", "kind=x"], ["set", "--where", "kind=x", "done:=true"], ["done", "kind=x"],
    ])
  func filters(words: [String]) throws {
    let outcome = run(words)
    #expect(outcome.status == 3)
    #expect(outcome.error.contains("of 4 items? [y]es"), "\(outcome)")
    for id in ["edited", "gone"] {
      #expect(outcome.error.contains("another program changed todoitem/\(id)"), "\(outcome)")
    }
    #expect(outcome.output.split(separator: "\n").count == 1, "\(outcome)")
    #expect(outcome.output.contains(" stays "))
    #expect(anna.item("edited") == file("edited", "Meanwhile"))
    #expect(anna.item("new") == file("new", "New"))
    #expect(anna.item("gone") == nil)
  }

  @Test("restore brings back what was confirmed, and leaves what came back or was edited")
  func restore() {
    for id in ["stays", "edited", "gone"] { anna.run("rm", id) }
    let outcome = run(["restore", "kind=x"]) {
      write("edited", "Meanwhile")
      write("new", "New")
      anna.directory.write("{", to: anna.file("gone"))
      for words in [["restore", "back"], ["set", "back", "kind=y"], ["rm", "back"]] { other(words) }
    }
    #expect(outcome.status == 3, "\(outcome)")
    for id in ["edited", "gone", "back"] {
      #expect(outcome.error.contains("another program changed todoitem/\(id)"), "\(outcome)")
    }
    #expect(anna.item("edited") == file("edited", "Meanwhile") && anna.item("gone") == "{")
    #expect(anna.item("new") == file("new", "New"))
    #expect(anna.item("stays") != nil && anna.item("back") == nil)
  }

  @Test("resolve reads a conflict again that has changed, and asks again")
  func resolve() throws {
    anna.run("set", "stays", "text=Mine")
    try world.server.request("PATCH", "tables/todoitem/stays", #"{"text": "Theirs"}"#)
    #expect(anna.run("pull").status == 1)
    let outcome = run(["resolve"], answers: ["s", "q"]) { write("stays", "Later") }
    #expect(outcome.error.contains("another program changed todoitem/stays"), "\(outcome)")
    #expect(anna.item("stays") == file("stays", "Later"))
    #expect(!anna.conflicts.isEmpty)
  }

  @Test(
    "a push over missing files sends nothing if another one has gone missing since, or has another row",
    arguments: [false, true])
  func vanished(hasOtherRow: Bool) throws {
    for number in 0..<30 { anna.run("new", "-s", "id=n\(number)", "N") }
    anna.run("push")
    for number in 0..<12 { remove("n\(number)") }
    anna.run("set", "n20", "text=Edited")
    let stopped = run(["push"]) {
      if hasOtherRow { other(["restore", "n1"]) }
      if hasOtherRow { other(["set", "n1", "text=Other"]) }
      if hasOtherRow { other(["push", "n1"]) }
      remove(hasOtherRow ? "n1" : "n20")
      write("n0", "Back")
    }
    #expect(stopped.status == 6 && stopped.output == "", "\(stopped)")
    #expect(
      stopped.error.contains("\(hasOtherRow ? 11 : 12) of 34 files of todoitem are missing"),
      "\(stopped)")
    anna.types = ["y"]
    let outcome = anna.run("push")
    let deleted = outcome.output.split(separator: "\n").filter { $0.hasPrefix("deleted n") }
    #expect(deleted.count == (hasOtherRow ? 11 : 12), "\(outcome)")
    #expect(outcome.output.contains("updated n0 "), "\(outcome)")
  }

  @Test("query rm does nothing if the settings have changed since it has asked")
  func query() throws {
    anna.run("query", "add", "-y", "a", "kind=x")
    anna.run("query", "add", "-y", "b", "kind=y")
    anna.run("pull")
    let outcome = run(["query", "rm", "a"]) {
      write("stays", "Meanwhile")
      let config = anna.directory.text("list/.todosync/config.json") ?? ""
      anna.directory.write(
        config.replacing("kind=y", with: "kind=z"), to: "list/.todosync/config.json")
    }
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.error.contains("another program changed .todosync/config.json"), "\(outcome)")
    #expect(anna.run("query").output.contains("kind=x"))
    #expect(run(["query", "rm", "a"]).status == 0)
    #expect(anna.run("query").output.contains("kind=z"))
    anna.run("pull")
    #expect(anna.item("stays") == file("stays", "Meanwhile"))
    #expect(anna.run("status", "--porcelain").output.contains("todoitem/stays"))
  }
}
