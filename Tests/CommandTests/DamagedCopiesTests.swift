import CommandSupport
import Glibc
import TestSupport
import Testing

/// `restore` beside copies in the trash that can't be read: the newest copy counts, and where that can't be
/// read, the server's row does; an older copy is taken where there is nothing else.
@Suite struct DamagedCopiesTests {
  enum Damage: CaseIterable { case newest, newestIsLink, oldest, all }

  private let world: CaseWorld
  private var anna: Person { world.anna }
  private let trash = "list/.todosync/trash/items/todoitem"

  init() throws { world = try CaseWorld() }

  /// The copies, the newest last.
  private var copies: [String] { anna.directory.names(in: trash).sorted() }

  @Test(
    "what comes back of an item that was sent, that never was, and whose delete was pushed",
    arguments: [
      // What is done, and what comes back without the newest copy, and without any.
      (
        "new -s id=milk Row; push; set milk text=Old; rm milk; restore milk; set milk text=New; rm milk",
        "Row", "Row"
      ),
      ("new -s id=milk Old; rm milk; restore milk; set milk text=New; rm milk", "Old", nil),
      (
        "new -s id=milk Old; rm milk; restore milk; set milk text=New; push; rm milk; push",
        "New", "New"
      ),
    ], Damage.allCases)
  func restores(case: (steps: String, older: String, none: String?), damage: Damage) throws {
    for step in `case`.steps.split(separator: "; ") {
      #expect(anna.run(step.split(separator: " ").map(String.init)).status == 0, "\(step)")
    }
    let kept = copies
    let damaged = damage == .all ? kept[...] : damage == .oldest ? kept.prefix(1) : kept.suffix(1)
    for name in damaged {
      let path = anna.directory.path(of: "\(trash)/\(name)")
      unlink(path)
      if damage == .newestIsLink {
        symlink("/dev/null", path)
      } else {
        anna.directory.write("{", to: "\(trash)/\(name)")
      }
    }
    let text = damage == .all ? `case`.none : damage == .oldest ? "New" : `case`.older
    let would = anna.run("restore", "-n", damage == .all ? "milk" : "text=\(text ?? "")")
    let outcome = anna.run("restore", "milk")
    #expect(outcome.status == (text == nil ? 2 : 0), "\(outcome)")
    #expect(outcome.output == text.map { "restored milk  \($0)\n" } ?? "")
    #expect(would.output == text.map { "would restore milk  \($0)\n" } ?? "")
    #expect(text == nil || anna.item("milk")?.contains("\"\(text ?? "")\"") == true)
    #expect(copies == kept)
  }
}
