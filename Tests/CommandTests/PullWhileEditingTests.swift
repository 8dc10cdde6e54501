import Glibc
import TestSupport
import Testing

@testable import Commands

/// Texts that are edited while a pull brings another row.
@Suite struct PullWhileEditingTests {
  private let world: CaseWorld
  private var anna: Person { world.anna }
  private let tsync = "\(Programs.directory)/tsync"

  init() throws {
    world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
  }

  private func server(_ fields: String) throws {
    try world.server.request("PATCH", "tables/todoitem/milk", "{\(fields)}")
  }

  /// Makes a conflict about the notes.
  private func disputeNotes() throws {
    anna.run("set", "milk", "notes=mine")
    try server(#""notes": "theirs""#)
    #expect(anna.run("pull").status == 1)
  }

  /// The document that is being merged.
  private var document: String { "list/.todosync/conflicts/todoitem/milk.edit.json" }

  @Test("a merged document is made anew when a pull has brought another row while it was edited")
  func remakesDocument() throws {
    try disputeNotes()
    try server(#""text": "Theirs""#)
    let (first, seen) = (anna.directory.path(of: "first"), anna.directory.path(of: "seen"))
    let text = #"{"id":"milk","text":"Milk","notes":"both"}"#
    let tool =
      "if test -e \(first); then cp \"$RESULT\" \(seen); cp \"$SERVER\" \"$RESULT\"; "
      + "else : >\(first); \(tsync) pull -q; echo '\(text)' >\"$RESULT\"; fi"
    let resolved = anna.run("resolve", "--tool", tool, "milk")
    #expect(resolved.status == 0, "\(resolved)")
    let document = try #require(anna.directory.text("seen"))
    #expect(document.contains("<<<<<<<") && document.contains("Theirs"), "\(document)")
    // What was merged before is told, and kept.
    let words = "the text that was being merged before for todoitem/milk is "
    let found = try #require(resolved.error.firstRange(of: words), "\(resolved.error)")
    let place = resolved.error[found.upperBound...].prefix { $0 != "\n" }
    #expect(anna.directory.text("list/.todosync/\(place)")?.contains("both") == true)
    #expect(anna.run("push").status == 0)
    #expect(try world.row("milk").contains("Theirs"))
    anna.expectSound()
  }

  @Test("so is one that an editor, left running, saves after the pull")
  func remakesLateDocument() throws {
    try disputeNotes()
    #expect(anna.run("resolve", "--tool", "false", "milk").status == 1)
    try server(#""text": "Theirs""#)
    anna.run("pull")
    anna.directory.write(#"{"id": "milk", "text": "Milk", "notes": "both"}"#, to: document)
    let resolved = anna.run("resolve", "--tool", "grep -q Theirs \"$RESULT\"", "milk")
    #expect(resolved.status == 1)
    #expect(!resolved.error.contains("the tool ended"), "\(resolved.error)")
    #expect(resolved.error.contains("the text that was being merged before"), "\(resolved.error)")
    #expect(anna.run("doctor").status == 0)
  }

  @Test("a merged document is opened again as it was left while its sides say the same")
  func resumesDocument() throws {
    try disputeNotes()
    #expect(anna.run("resolve", "--tool", "echo LEFT >>\"$RESULT\"; false", "milk").status == 1)
    // A file that is newer, and says the same.
    #expect(try anna.shell("touch -d 2090-01-01 .todosync/items/todoitem/milk.json").status == 0)
    let resolved = anna.run("resolve", "--tool", "grep -q LEFT \"$RESULT\"", "milk")
    #expect(resolved.status == 1)
    #expect(!resolved.error.contains("the tool ended"), "\(resolved.error)")
    #expect(anna.run("doctor").status == 0)
  }

  /// Edits milk with an editor that has read its file before a pull, and saves it after that.
  private func edit(_ change: String) -> Outcome {
    let read = anna.directory.path(of: "read")
    let script = "cp \"$1\" \(read); \(tsync) pull -q; sed \"\(change)\" \(read) >\"$1\""
    anna.environment += [("EDITOR", "sh -c '\(script)' sh")]
    return anna.run("edit", "milk")
  }

  @Test("what a pull brings while an editor has the item's file stays, beside what is saved")
  func keepsBrought() throws {
    try server(#""text": "Theirs""#)
    let edited = edit("s/old/new/")
    let told = "what a pull brought while the editor ran stays: text"
    #expect(
      edited
        == Outcome(
          status: 0, output: "changed milk  Theirs (notes)\n",
          error: "tsync: edit: todoitem/milk: \(told)\n"))
    #expect(anna.run("push").output == "updated milk  Theirs\n")
    let row = try world.row("milk")
    #expect(row.contains("Theirs") && row.contains("new"), "\(row)")
    anna.expectSound()
  }

  @Test("so it does where nothing else is saved")
  func keepsBroughtAlone() throws {
    try server(#""text": "Theirs""#)
    let edited = edit("")
    #expect(edited.status == 0 && edited.output == "", "\(edited)")
    #expect(edited.error.hasSuffix("nothing changed\n"), "\(edited)")
    #expect(anna.item("milk")?.contains("Theirs") == true)
    #expect(anna.run("push").error == "nothing to push\n")
    anna.expectSound()
  }

  @Test("a field that was changed by both stays as it was saved, and is told")
  func tellsBoth() throws {
    try server(#""text": "Theirs""#)
    let edited = edit("s/Milk/Mine/")
    #expect(edited.status == 0 && edited.output == "changed milk  Mine (text)\n", "\(edited)")
    let told = "a pull brought others while the editor ran, yours stay: text"
    #expect(edited.error == "tsync: edit: todoitem/milk: \(told)\n")
    #expect(anna.item("milk")?.contains("Mine") == true)
    #expect(anna.run("push").output == "updated milk  Mine\n")
    anna.expectSound()
  }
}
