import CommandSupport
import Glibc
import TestSupport

/// A server and the directories of two people, for one run after the other.
final class CrashWorld {
  let server: RewindableServer
  /// The directory of both people's.
  let place: String
  /// The disk that they work on and that loses its power; `nil` where none does.
  let disk: CutDisk?
  private let directory = TemporaryDirectory(inMemory: true)
  private let fresh: Int

  /// Makes it, with an empty server.
  init(on disk: CutDisk? = nil) throws {
    self.disk = disk
    place = disk?.path ?? directory.path
    server = try RewindableServer(in: directory.path)
    fresh = try server.mark()
    for name in ["mine", "theirs"] { mkdir("\(place)/\(name)", 0o700) }
  }

  /// The person whose command is run.
  func mine(_ scenario: Scenario? = nil) -> Person {
    let person = Person(in: TemporaryDirectory(at: "\(place)/mine"))
    person.types = scenario?.types
    if let editor = scenario?.editor { person.environment = [("EDITOR", editor)] }
    if scenario?.keepsTokens == true {
      person.environment.append(("XDG_CONFIG_HOME", "\(person.workspace)/config"))
    }
    return person
  }

  /// The other person.
  var theirs: Person { Person(in: TemporaryDirectory(at: "\(place)/theirs")) }

  /// Returns a scenario's command line.
  func words(_ scenario: Scenario) -> [String] {
    scenario.words.map { $0.replacing("$URL", with: server.url) }
  }

  /// Brings about where a scenario begins; returns the server's mark for it.
  func prepare(_ scenario: Scenario) throws -> Int {
    try server.rewind(to: fresh)
    for person in [mine(), theirs] { Files.remove(person.workspace) }
    try scenario.prepare(mine(), theirs, server.url)
    return try server.mark()
  }

  /// Gives both people a workspace with the same five rows.
  func prepareTogether() throws {
    try Scenario.begin(mine(), theirs, server.url)
  }

  /// Runs a scenario's command, and where it finds that it has begun already, the one that goes on; and
  /// behind one that may find nothing to write, one that writes.
  ///
  /// - Returns: What each has come to; the last one counts.
  func goOn(_ scenario: Scenario) -> [Outcome] {
    let mine = mine(scenario)
    let first = mine.run(words(scenario), beside: scenario.isBeside)
    if let words = scenario.thenWrites { return [first, mine.run(words)] }
    guard first.status == 2, let words = scenario.goesOnBy else { return [first] }
    return [first, mine.run(words)]
  }

  /// What a workspace and the server have come to.
  func meaning(of person: Person) throws -> Meaning {
    Meaning(
      FileTree(at: person.workspace), status: person.quiet.run("status", "--porcelain").text,
      rows: try server.rows())
  }

  /// Has `doctor` look at a workspace; what is wrong with it, `nil` where nothing is.
  ///
  /// With `isInterrupted` there may be files on their way, which the next command that writes clears up.
  func check(_ person: Person, isInterrupted: Bool = false) -> String? {
    let outcome = person.quiet.run("doctor")
    guard outcome.status == 0 else { return "doctor ends with \(outcome.status): \(outcome.text)" }
    let left = FileTree(at: person.workspace).files.keys.filter { path in
      path.hasSuffix(".new") || path.split(separator: "/").contains { $0.hasPrefix(".tmp-") }
    }
    return isInterrupted || left.isEmpty ? nil : "left: \(left.sorted())"
  }
}
