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

  /// The document that is being merged: the only one.
  private var document: String {
    get throws {
      let directory = "list/.todosync/conflicts/todoitem"
      let names = anna.directory.names(in: directory).filter { $0.contains(".edit-") }
      #expect(names.count == 1)
      return try "\(directory)/\(#require(names.first))"
    }
  }

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
    try anna.directory.write(#"{"id": "milk", "text": "Milk", "notes": "both"}"#, to: document)
    let resolved = anna.run("resolve", "--tool", "grep -q Theirs \"$RESULT\"", "milk")
    #expect(resolved.status == 1)
    #expect(!resolved.error.contains("the tool ended"), "\(resolved.error)")
    #expect(resolved.error.contains("the text that was being merged before"), "\(resolved.error)")
    #expect(anna.run("doctor").status == 0)
  }

  @Test(
    "nor is a document that was made anew taken for what an editor saves late of the one before")
  func keepsLateDocumentApart() throws {
    try disputeNotes()
    #expect(anna.run("resolve", "--tool", "false", "milk").status == 1)
    try server(#""text": "Theirs""#)
    anna.run("pull")
    let (late, document) = (#"{"id": "milk", "text": "Milk", "notes": "late"}"#, try document)
    let tool = "test -s \"$RESULT\" && echo '\(late)' >\(anna.directory.path(of: document))"
    let resolved = anna.run("resolve", "--tool", tool, "milk")
    #expect(resolved.status == 1 && resolved.output.hasPrefix("left milk"), "\(resolved)")
    #expect(anna.directory.text(document)?.contains("late") == true)
    #expect(anna.run("doctor").status == 0)
    // The document that was made anew goes on, and the late text is kept.
    let marks = "sed -i '/^<<</d;/^|||/,/^>>>/d' \"$RESULT\""
    #expect(anna.run("resolve", "--tool", marks, "milk").status == 0)
    #expect(anna.directory.names(in: "list/.todosync/conflicts/todoitem") == [])
    let kept = anna.trashed("conflicts/todoitem")
    #expect(kept.contains { $0.contains("late") })
    #expect(anna.run("push").status == 0)
    let row = try world.row("milk")
    #expect(row.contains("Theirs") && row.contains("mine"), "\(row)")
    anna.expectSound()
  }

  @Test("nor is that of a conflict that is over, which an editor saves late")
  func keepsFormerDocumentApart() throws {
    try disputeNotes()
    #expect(anna.run("resolve", "--tool", "false", "milk").status == 1)
    let former = try document
    anna.run("resolve", "--client", "milk")
    anna.run("push")
    anna.run("set", "milk", "notes=mine again")
    try server(#""notes": "theirs again", "text": "Theirs""#)
    #expect(anna.run("pull").status == 1)
    let late = #"{"id": "milk", "text": "Milk", "notes": "late"}"#
    let tool = "test -s \"$RESULT\" && echo '\(late)' >\(anna.directory.path(of: former))"
    let resolved = anna.run("resolve", "--tool", tool, "milk")
    #expect(resolved.status == 1 && resolved.output.hasPrefix("left milk"), "\(resolved)")
    #expect(anna.directory.text(former)?.contains("late") == true)
    // What lies beside the document is told when it goes.
    let over = anna.run("resolve", "--server", "milk")
    #expect(over.error.contains("whose conflict is over, is trash/conflicts/"), "\(over)")
    anna.expectSound()
  }

  @Test("one whose document was made anew meanwhile is told where its text is")
  func tellsLateDocument() throws {
    try disputeNotes()
    let other = anna.directory.path(of: "other")
    let tool =
      "if ! test -e \(other); then : >\(other); "
      + "\(tsync) set -q milk text=Mine; \(tsync) resolve -q --tool true milk; "
      + "echo '{\"id\": \"milk\", \"text\": \"Late\"}' >\"$RESULT\"; else exit 1; fi"
    let resolved = anna.run("resolve", "--tool", tool, "milk")
    #expect(resolved.status == 1, "\(resolved)")
    let words = "todoitem/milk was changed meanwhile; your text is in "
    let found = try #require(resolved.error.firstRange(of: words), "\(resolved)")
    let place = resolved.error[found.upperBound...].prefix { $0 != "\n" }
    #expect(anna.directory.text("list/.todosync/\(place)")?.contains("Late") == true)
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

  /// Edits milk with an editor that has read its text before something happens, and saves it after that.
  private func edit(_ change: String, while happening: String = "tsync pull -q") -> Outcome {
    let read = anna.directory.path(of: "read")
    let script = "cp \"$1\" \(read); \(happening); sed \"\(change)\" \(read) >\"$1\""
      .replacing("tsync ", with: "\(tsync) ")
    anna.environment += [("EDITOR", "sh -c '\(script)' sh")]
    return anna.run("edit", "milk")
  }

  private func expectKept(_ edited: Outcome, _ words: String, _ saved: String) throws {
    #expect(edited.status == 3 && edited.output == "", "\(edited)")
    let told = "tsync: edit: todoitem/milk \(words) meanwhile and stays so"
    #expect(edited.error.hasPrefix(told), "\(edited)")
    let place = "your text is in "
    let found = try #require(edited.error.firstRange(of: place), "\(edited)")
    let kept = edited.error[found.upperBound...].prefix { $0 != "\n" }
    #expect(anna.directory.text("list/.todosync/\(kept)")?.contains(saved) == true)
    anna.expectSound()
  }

  @Test("what a pull brings while an editor runs stays, beside what is saved")
  func keepsBrought() throws {
    try server(#""text": "Theirs""#)
    let edited = edit("s/old/new/")
    #expect(
      edited
        == Outcome(
          status: 0, output: "changed milk  Theirs (notes)\n",
          error: "tsync: edit: todoitem/milk: what was changed meanwhile stays: text\n"))
    #expect(anna.run("push").output == "updated milk  Theirs\n")
    let row = try world.row("milk")
    #expect(row.contains("Theirs") && row.contains("new"), "\(row)")
    anna.expectSound()
  }

  @Test("so it does where nothing is saved")
  func keepsBroughtAlone() throws {
    try server(#""text": "Theirs""#)
    let edited = edit("")
    #expect(edited == Outcome(status: 0, output: "", error: "nothing changed\n"))
    #expect(anna.item("milk")?.contains("Theirs") == true)
    #expect(anna.run("push").error == "nothing to push\n")
    anna.expectSound()
  }

  @Test("lines of one text are merged")
  func mergesLines() throws {
    try server(#""notes": "one\ntwo\nthree""#)
    anna.run("pull")
    try server(#""notes": "ONE\ntwo\nthree""#)
    #expect(edit("s/three/THREE/").status == 0)
    #expect(anna.item("milk")?.contains(#"ONE\ntwo\nTHREE"#) == true)
  }

  @Test("a field that was changed by both stays as it is, and what was saved is kept")
  func keepsDisputed() throws {
    try server(#""text": "Theirs""#)
    let edited = edit("s/Milk/Mine/")
    try expectKept(edited, "was changed", "Mine")
    #expect(edited.error.contains("(text)"))
    #expect(anna.run("push").error == "nothing to push\n")
  }

  @Test(
    "an item that a pull has removed stays so, whether or not something is saved",
    arguments: [false, true])
  func keepsRemoved(isSaved: Bool) throws {
    try world.server.request("DELETE", "tables/todoitem/milk")
    let edited = edit(isSaved ? "s/Milk/Mine/" : "")
    if isSaved {
      try expectKept(edited, "was removed", "Mine")
    } else {
      #expect(edited == Outcome(status: 0, output: "", error: "nothing changed\n"))
    }
    #expect(anna.item("milk") == nil)
    #expect(anna.run("push").error == "nothing to push\n")
  }

  @Test(
    "what was pending, and was sent and changed by others, or resolved, isn't sent again",
    arguments: [
      "tsync push -q; tsync pull -q", "tsync pull -q; tsync resolve -q --server milk",
    ])
  func keepsOverPending(happening: String) throws {
    anna.run("set", "milk", "notes=pending")
    let url = "\(world.server.url)/tables/todoitem/milk"
    let patch = "curl -sf -o /dev/null -X PATCH -H \"Content-Type: application/json\""
    // Another person's change comes between what was sent and the pull.
    let change = "\(patch) -d \"{\\\"notes\\\": \\\"theirs\\\"}\" \(url)"
    let edited = edit(
      "s/Milk/Mine/", while: happening.replacing("tsync pull", with: "\(change); tsync pull"))
    #expect(edited.status == 0 && edited.output == "changed milk  Mine (text)\n", "\(edited)")
    #expect(anna.item("milk")?.contains("theirs") == true)
    #expect(anna.run("push").output == "updated milk  Mine\n")
    #expect(try world.row("milk").contains("theirs"))
    anna.expectSound()
  }

  @Test("what another command changes meanwhile stays")
  func keepsSet() throws {
    let edited = edit("s/old/new/", while: "tsync set -q milk due=2030-01-01")
    #expect(edited.status == 0 && edited.output == "changed milk  Milk (notes)\n", "\(edited)")
    #expect(edited.error == "tsync: edit: todoitem/milk: what was changed meanwhile stays: due\n")
    #expect(anna.item("milk")?.contains("2030-01-01") == true)
    #expect(anna.run("push").status == 0)
    anna.expectSound()
  }

  @Test(
    "nothing is undone where the editor fails, or a mistake is left", arguments: ["false", "true"])
  func undoesNothing(last: String) throws {
    try server(#""text": "Theirs""#)
    let change = last == "false" ? "s/old/new/" : "s/,//"
    let read = anna.directory.path(of: "read")
    let script = "cp \"$1\" \(read); \(tsync) pull -q; sed \"\(change)\" \(read) >\"$1\"; \(last)"
    anna.environment += [("EDITOR", "sh -c '\(script)' sh")]
    let edited = anna.run("edit", "milk")
    #expect(edited.status == (last == "false" ? 2 : 3), "\(edited)")
    #expect(edited.error.contains("nothing was taken; your text is in trash/edit"), "\(edited)")
    #expect(anna.item("milk")?.contains("Theirs") == true)
    #expect(anna.run("push").error == "nothing to push\n")
  }

  @Test("of several items each keeps what others have changed")
  func keepsInSeveral() throws {
    anna.run("new", "-s", "id=tea", "Tea")
    try server(#""text": "Theirs""#)
    let read = anna.directory.path(of: "read")
    let script =
      "cp \"$1\" \(read); \(tsync) pull -q; sed \"s/old/new/;s/Tea/Mint/\" \(read) >\"$1\""
    anna.environment += [("EDITOR", "sh -c '\(script)' sh")]
    let edited = anna.run("edit", "milk", "tea")
    #expect(
      edited.output == "changed milk  Theirs (notes)\nchanged tea  Mint (text)\n", "\(edited)")
    #expect(edited.error == "tsync: edit: todoitem/milk: what was changed meanwhile stays: text\n")
    #expect(edited.status == 0)
    #expect(anna.run("push").status == 0)
    anna.expectSound()
  }
}
