import CommandSupport
import Commands
import Glibc
import Synchronization
import TestSupport
import Testing

/// Commands that end before their work is done.
@Suite(.onThreads) struct SignalCases {
  /// A process that a server's thread may signal.
  private final class Target: Sendable {
    let id = Mutex<pid_t>(0)
    /// Opened once the process is known.
    let isKnown = Gate()

    func set(_ process: ChildProcess) {
      id.withLock { $0 = process.id }
      isKnown.open()
    }

    func signal(_ number: Int32) {
      isKnown.wait()
      _ = id.withLock { kill($0, number) }
    }
  }

  private static func lines(_ count: Int) -> String {
    (0..<count).map { #"{"id": "i\#($0)", "text": "Item \#($0)"}"# + "\n" }.joined()
  }

  @Test(
    "cases 89, L7: Ctrl-C during a push finishes what is under way, sums up, and the rest waits",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func interruptsPush(number: Int32) throws {
    let target = Target()
    let count = Mutex(0)
    let world = try CaseWorld { request in
      guard request.method == "POST" else { return .forward }
      // The tenth is being answered when the signal comes.
      if count.withLock({
        $0 += 1; return $0
      }) == 10 {
        target.signal(number)
      }
      return .forward
    }
    world.anna.directory.write(Self.lines(100), to: "lines")
    world.anna.run("new", "-f", world.anna.directory.path(of: "lines"))
    let push = try world.anna.start(["push", "-j", "1"])
    target.set(push)
    let ended = push.outcome()
    #expect(ended.status == 128 + number)
    #expect(ended.output.split(separator: "\n").count == 10)
    #expect(
      ended.error == """
        10 pushed
        tsync: push: interrupted
        tsync: nothing is lost: 90 changes wait          try again: tsync push -j 1

        """)
    #expect(world.writes.count == 10)
    #expect(world.anna.run("push").error == "90 pushed\n")
    #expect(world.writes.count == 100)
    #expect(
      try world.server.request("GET", "tables/todoitem?$count=true").contains(#""count":100"#))
    world.anna.expectSound()
  }

  @Test("cases 89, L7: Ctrl-C during a pull keeps what has come, and the next pull brings the rest")
  func interruptsPull() throws {
    let target = Target()
    let isDue = Gate()
    let pages = Mutex(0)
    let world = try CaseWorld { _ in
      // A second signal would end the process at once.
      if isDue.wait(seconds: 0),
        pages.withLock({
          $0 += 1; return $0
        }) == 2
      {
        target.signal(SIGINT)
      }
      return .forward
    }
    world.anna.run("config", "pull.page", "5")
    for number in 0..<20 {
      try world.server.request("POST", "tables/todoitem", #"{"id": "i\#(number)", "text": "x"}"#)
    }
    isDue.open()
    let pull = try world.anna.start(["pull"])
    target.set(pull)
    let ended = pull.outcome()
    #expect(ended.status == 130, "\(ended.error)")
    #expect(ended.error.hasSuffix("tsync: pull: interrupted\n"), "\(ended.error)")
    world.anna.run("remote", "set", world.server.url)
    world.anna.expectSound()
    #expect(world.anna.directory.names(in: "list/.todosync/items/todoitem").count == 20)
  }

  @Test("case 89: a second Ctrl-C ends at once, and the next push finds out what was done")
  func interruptsTwice() throws {
    let target = Target()
    let isDisturbed = Gate()
    let world = try CaseWorld { request in
      guard request.method == "POST", !isDisturbed.wait(seconds: 0) else { return .forward }
      target.signal(SIGINT)
      target.signal(SIGINT)
      return .loseAnswer
    }
    world.anna.run("new", "-s", "id=milk", "Milk")
    let push = try world.anna.start(["push"])
    target.set(push)
    #expect(push.outcome().status == 130)
    isDisturbed.open()
    let pushed = world.anna.run("push")
    #expect(pushed.status == 0)
    #expect(pushed.error == "1 pushed\n")
    #expect(try world.row("milk").contains("Milk"))
    world.anna.expectSound()
  }

  @Test("case 89: who waits for an answer is told for whose, and Ctrl-C tells what isn't known")
  func interruptsWaiting() throws {
    let (isDue, isOver) = (Gate(), Gate())
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#) { _ in
      if isDue.wait(seconds: 0) { isOver.wait() }
      return .forward
    }
    let anna = world.anna
    anna.environment += [("NO_COLOR", "1")]
    anna.run("set", "milk", "text=Oat milk")
    isDue.open()
    let push = try anna.start(["push"], columns: 80)
    #expect(push.waits(for: "waiting for \(world.line.url)"))
    push.type("\u{3}")
    let ended = push.outcome()
    #expect(ended.status == 130)
    #expect(
      ended.output.hasSuffix(
        """
        unknown milk  Oat milk
        1 unknown                                        tsync push
        tsync: push: interrupted
        tsync: nothing is lost: 1 change waits           try again: tsync push

        """), "\(ended.output)")
    let clone = try anna.start(["clone", world.line.url, "../other"], columns: 80)
    #expect(clone.waits(for: "waiting for \(world.line.url)"))
    clone.type("\u{3}")
    let left = clone.outcome()
    #expect(left.status == 130)
    #expect(
      left.output.hasSuffix(
        """
        tsync: clone: interrupted
        tsync: the workspace is made; to continue        tsync -C ../other pull

        """), "\(left.output)")
    isOver.open()
    #expect(anna.run("push").status == 0)
    #expect(try world.row("milk").contains("Oat milk"))
    anna.expectSound()
  }

