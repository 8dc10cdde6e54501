import CommandSupport
import Glibc
import Synchronization
import TestSupport
import Testing

/// Editors that save an item at the very moment at which tsync replaces it.
@Suite struct EditorTests {
  /// The ways in which editors save.
  enum Style: CaseIterable, Sendable {
    case inPlace, replacing, movedAside, copiedBefore, appending
  }

  @Test(
    "case 79: what an editor saves during pulls and pushes is somewhere", arguments: Style.allCases)
  func saves(_ style: Style) async throws {
    let rounds = Campaign.isWhole ? 500 : 10
    let world = try CrashWorld()
    try world.prepareTogether()
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)
    let path = world.mine().path(of: "i1")
    async let saver = OwnThread.run {
      var saver = Saver(at: path, style)
      while !isOver.load(ordering: .relaxed) {
        saver.save()
        hasBegun.store(true, ordering: .relaxed)
      }
      return saver
    }
    let place = world.place
    let told = try await OwnThread.run {
      defer { isOver.store(true, ordering: .relaxed) }
      while !hasBegun.load(ordering: .relaxed) { sched_yield() }
      return Self.disturb(place, rounds: rounds)
    }
    let saved = try await saver
    Campaign.tell(
      "\(style): \(saved.count) saves in \(rounds) rounds, statuses \(told.statuses), "
        + "noticed by tsync: \(told.collisions)")
    let lost = ByteAudit(marks: saved.mustBeThere).lost(
      from: FileTree(at: world.mine().workspace), contents: try world.server.contents())
    #expect(lost == [])
    #expect(saved.count > 0)
    #expect(told.failures == [])
    // A campaign in which the two have never met has shown nothing.
    if Campaign.isWhole { #expect(told.collisions > 0) }
    #expect(world.check(world.mine()) == nil)
  }

  /// What the commands have told that were run beside the editor.
  private struct Told {
    var statuses: [Int32: Int] = [:]
    /// What was told with a status that an editor is no reason for.
    var failures: [String] = []
    /// How many lines say that the item was saved at the moment at which it was to be replaced.
    var collisions = 0

    mutating func add(_ outcome: Outcome) {
      statuses[outcome.status, default: 0] += 1
      if !(0...3).contains(outcome.status) { failures.append("\(outcome.status): \(outcome.text)") }
      for line in outcome.text.split(separator: "\n")
      where ["another program", "after tsync moved it", "held "].contains(where: line.contains) {
        collisions += 1
      }
    }
  }

  /// Another person changes the row, and both exchange their changes.
  private static func disturb(_ place: String, rounds: Int) -> Told {
    let mine = Person(in: TemporaryDirectory(at: "\(place)/mine"))
    let theirs = Person(in: TemporaryDirectory(at: "\(place)/theirs"))
    var told = Told()
    for round in 0..<rounds {
      theirs.run("pull")
      theirs.run("set", "i1", "notes=theirs \(round)")
      if round % 3 == 2 { theirs.run("set", "i1", "text=theirs \(round)") }
      theirs.run("resolve", "--client", "-a")
      theirs.run("push")
      told.add(mine.run("pull"))
      told.add(mine.run("push"))
      if round % 4 == 3 {
        told.add(mine.run("resolve", ["--client", "--server", "--both"][round % 3], "-a"))
      }
    }
    return told
  }
}

/// An editor at full speed.
private struct Saver {
  /// How often it has saved.
  private(set) var count = 0
  private let file: SavedFile
  private let style: EditorTests.Style
  private var saved: Set<[UInt8]> = []
  private var overwritten: Set<[UInt8]> = []

  init(at path: String, _ style: EditorTests.Style) {
    file = SavedFile(at: path, beside: ".i1.json.swp")
    self.style = style
  }

  /// The marks of what it has saved and not overwritten.
  var mustBeThere: Set<[UInt8]> { saved.subtracting(overwritten) }

  /// Saves another text.
  mutating func save() {
    let mark = "~e\(count)~"
    let text = "{\"id\": \"i1\", \"text\": \"Item \(mark)\", \"notes\": \"n\"}\n"
    let outcome =
      switch style {
      case .inPlace: file.overwrite(with: text)
      case .replacing: file.replace(with: text)
      case .movedAside: file.moveAside(with: text)
      case .copiedBefore: file.overwrite(with: text, copying: true)
      // What is added makes the file invalid, until it is written anew.
      case .appending: count % 5 == 0 ? file.overwrite(with: text) : file.append(" // \(mark)\n")
      }
    overwritten.formUnion(ByteAudit(of: [outcome.overwritten]).marks)
    if outcome.isSaved {
      saved.insert(Array(mark.utf8))
      count += 1
    }
  }
}
