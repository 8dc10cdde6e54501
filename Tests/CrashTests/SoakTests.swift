import CommandSupport
import Glibc
import TestSupport
import Testing

/// Many processes at work in one workspace, some of them killed.
@Suite(.enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"))
struct SoakTests {
  @Test("cases 91, 92: processes in one workspace lose nothing, even where some are killed")
  func soaks() async throws {
    let (processes, commands) = Campaign.isWhole ? (8, 200) : (4, 15)
    let seed = Campaign.seed
    Campaign.tell("soak, seed \(seed): \(processes) processes of \(commands) commands")
    let world = try CrashWorld()
    try world.prepareTogether()
    let place = world.place
    let sum = try await Campaign.onThreads(processes) { number, _ in
      try SoakWorker(number, at: place, seed: seed &+ UInt64(number)).run(commands)
    }
    Campaign.tell(
      "\(sum.runs) commands, \(sum.kills) killed, statuses \(sum.statuses.sorted { $0.key < $1.key })"
    )
    for failure in sum.failures { Issue.record("\(failure)") }
    let mine = world.mine()
    // Whoever waited too long for the others has done nothing, and the last word is ours.
    for person in [mine, world.theirs] {
      person.run("resolve", "--both", "-a")
      let last = person.run("sync")
      #expect([0, 1].contains(last.status), "\(last.text)")
      #expect(world.check(person) == nil)
    }
    let lost = ByteAudit(marks: sum.saved.subtracting(sum.overwritten)).lost(
      from: FileTree(at: mine.workspace), FileTree(at: world.theirs.workspace),
      contents: try world.server.contents())
    #expect(lost == [])
    #expect(sum.saved.count > processes)
  }
}

/// One of those who work in the workspace, with commands and with an editor.
struct SoakWorker {
  /// What it has done.
  struct Report: Addable, Sendable {
    var runs = 0
    var kills = 0
    var statuses: [Int32: Int] = [:]
    /// The marks of what it was told is saved, or has saved itself.
    var saved: Set<[UInt8]> = []
    /// The marks of what its editor has destroyed.
    var overwritten: Set<[UInt8]> = []
    var failures: [String] = []

    mutating func add(_ other: Report) {
      runs += other.runs
      kills += other.kills
      statuses.merge(other.statuses) { $0 + $1 }
      saved.formUnion(other.saved)
      overwritten.formUnion(other.overwritten)
      failures += other.failures
    }
  }

  /// How a command may end that isn't killed: nobody's workspace is damaged, nor is it unsafe to go
  /// on, nor is the server away.
  private static let statuses: Set<Int32> = [0, 1, 2, 3, 7]

  private let number: Int
  private let person: Person
  private var random: SplitMix64
  private var report = Report()
  private var count = 0

  /// Takes its number among the workers, and the directory of ``CrashWorld``.
  init(_ number: Int, at place: String, seed: UInt64) {
    self.number = number
    // The first one has a workspace of its own, and changes the same rows.
    let name = number == 0 ? "theirs" : "mine"
    person = Person(in: TemporaryDirectory(at: "\(place)/\(name)"))
    random = SplitMix64(seed: seed)
  }

  /// Runs so many commands.
  consuming func run(_ commands: Int) throws -> Report {
    var worker = self
    for _ in 0..<commands { try worker.step() }
    return worker.report
  }

  private mutating func mark() -> String {
    count += 1
    return "~w\(number)n\(count)~"
  }

  private mutating func step() throws {
    let item = "i\(1 + random.below(5))"
    switch random.below(14) {
    case 0, 1: try command(["new", "-s", "id=w\(number)x\(count)"], saving: mark())
    case 2, 3:
      let mark = mark()
      try command(["set", item, "text=\(mark)"], saving: mark, isWord: false)
    case 4: try command(["rm", item])
    case 5: try command(["restore", item])
    case 6: try command(["resolve", ["--client", "--server", "--both"][random.below(3)], "-a"])
    case 7, 8: try command(["pull"])
    case 9, 10: try command(["push"])
    case 11: try command(["sync"])
    case 12: try command(["mv", item, "m\(number)x\(count)"])
    default: edit(item)
    }
  }

  /// Saves an item as an editor does that replaces the file.
  private mutating func edit(_ item: String) {
    let mark = mark()
    let saving = SavedFile(at: person.path(of: item), beside: ".\(number).tmp")
    let outcome = saving.replace(with: "{\"text\": \"\(mark)\", \"id\": \"\(item)\"}\n")
    if outcome.isSaved { report.saved.insert(Array(mark.utf8)) }
    report.overwritten.formUnion(ByteAudit(of: [outcome.overwritten]).marks)
  }

  private mutating func command(
    _ words: [String], saving mark: String? = nil, isWord: Bool = true
  ) throws {
    let words = words + (isWord ? mark.map { [$0] } ?? [] : [])
    let isKilled = random.once(in: 6)
    let call = isKilled ? 1 + random.below(60) : .max
    let ending = try person.program(words).run(Fault(mode: .kill, call: call))
    report.runs += 1
    if ending.met != nil { report.kills += 1 }
    report.statuses[ending.status, default: 0] += 1
    if !Self.statuses.contains(ending.status), ending.met == nil {
      report.failures.append(
        "\(words.joined(separator: " ")) ends with \(ending.status): \(ending.output)")
    }
    if let mark, ending.status == 0 { report.saved.insert(Array(mark.utf8)) }
  }
}
