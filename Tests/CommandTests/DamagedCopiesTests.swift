import CommandSupport
import TestSupport
import Testing

/// `restore` beside copies in the trash that can't be read: the newest copy counts, and where that can't be
/// read, the server's row does; an older copy is taken where there is nothing else.
@Suite struct DamagedCopiesTests {
  enum Damage: CaseIterable { case newest, oldest, all }

  private let anna: Person
  private let world: CaseWorld
  private let trash = "list/.todosync/trash/items/todoitem"

  init() throws {
    world = try CaseWorld()
    anna = world.anna
  }

  /// Makes an item of which the trash has copies.
  private func prepare(_ steps: String) {
    for step in steps.split(separator: "; ") {
      #expect(anna.run(step.split(separator: " ").map(String.init)).status == 0, "\(step)")
    }
  }

  /// The copies, the newest last.
  private var copies: [String] { anna.directory.names(in: trash).sorted() }

  private func damage(_ damage: Damage) {
    let names = copies
    let damaged: [String?] =
      damage == .all ? names : [damage == .newest ? names.last : names.first]
    for case let name? in damaged { anna.directory.write("{", to: "\(trash)/\(name)") }
  }

  @Test(
    "what comes back",
    arguments: [
      ("edited", "new -s id=milk Row; push; set milk text=Old; rm milk; restore milk", "Row", "Row"),
      ("never sent", "new -s id=milk Old; rm milk; restore milk", "Old", nil),
    ], Damage.allCases)
  func restores(case: (String, String, String, String?), damage: Damage) throws {
    let (_, steps, older, none) = `case`
    prepare(steps + "; set milk text=New; rm milk")
    try expect([.newest: older, .oldest: "New", .all: none][damage] ?? nil, damage)
  }

  @Test("what comes back of an item whose delete was pushed", arguments: Damage.allCases)
  func restoresDeleted(damage: Damage) throws {
    prepare("new -s id=milk Old; rm milk; restore milk; set milk text=New; push; rm milk; push")
    try expect("New", damage)
  }

  private func expect(_ text: String?, _ damage: Damage) throws {
    self.damage(damage)
    let kept = copies
    let would = anna.run("restore", "-n", "milk")
    let outcome = anna.run("restore", "milk")
    #expect(outcome.status == (text == nil ? 2 : 0), "\(outcome)")
    #expect(outcome.output == text.map { "restored milk  \($0)\n" } ?? "")
    #expect(would.output == text.map { "would restore milk  \($0)\n" } ?? "")
    #expect(text == nil || anna.item("milk")?.contains("\"\(text ?? "")\"") == true)
    #expect(copies == kept)
  }
}
