import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// Signals that ask a command to end while an editor runs.
@Suite struct LeftEditorTests {
  private let world: CaseWorld
  private var anna: Person { world.anna }

  /// The editor says when it runs, and then takes its time.
  init() throws {
    world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#)
    let editor = ": >\(world.anna.directory.path(of: "started")); sleep 5 #"
    world.anna.environment += [
      ("EDITOR", editor), ("TMPDIR", world.anna.directory.path(of: "")),
    ]
  }

  /// Sends a signal once the editor runs, and returns how the command ends.
  private func ending(_ process: ChildProcess, _ number: Int32) -> Outcome {
    let path = anna.directory.path(of: "started")
    for _ in 0..<3_000 where access(path, F_OK) != 0 { usleep(10_000) }
    process.signal(number)
    return process.outcome()
  }

  @Test(
    "where the text is that the editor still has is told, and that it isn't taken",
    arguments: [
      ["edit", "milk"], ["edit", "milk", "tea"], ["config", "--edit"],
      ["config", "--user", "--edit"],
    ], [SIGTERM, SIGHUP])
  func edits(words: [String], number: Int32) throws {
    let ended = ending(try anna.start(words), number)
    #expect(ended.status == 128 + number)
    let told = "tsync: nothing was changed; your text is in "
    let found = try #require(ended.error.firstRange(of: told), "\(ended)")
    let place = String(ended.error[found.upperBound...].prefix { $0 != "\n" })
    let path = words[0] == "edit" ? anna.directory.path(of: "list/\(place)") : place
    let text = String(validating: try #require(Files.read(path)), as: UTF8.self)
    #expect(words[0] != "edit" || text?.contains(words.count == 2 ? "Milk" : "Tea") == true)
  }

  @Test(
    "resolve ends in plain words, and the text stays where it is, whoever holds the workspace",
    arguments: [false, true])
  func resolves(isHeld: Bool) throws {
    anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    anna.run("pull")
    let resolve = try anna.start(["resolve", "milk"], columns: 80)
    #expect(resolve.waits(for: "? [e]"))
    resolve.type("e\n")
    let path = anna.directory.path(of: "started")
    for _ in 0..<3_000 where access(path, F_OK) != 0 { usleep(10_000) }
    let lock = open(anna.directory.path(of: "list/.todosync/lock"), O_RDWR)
    defer { close(lock) }
    if isHeld { #expect(flock(lock, LOCK_EX | LOCK_NB) == 0) }
    let ended = ending(resolve, SIGTERM)
    #expect(ended.status == 128 + SIGTERM)
    #expect(ended.output.hasSuffix("tsync: resolve: interrupted\n"), "\(ended)")
    let texts = anna.directory.names(in: "list/.todosync/conflicts/todoitem")
    #expect(texts.contains("milk.edit.json"), "\(texts)")
  }

  @Test(
    "Ctrl-C that ends what decides on a conflict ends the command, which asks about nothing more",
    arguments: [
      ("editor", ["resolve"]), ("resolve.tool", ["resolve"]),
      ("resolve.command", ["push", "--resolve"]),
    ])
  func interrupts(setting: String, words: [String]) throws {
    anna.run("set", "milk", "text=Oat milk")
    anna.run("set", "tea", "text=Mint tea")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    try world.server.request("PATCH", "tables/todoitem/tea", #"{"text": "Black tea"}"#)
    anna.run("pull")
    let path = anna.directory.path(of: "started")
    let command = ": >\(path); sleep 5 #"
    #expect(anna.run("config", "--user", setting, command).status == 0)
    let resolve = try anna.start(words, columns: 80)
    if setting != "resolve.command" {
      #expect(resolve.waits(for: "? [e]"))
      resolve.type("e\n")
    }
    for _ in 0..<3_000 where access(path, F_OK) != 0 { usleep(10_000) }
    resolve.type("\u{3}")
    let ended = resolve.outcome()
    #expect(ended.status == 128 + SIGINT)
    #expect(ended.output.hasSuffix("tsync: \(words[0]): interrupted\n"), "\(ended)")
    #expect(!ended.output.contains("todoitem/tea"))
  }

  /// An editor that has saved, and is ended with the command by one signal: the command sees its end and
  /// the signal at once.
  private func makeDyingEditor() -> String {
    anna.directory.write(
      """
      sed -i 's/Milk/Typed/; s/{/{"merge": "manual",/' "$1"
      e=$$
      t=$PPID
      while [ $t -gt 1 ] && [ "$(cat /proc/$t/comm)" != tsync ]
      do e=$t; t=$(sed -n 's/^PPid:.//p' /proc/$t/status); done
      [ $t -gt 1 ] || exit 1
      kill -STOP $t
      until ! [ -e /proc/$t ] || grep -q '^State:.T' /proc/$t/status; do :; done
      (while [ -e /proc/$e ] && ! grep -q '^State:.Z' /proc/$e/status; do :; done; kill -CONT $t) &
      kill -TERM $t
      kill -TERM $e
      kill -TERM $$
      """, to: "dying")
    return "sh \(anna.directory.path(of: "dying"))"
  }

  @Test(
    "what was saved stays where one signal ends the editor and the command, and it is told where",
    arguments: [
      ["edit", "milk"], ["edit", "milk", "tea"], ["new", "-e", "Milk"], ["config", "--edit"],
      ["config", "--user", "--edit"],
    ])
  func keepsSaved(words: [String]) throws {
    anna.environment += [("TSYNC_EDITOR", makeDyingEditor())]
    let ended = try anna.start(words).outcome()
    #expect(ended.status == 128 + SIGTERM, "\(ended)")
    let told = try #require(ended.error.firstRange(of: "your text is in "), "\(ended)")
    let place = String(ended.error[told.upperBound...].prefix { $0 != "\n" })
    let path = place.hasPrefix("/") ? place : anna.directory.path(of: "list/\(place)")
    let text = String(validating: Files.read(path) ?? [], as: UTF8.self)
    #expect(text?.contains(words[0] == "config" ? "manual" : "Typed") == true, "\(ended)")
  }

  @Test("an editor that dies doesn't leave the terminal as it needed it")
  func dies() throws {
    anna.environment += [("VISUAL", "stty raw -echo; kill -9 $$ #")]
    anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    anna.run("pull")
    let resolve = try anna.start(["resolve", "milk"], columns: 80)
    #expect(resolve.waits(for: "? [e]"))
    #expect(resolve.hasLines)
    resolve.type("e\n")
    #expect(resolve.waits(for: "status 137"))
    #expect(resolve.hasLines)
    #expect(resolve.outcome().output.contains("left "))
  }

  @Test(
    "a signal that comes before the editor starts is heeded, and no editor starts",
    arguments: [["edit", "milk"], ["edit", "milk", "tea"], ["new", "-e"]])
  func startsNoEditor(words: [String]) {
    anna.signal = { SIGINT }
    anna.types = []
    let ended = anna.run(words)
    #expect(ended.status == 128 + SIGINT)
    #expect(!ended.error.contains("the editor"), "\(ended)")
    #expect(access(anna.directory.path(of: "started"), F_OK) != 0)
    #expect(anna.directory.names(in: "list/.todosync/trash").filter { $0.hasPrefix("edit") } == [])
  }
}
