import ArgumentParser
import CommandSupport
import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import TestSupport
import Testing
import Workspace

@testable import Commands

/// A session whose history can't be written at first.
@Suite struct SessionTests {
  private let server: RunningServer
  private let anna: Person
  private let path = "list/.todosync/history.jsonl"
  private let history: [UInt8]

  init() throws {
    server = try RunningServer()
    try server.request("POST", "tables/todoitem", #"{"id": "milk", "text": "Milk"}"#)
    anna = try Person(cloning: server.url)
    history = try #require(anna.directory.read(path))
  }

  /// Makes a context without the process; its clock is the test's.
  private func context(_ clock: @escaping () -> Int64) throws -> Context {
    let options = try GlobalOptions.parse([])
    var run = CommandRun(in: anna.workspace, home: nil, variables: [])
    run.invocation.clock = clock
    let invocation = run.invocation
    return Context(
      invocation: invocation, options: options, command: "sync", words: ["sync"], selection: [],
      printer: Printer(invocation, options, command: "sync"))
  }

  /// Displaces milk's text.
  private func displace(_ session: inout Session) throws {
    let key = ItemKey(try TableName("todoitem"), try ItemID("milk"))
    let digest = try session.workspace.client(key).digest
    _ = try session.workspace.write(Item(JSONObject()), to: key, expecting: digest)
  }

  /// Makes the history one that this version can't add to.
  private func spoil() throws {
    var newer = history
    let version = try #require(newer.firstRange(of: Array("\"v\":2".utf8)))
    newer[version.upperBound - 1] = UInt8(ascii: "3")
    anna.directory.write(newer, to: path)
  }

  private var isDisplacedKnown: Bool {
    anna.directory.text(path)?.contains(#""id":"milk","did":"changed""#) == true
  }

  @Test("what was displaced stands in the line that a later pause writes")
  func keepsWhatAPauseCannotWrite() throws {
    let context = try context { 1_000_000_000_000_000_000 }
    try context.open(for: .exchanging(isDryRun: false)) { session in
      try displace(&session)
      try spoil()
      #expect(throws: WorkspaceError.self) { try session.unlocked {} }
      anna.directory.write(history, to: path)
    }
    #expect(isDisplacedKnown)
  }

  @Test("where the last line can't be written, it is tried once more")
  func triesOnceMore() throws {
    let calls = Calls()
    let context = try context { [anna, path, history] in
      // The second line's time is asked for.
      if calls.isCounting, calls.next() == 2 { anna.directory.write(history, to: path) }
      return 1_000_000_000_000_000_000
    }
    #expect(throws: Problem.self) {
      try context.open(for: .exchanging(isDryRun: false)) { session in
        try displace(&session)
        try spoil()
        calls.isCounting = true
      }
    }
    #expect(isDisplacedKnown)
  }
}

/// Counts calls.
private final class Calls {
  var isCounting = false
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}
