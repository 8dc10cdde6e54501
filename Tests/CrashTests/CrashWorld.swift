import TestSupport

@testable import Commands

/// A server and the directories of two people, for one run after the other.
final class CrashWorld {
  let server: RewindableServer
  private let directory = TemporaryDirectory(inMemory: true)
  private let fresh: Int

  /// Makes it, with an empty server.
  init() throws {
    server = try RewindableServer(in: directory.path)
    fresh = try server.mark()
    for name in ["mine", "theirs"] {
      directory.write("", to: "\(name)/.keep")
    }
  }

  /// The person whose command is run.
  func mine(_ scenario: Scenario? = nil) -> Person {
    var person = Person(at: directory.path(of: "mine/list"), home: directory.path(of: "mine"))
    person.types = scenario?.types
    if let editor = scenario?.editor { person.environment = [("EDITOR", editor)] }
    return person
  }

  /// Returns a scenario's command line.
  func words(_ scenario: Scenario) -> [String] {
    scenario.words.map { $0 == "$URL" ? server.url : $0 }
  }

  /// Brings about where a scenario begins; returns the server's mark for it.
  func prepare(_ scenario: Scenario) throws -> Int {
    try server.rewind(to: fresh)
    let theirs = Person(at: directory.path(of: "theirs/list"), home: directory.path(of: "theirs"))
    for person in [mine(), theirs] { FileTree.remove(person.workspace) }
    scenario.prepare(mine(), theirs, server.url)
    return try server.mark()
  }

  /// The directory of both people's.
  var place: String { directory.path }

  /// Gives both people a workspace with the same five rows.
  func prepareTogether() throws {
    let theirs = Person(at: directory.path(of: "theirs/list"), home: directory.path(of: "theirs"))
    Scenario.begin(mine(), theirs, server.url)
  }

  /// What a workspace and the server have come to.
  func meaning(of person: Person) throws -> Meaning {
    var quiet = person
    quiet.types = nil
    return Meaning(
      FileTree(at: person.workspace), status: quiet.run("status", "--porcelain").text,
      rows: try server.rows())
  }

  /// Has a workspace checked; what is wrong with it, `nil` where nothing is.
  func check(_ person: Person) -> String? {
    var quiet = person
    quiet.types = nil
    let outcome = quiet.run("status")
    return outcome.status == 0 ? nil : "status \(outcome.status): \(outcome.text)"
  }
}