  @Test("case 89: a signal before anything is sent leaves no word of there being nothing to push")
  func interruptsBeforeSending() throws {
    let server = try RunningServer()
    let world = ScriptWorld()
    world.tsync(["clone", server.url, "list"])
    world.tsync(["-C", "list", "new", "-s", "id=milk", "Milk"])
    world.signal = SIGINT
    #expect(world.tsync(["-C", "list", "push"]) == 130)
    #expect(world.output == "")
    #expect(
      world.error == """
        tsync: push: interrupted
        tsync: nothing is lost: 1 change waits           try again: tsync -C list push

        """)
    #expect(world.tsync(["-C", "list", "push"]) == 0)
    #expect(world.error == "1 pushed\n")
  }

  @Test("L7: a push that is stopped for a while and goes on is a push like others")
  func isStopped() throws {
    let target = Target()
    let world = try CaseWorld { request in
      if request.method == "POST" {
        target.signal(SIGSTOP)
        target.signal(SIGCONT)
      }
      return .forward
    }
    world.anna.directory.write(Self.lines(5), to: "lines")
    world.anna.run("new", "-f", world.anna.directory.path(of: "lines"))
    let push = try world.anna.start(["push"])
    target.set(push)
    let ended = push.outcome()
    #expect(ended.status == 0)
    #expect(ended.error == "5 pushed\n")
    world.anna.expectSound()
  }

  @Test(
    "L7: where files may not grow, nothing is damaged", .disabled(if: Sanitizer.isOn),
    arguments: [0, 1, 2, 8])
  func mayNotGrow(blocks: Int) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let text = String(repeating: "x", count: 3_000)
    let outcome = try world.anna.shell("ulimit -f \(blocks); exec tsync set milk text=\(text)")
    // The call fails with EFBIG, which is told; no signal ends the process.
    #expect([0, 8].contains(outcome.status), "\(outcome)")
    if blocks == 0 { #expect(outcome.status != 0) }
    // Nor can more be told where the error's own file may not grow.
    if outcome.status != 0, blocks > 0 {
      #expect(outcome.error.contains("File too large"), "\(outcome)")
    }
    #expect(world.anna.run("sync").status == 0)
    world.anna.expectSound()
  }

  @Test("case 90: whose reader goes away stops quietly")
  func losesReader() throws {
    let world = try CaseWorld()
    // More than a pipe holds, so that the end is noticed.
    let lines = (1_000..<1_400).map { #"{"id": "\#($0)-\#(String(repeating: "x", count: 225))"}"# }
    world.anna.directory.write(lines.joined(separator: "\n"), to: "lines")
    world.anna.run("new", "-f", world.anna.directory.path(of: "lines"))
    for command in ["list", "push"] {
      let outcome = try world.anna.shell("{ tsync \(command); echo $? >status; } | head -n 1")
      #expect(outcome.status == 0)
      #expect(outcome.error == (command == "push" ? "400 pushed\n" : ""))
      #expect(outcome.output.split(separator: "\n").count == 1)
      #expect(world.anna.directory.text("list/status") == "141\n")
    }
    world.anna.expectSound()
  }

  @Test(
    "case 90: where standard output is full or closed, that is told",
    arguments: [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
  func failsToPrint(redirection: String, reason: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let outcome = try world.anna.shell("tsync list \(redirection)")
    #expect(outcome.status == 8)
    #expect(outcome.error == "tsync: list: cannot write standard output: \(reason)\n")
    world.anna.run("set", "milk", "text=Oat milk")
    let pushed = try world.anna.shell("tsync push \(redirection)")
    #expect(pushed.status == 8)
    #expect(pushed.error.contains("tsync: push: cannot write standard output: \(reason)\n"))
    #expect(world.anna.run("push").status == 0)
    #expect(try world.row("milk").contains("Oat milk"))
    world.anna.expectSound()
  }

  @Test(
    "case 90: where a stream is closed, what is said to it gets into no file and to no server",
    arguments: [
      ("<&-", 0), (">&-", 8), ("2>&-", 0), ("<&- >&-", 8), (">&- 2>&-", 8), ("<&- >&- 2>&-", 8),
    ])
  func closesStreams(redirection: String, status: Int32) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    let outcome = try anna.shell("tsync push \(redirection)")
    #expect(outcome.status == status)
    #expect(!world.hasSent("updated milk") && !world.hasSent("1 pushed"))
    for name in anna.directory.names(in: "list/.todosync") {
      let text = anna.directory.text("list/.todosync/\(name)") ?? ""
      #expect(!text.contains("updated milk") && !text.contains("1 pushed"), "\(name)")
    }
    #expect(try world.row("milk").contains("Oat milk"))
    anna.expectSound()
  }

  @Test("cases 91, L1: a second pull waits, then names the command that holds the workspace")
  func waitsForTheLock() throws {
    let isHeld = Gate()
    let isOver = Gate()
    let isDue = Gate()
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#) { _ in
      if isDue.wait(seconds: 0) {
        isHeld.open()
        isOver.wait()
      }
      return .forward
    }
    isDue.open()
    let first = try world.anna.start(["pull"])
    isHeld.wait()
    let start = ContinuousClock.now
    let second = world.anna.run("pull")
    // No machine is so slow that this is too much; it has waited before it gave up.
    #expect(ContinuousClock.now - start >= .seconds(5))
    isOver.open()
    #expect(second.status == 7)
    let words = "tsync: pull: another tsync holds the workspace: tsync pull, process \(first.id), "
    #expect(second.error.hasPrefix(words + "since 20"), "\(second.error)")
    #expect(second.error.hasSuffix("\ntsync: try again after it has ended\n"))
    #expect(first.outcome().status == 0)
    world.anna.expectSound()
  }

  @Test("case 92: what a killed command held is free at once")
  func killsTheHolder() throws {
    let isHeld = Gate()
    let isOver = Gate()
    let isDue = Gate()
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#) { _ in
      if isDue.wait(seconds: 0), !isOver.wait(seconds: 0) {
        isHeld.open()
        isOver.wait()
      }
      return .forward
    }
    world.anna.run("set", "milk", "text=Oat milk")
    isDue.open()
    let first = try world.anna.start(["push"])
    isHeld.wait()
    first.signal(SIGKILL)
    #expect(first.outcome().status == 137)
    isOver.open()
    #expect(world.anna.run("push").status == 0)
    #expect(try world.row("milk").contains("Oat milk"))
    world.anna.expectSound()
  }
}
