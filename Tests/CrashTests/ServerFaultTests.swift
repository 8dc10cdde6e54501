import CommandSupport
import Glibc
import SyncModel
import TestSupport
import Testing

/// A server whose store fails with ENOSPC or EIO, at any system call that changes its files.
@Suite(
  .serialized, .enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"),
  .disabled(if: Sanitizer.isThread, "a fault may meet a call of the sanitizer's own"))
struct ServerFaultTests {
  private let place = TemporaryDirectory()
  private var store: String { place.path(of: "server.db") }
  private var anna: Person { Person(in: TemporaryDirectory(at: place.path)) }

  /// How a round came out.
  private struct Round {
    /// What the faulty server was made to do.
    var ending = TracedProgram.Ending()
    /// What the push to it came to.
    var status: Int32 = 0
    var text = ""
    /// What waited after that.
    var waiting = ""
    /// What was not as it should be.
    var failures: [String] = []

    mutating func check(_ holds: Bool, _ words: String) { if !holds { failures.append(words) } }
  }

  @Test("V11: a fault at the store is told, what was acknowledged stays, and the rest comes again")
  func faults() async throws {
    try await OwnThread.run {
      try serving { url in
        try anna.does("clone", url, anna.workspace)
        for id in ["kept", "i0"] { try anna.does("new", "-s", "id=\(id)", "w0") }
        try anna.does("push")
      }
    }
    let calls = try await play(1, nil).ending.calls
    let start = try #require(calls.firstIndex { $0.kind == .write && $0.path.hasSuffix("/fifo") })
    let (first, rest) = (calls[..<start], calls[start...])
    #expect(rest.contains { $0.kind == .write && $0.path == "\(store)-wal" })
    #expect(rest.contains { $0.kind == .datasync && $0.path == "\(store)-wal" })
    var random = SplitMix64(seed: Campaign.seed)
    var (number, met, refused) = (1, 0, 0)
    // Of a store that can't be opened there is less to see.
    for (calls, share) in [(first, 16), (rest, 4)] {
      for call in calls where call.path.hasPrefix(store) && call.kind != .close {
        for mode in [Fault.Mode.noSpace, .full, .ioError] where mode.applies(to: call) {
          guard Campaign.isWhole || random.once(in: share) else { continue }
          number += 1
          let round = try await play(number, Fault(mode: mode, at: call))
          if round.ending.met != nil { met += 1 }
          if round.status != 0 { refused += 1 }
        }
      }
    }
    Campaign.tell("faults at a server: \(number - 1), met: \(met), failed pushes: \(refused)")
    #expect(met > 5 && refused > 0)
  }

  /// Lets a person push an insert, an update and a delete to a server that meets a fault, and again
  /// to one that doesn't.
  private func play(_ number: Int, _ fault: Fault?) async throws -> Round {
    try anna.does("set", "kept", "text=w\(number)")
    try anna.does("new", "-s", "id=i\(number)", "w\(number)")
    try anna.does("rm", "i\(number - 1)")
    let (fifo, process) = (place.path(of: "fifo"), place.path(of: "pid"))
    _ = (unlink(fifo), mkfifo(fifo, 0o600))
    let program = TracedProgram(
      path: "/bin/sh",
      arguments: [
        "-c", "echo $$ >pid; exec \"$0\" \"$@\" >fifo", Programs.path(of: "tsync-server"),
        "--no-auth", "--listen", "127.0.0.1:0", "--store", store,
      ],
      environment: Sanitizer.variables.map { "\($0.name)=\($0.value)" }, directory: place.path)
    async let ending = OwnThread.run { try program.run(fault) }
    var round = try await OwnThread.run {
      let output = open(fifo, O_RDONLY)
      defer { close(output) }
      var line = [UInt8](repeating: 0, count: 256)
      let count = read(output, &line, line.count)
      let url = String(decoding: line[..<max(0, count)].prefix { $0 != 0x0A }, as: UTF8.self)
      // A server that can't begin answers nothing.
      if !url.isEmpty { try anna.does("remote", "set", url) }
      let push = anna.run("push", "-j", "1")
      let waiting = anna.run("status", "--porcelain").text
      let id = Files.text(process) ?? ""
      if !url.isEmpty, let id = pid_t(String(id.prefix { $0 != "\n" })) { kill(id, SIGTERM) }
      return Round(status: push.status, text: push.text, waiting: waiting)
    }
    round.ending = try await ending
    round.check([0, 3, 5].contains(round.status), "it ends with \(round.status)")
    // A fault may meet a call by which the server wakes itself.
    let isTold =
      round.text.contains("was silent") || round.text.contains("503 the store is not available")
      || round.text.contains("busy (503)")
      || round.text.contains("cannot reach")
    round.check(round.status == 0 || isTold, "it doesn't say why")
    round.check((round.status == 0) == (round.waiting == Self.nothing), "waits: \(round.waiting)")
    let before = round
    round = try await OwnThread.run {
      var round = before
      try serving { try recover(number, at: $0, &round) }
      return round
    }
    for failure in round.failures {
      Issue.record("\(fault.map { "\($0)" } ?? "no fault"): \(failure)\n\(round.text)")
    }
    return round
  }

  /// What the status says where nothing waits.
  private static let nothing = "# tsync.status 1\n"

  /// Looks at what a server has without the fault, and pushes again.
  private func recover(_ number: Int, at url: String, _ round: inout Round) throws {
    let ids = ["kept", "i\(number)", "i\(number - 1)"]
    func compare(but waiting: String) throws {
      let ben = Person()
      try ben.does("clone", url, "list")
      for id in ids where !waiting.contains(" todoitem/\(id) ") {
        round.check(item(id, of: ben) == item(id, of: anna), "\(id) is another one at the server")
      }
    }
    try anna.does("remote", "set", url)
    try compare(but: round.waiting)
    try anna.does("push")
    let waiting = anna.run("status", "--porcelain").text
    round.check(waiting == Self.nothing, "after the second push waits: \(waiting)")
    round.check(anna.run("pull", "-v").text.contains("nothing new"), "a pull brings something")
    try compare(but: "")
  }

  private func item(_ id: String, of person: Person) -> Item? {
    person.directory.read(person.file(id)).flatMap { try? JSON(parsing: $0) }?.object.map {
      Item($0)
    }
  }

  /// Runs a server that nothing happens to.
  private func serving(_ body: (String) throws -> Void) throws {
    let server = try RunningServer(store: store)
    try body(server.url)
  }
}
