import CommandSupport
import Commands
import Glibc
import SystemPackage
import TestSupport
import Testing

/// A disk and a machine that refuse; each call at each place is the crash sweep's.
@Suite struct RefusingMachineCases {
  typealias Rule = FailingCalls.Rule

  private let world: CaseWorld
  private var anna: Person { world.anna }

  /// The server has changed what lies here clean, and something waits here.
  init() throws {
    world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#)
    anna.run("set", "tea", "text=Green tea")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
  }

  private func run(_ command: String, _ rules: [Rule]) throws -> Outcome {
    let anna = anna
    let words = command.split(separator: " ").map(String.init)
    guard let outcome = FailingCalls.run(rules, { anna.run(words) }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    return outcome
  }

  /// Expects the next exchange to bring everything.
  private func expectAll(_ location: SourceLocation = #_sourceLocation) throws {
    let synced = anna.run("sync")
    #expect(synced.status == 0, "\(synced.error)", sourceLocation: location)
    #expect(anna.item("milk")?.contains("Oat milk") == true, sourceLocation: location)
    #expect(try world.row("tea").contains("Green tea"), sourceLocation: location)
    anna.expectSound(location)
  }

  @Test("an undo that the disk has stopped is not done: the next one goes on with it")
  func undoGoesOn() throws {
    anna.run("rm", "tea")
    anna.run("new", "-s", "id=other", "Other")
    let calls: [SystemCall] = [.renameat, .renameat2, .linkat]
    let stopped = try run("undo 3", calls.map { Rule(call: $0, error: .ioError) })
    #expect(stopped.status == 8)
    #expect(anna.item("tea") == nil)
    #expect(anna.run("undo").output == "restored tea  Green tea\n")
    #expect(anna.item("other") != nil)
  }

  struct Fault: CustomTestStringConvertible {
    let name: String
    let rules: [Rule]
    var testDescription: String { name }

    init(_ name: String, _ error: Errno, _ calls: SystemCall...) {
      self.name = name
      rules = calls.map { Rule(call: $0, error: error) }
    }
  }

  @Test(
    "cases 82, 83, 84, L5: where the disk refuses, tsync says so and goes on when it doesn't",
    arguments: [
      Fault("No space left on device", .noSpace, .write, .pwrite64),
      Fault("Disk quota exceeded", Errno(rawValue: EDQUOT), .write, .pwrite64),
      Fault("Input/output error", .ioError, .fsync, .fdatasync, .syncfs),
      Fault("Input/output error", .ioError, .getdents64),
      Fault("Too many open files", .tooManyOpenFiles, .openat),
      Fault(
        "Too many open files in system", .tooManyOpenFilesInSystem, .openat),
    ], ["push", "pull"])
  func diskRefuses(fault: Fault, command: String) throws {
    let refused = try run(command, fault.rules)
    #expect(refused.status == 8, "\(refused.output)\(refused.error)")
    #expect(refused.error.contains(": \(fault.name)\n"), "\(refused.error)")
    #expect(!refused.error.contains("nothing to push"))
    try expectAll()
  }

  @Test("case 83: what couldn't be made durable is written to a new file, not tried again there")
  func writesAnew() throws {
    let path = anna.directory.path(of: "list/.todosync/journal/todoitem.jsonl")
    func inode() -> ino_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_ino : 0
    }
    anna.run("rm", "milk")
    let before = inode()
    // As long as it is open its number isn't given to another file.
    let held = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(held) }
    anna.run("restore", "milk")
    #expect(inode() == before)
    // The logs are synchronized by fdatasync, a new file by fsync: the one alone never succeeds.
    let pushed = try run("push", [Rule(call: .fdatasync, error: .ioError)])
    #expect(pushed.status == 0, "\(pushed.output)\(pushed.error)")
    #expect(inode() != before)
    try expectAll()
  }

  @Test("cases 82, L5: where no name can be made any more, what came is kept back")
  func noNames() throws {
    let refused = try run(
      "pull",
      [SystemCall.mkdirat, .linkat, .renameat2].map { Rule(call: $0, error: .noSpace) })
    #expect(refused.status == 8, "\(refused.output)\(refused.error)")
    #expect(refused.error.contains(": No space left on device\n"))
    #expect(anna.item("milk")?.contains("Oat milk") == false)
    try expectAll()
  }

  @Test(
    "case 84: where no socket is to be had the server can't be reached, and nothing is lost",
    arguments: ["push", "pull"])
  func noSockets(command: String) throws {
    let refused = try run(command, [Rule(call: .socket, error: .tooManyOpenFiles)])
    #expect(refused.status == 5, "\(refused.output)\(refused.error)")
    try expectAll()
  }

  @Test("case 84: with a few descriptors a command succeeds or says why it doesn't")
  func fewDescriptors() throws {
    var statuses: Set<Int32> = []
    for limit in [3, 4, 5, 6, 8, 12, 16, 24, 32, 64, 1_024] {
      for command in ["status", "sync"] {
        let outcome = try anna.shell("ulimit -n \(limit); exec tsync \(command)")
        // 127: the program's own libraries could not be opened.
        #expect(
          [0, 5, 8, 127].contains(outcome.status), "\(limit): \(outcome.status) \(outcome.error)")
        if outcome.status == 8 { #expect(outcome.error.contains("tsync: \(command): ")) }
        statuses.insert(outcome.status)
      }
    }
    #expect(statuses.isSuperset(of: [0, 8]))
    try expectAll()
  }

  @Test(
    "case 84: without memory the process ends, and the workspace is as it was",
    .disabled(if: Sanitizer.isOn))
  func littleMemory() throws {
    var statuses: Set<Int32> = []
    for kilobytes in [8_000, 16_000, 32_000, 48_000, 64_000, 96_000, 400_000] {
      let outcome = try anna.shell("ulimit -v \(kilobytes); exec tsync sync")
      statuses.insert(outcome.status)
    }
    #expect(statuses.contains(0))
    #expect(statuses.count > 1)
    try expectAll()
  }

  @Test(
    "case 85: on a read-only file system what only looks works, and what changes refuses",
    arguments: [
      ("status", 0), ("list", 0), ("diff", 0), ("journal", 0), ("pull", 8), ("push", 8),
      ("sync", 8),
    ])
  func readOnly(command: String, status: Int32) throws {
    let expected = anna.run(command == "list" ? "list" : "diff")
    let outcome = try run(command, FailingCalls.readOnly)
    #expect(outcome.status == status, "\(outcome.error)")
    if command == "list" || command == "diff" { #expect(outcome == expected) }
    if status == 8 { #expect(outcome.error.contains(": Read-only file system\n")) }
    try expectAll()
  }

  @Test(
    "cases 96, L11: where the file system has no locks nothing is changed",
    arguments: ["push", "pull"],
    [Errno.noLocks, .noFunction, Errno(rawValue: EOPNOTSUPP)])
  func noLocks(command: String, error: Errno) throws {
    let refused = try run(command, [Rule(call: .flock, error: error)])
    #expect(refused.status == 6, "\(refused.error)")
    #expect(refused.error.contains("lock: No locks available\n"))
    #expect(refused.error.contains("keep it on a disk of this machine"))
    #expect(world.writes == [])
    #expect(try run("status", [Rule(call: .flock, error: error)]).status == 0)
    try expectAll()
  }

  @Test("cases 96, L11: where names can't be exchanged a pull works all the same, old bytes kept")
  func noExchange() throws {
    let before = anna.item("milk")
    let pulled = try run(
      "pull", [Rule(call: .renameat2, error: .invalidArgument, argument: (4, 2))])
    #expect(pulled.status == 0, "\(pulled.error)")
    #expect(anna.item("milk")?.contains("Oat milk") == true)
    let kept = anna.trashed()
    #expect(kept.contains(before ?? ""))
    try expectAll()
  }

  /// Replacing a file is refused; a new one can be made.
  private func exchange(_ error: Errno) -> [Rule] {
    [Rule(call: .renameat2, error: error, argument: (4, 2))]
  }

  @Test("a file that can't be replaced holds its row, and the other rows come")
  func oneFileRefused() throws {
    try world.server.request("POST", "tables/todoitem", #"{"id": "rice", "text": "Rice"}"#)
    let pulled = try run("pull", exchange(.notPermitted))
    #expect(pulled.status == 3, "\(pulled.error)")
    #expect(pulled.output.contains("held milk  Milk (cannot be written)\n"))
    #expect(pulled.error.contains("items/todoitem/milk.json: cannot be written"))
    #expect(pulled.error.contains("lsattr .todosync/items/todoitem/milk.json"))
    #expect(anna.item("rice") != nil)
    // Other commands go on, and the row waits.
    #expect(try run("status", exchange(.notPermitted)).status == 0)
    let pushed = try run("push", exchange(.notPermitted))
    #expect(pushed.status == 0, "\(pushed.error)")
    #expect(anna.item("milk")?.contains("Oat milk") == false)
    try expectAll()
  }

  @Test("where a directory takes nothing, a pull ends, and names it once")
  func directoryRefused() throws {
    let calls: [SystemCall] = [.renameat2, .faccessat, .faccessat2]
    let pulled = try run("pull", calls.map { Rule(call: $0, error: .permissionDenied) })
    #expect(pulled.status == 8, "\(pulled.error)")
    #expect(pulled.error.split(separator: "\n").count { $0.contains("Permission denied") } == 1)
    try expectAll()
  }

  @Test("undo and rm go on behind a file that can't be replaced, and end with 8")
  func commandsGoOn() throws {
    anna.run("pull")
    anna.run("rm", "milk")
    anna.run("push")
    let undone = try run("undo", exchange(.notPermitted))
    #expect(undone.status == 8, "\(undone.output)\(undone.error)")
    #expect(undone.output.contains("restored milk"))
    #expect(undone.error.contains("items/todoitem/tea.json: cannot be written"))
    let before = anna.run("journal")
    let removed = try run(
      "rm -y milk tea", [Rule(call: .renameat2, error: .notPermitted)])
    #expect(removed.status == 8, "\(removed.output)\(removed.error)")
    #expect(removed.error.contains("milk.json: cannot be written"))
    #expect(removed.error.contains("tea.json: cannot be written"))
    // What was not removed is not noted as removed.
    #expect(anna.run("journal") == before)
  }

  @Test("a file that changes in every round is no invalid one: its row waits for the next pull")
  func changesInEveryRound() throws {
    let pulled = try run("pull", exchange(.noSuchFileOrDirectory))
    #expect(pulled.status == 3, "\(pulled.error)")
    #expect(pulled.output.contains("held milk  Milk (changed meanwhile)\n"))
    #expect(pulled.error.contains("milk.json: changed meanwhile"))
    #expect(pulled.error.contains("to apply its row: tsync pull"))
    try expectAll()
  }
}
