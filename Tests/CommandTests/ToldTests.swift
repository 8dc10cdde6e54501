import CommandSupport
import Commands
import TestSupport
import Testing

/// What people are told and asked.
@Suite struct ToldTests {
  @Test("Ctrl-C where a token is asked for ends with the signal's status and in plain words")
  func interruptsPrompt() throws {
    let world = try CaseWorld()
    let login = try world.anna.start(["remote", "login"], columns: 80)
    #expect(login.waits(for: "token for \(world.line.url):"))
    login.type("\u{3}")
    let ended = login.outcome()
    #expect(ended.status == 130)
    #expect(ended.output.hasSuffix("\ntsync: remote: interrupted\n"), "\(ended.output)")
  }

  @Test("a token that is typed isn't shown, nor can Ctrl-Z leave the terminal without echo there")
  func staysAtPrompt() throws {
    let world = try CaseWorld()
    // Where the shell controls jobs, Ctrl-Z would stop what it has started.
    let shell = try ChildProcess(
      ["sh", "-m", "-c", "tsync remote login; echo ended $?; stty -a"],
      in: world.anna.directory.path(of: "list"), world.anna.variables, columns: 80)
    #expect(shell.waits(for: "token for \(world.line.url):"))
    shell.type("\u{1A}\u{15}canary-token\n")
    let ended = shell.outcome()
    #expect(ended.output.contains("\nended 0\n"), "\(ended.output)")
    #expect(ended.output.contains(" susp = ^Z;") && ended.output.contains(" echo "))
    #expect(!ended.output.contains("canary-token"))
    #expect(
      world.anna.directory.text("config/tsync/credentials.json")?.contains("canary-token") == true)
  }

  @Test("while an outcome is unknown only the same data set is asked, under whatever address")
  func refusesAnotherDataset() throws {
    let isCut = Gate()
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#) { _ in
      isCut.wait(seconds: 0) ? .loseAnswer : .forward
    }
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    isCut.open()
    #expect(anna.run("push").status == 5)
    #expect(anna.run("remote", "set", try RunningServer().url).status == 0)
    #expect(anna.run("push").status == 5)
    let other = try RunningServer()
    anna.run("remote", "set", other.url)
    #expect(anna.run("push").status == 6)
    #expect(try other.rows("milk").isEmpty)
    #expect(anna.run("remote", "set", world.server.url).status == 0)
    #expect(anna.run("push").status == 0)
    anna.expectSound()
  }

  @Test("a conflict that is settled while a mistake in it is asked about is over; the text is told")
  func tellsSettledMeanwhile() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    anna.run("pull")
    anna.environment += [("EDITOR", "sh -c 'echo TYPED >\"$1\"' sh")]
    let resolve = try anna.start(["resolve", "milk"], columns: 80)
    #expect(resolve.waits(for: "? [e]"))
    resolve.type("e\n")
    #expect(resolve.waits(for: "[l]eave? [e]"))
    #expect(anna.run("resolve", "--server", "milk").status == 0)
    resolve.type("e\nl\n")
    let ended = resolve.outcome()
    #expect(ended.status == 3, "\(ended.output)")
    #expect(
      ended.output.contains(
        "todoitem/milk was resolved by another command; nothing was changed"))
    let found = try #require(
      ended.output.firstRange(of: "your text is in "), "\(ended.output)")
    let place = ended.output[found.upperBound...].prefix { $0 != "\n" && $0 != "\r" }
    #expect(anna.directory.text("list/\(place)") == "TYPED\n", "\(ended.output)")
    anna.expectSound()
  }
}
