import CommandSupport
import Commands
import Foundation
import TestSupport
import Testing

/// A tsync-server whose store is put back from a copy.
@Suite struct NetworkLostTests {
  /// Starts and stops a server on one store; its address changes.
  private final class Backups {
    private let directory = TemporaryDirectory()
    private var server: RunningServer?
    var url: String { server?.url ?? "" }

    init() throws { try start() }

    private func start() throws {
      server = try RunningServer(store: directory.path(of: "server.db"))
    }

    /// Copies the store, or puts the copy in its place.
    func copy(isBack: Bool, telling people: [Person]) throws {
      server = nil
      let files = FileManager.default
      for name in ["server.db", "server.db-wal", "server.db-shm"] {
        let places = [directory.path(of: name), directory.path(of: "copy-\(name)")]
        let (from, to) = isBack ? (places[1], places[0]) : (places[0], places[1])
        try? files.removeItem(atPath: to)
        if files.fileExists(atPath: from) { try files.copyItem(atPath: from, toPath: to) }
      }
      try start()
      for person in people { #expect(person.run("remote", "set", url).status == 0) }
    }
  }

  private let backups: Backups
  private let anna, ben: Person

  init() throws {
    backups = try Backups()
    anna = try Person(cloning: backups.url)
    ben = try Person(cloning: backups.url)
    for number in 0..<30 { anna.run("new", "-s", "id=old\(number)", "Old \(number)") }
    anna.run("push")
    ben.run("pull")
  }

  /// Ten new rows and two edits come after a backup, which is put back.
  private func lose() throws {
    try backups.copy(isBack: false, telling: [anna, ben])
    for number in 10..<20 { anna.run("new", "-s", "id=i\(number)", "Thing \(number)") }
    anna.run("set", "old1", "text=Once")
    anna.run("push")
    anna.run("set", "old2", "text=Once")
    anna.run("push")
    anna.run("set", "old2", "text=Twice")
    anna.run("push")
    anna.run("pull")
    try backups.copy(isBack: true, telling: [anna, ben])
  }

  @Test("pull stops, and push --missing sends what the server has lost")
  func missing() throws {
    try lose()
    let pulled = anna.run("pull")
    #expect(pulled.status == 6)
    #expect(
      pulled.error.hasSuffix(
        """
        tsync: pull: the server lost rows that this workspace has: it was put back from a backup, or \
        another server took over; whoever received the newest rows begins
        tsync: to see them: tsync push --missing -n
        tsync: to send them again: tsync push --missing
        tsync: to take the server's state: tsync pull --full

        """), "\(pulled)")
    #expect(ben.run("pull").status == 0)
    let examined = anna.run("doctor", "--deep")
    #expect(
      examined.error.contains(
        "todoitem: the server lacks 10 rows, the server has 2 rows in an older state"),
      "\(examined)")
    let would = (10..<20).map { "would create i\($0)  Thing \($0)" }
    let foretold = anna.run("push", "--missing", "-n")
    #expect(foretold.status == 0)
    #expect(
      foretold.output.split(separator: "\n").map(String.init).sorted()
        == would + ["would update old1  Once", "would update old2  Twice"], "\(foretold)")
    anna.expectClean()
    // An edit that came since arrives, too.
    anna.run("set", "i10", "text=Edited")
    let pushed = anna.run("push", "--missing")
    #expect(pushed.status == 0, "\(pushed)")
    #expect(pushed.output.split(separator: "\n").count == 12)
    #expect(anna.run("pull").status == 0)
    #expect(ben.run("pull").status == 0)
    #expect(ben.items.count == 40)
    #expect(ben.item("i10")?.contains("Edited") == true)
    #expect(ben.item("old2")?.contains("Twice") == true)
    for person in [anna, ben] { person.expectClean() }
    let nothing = anna.run("push", "--missing")
    #expect(nothing.error.contains("todoitem: no row has to be sent again"), "\(nothing)")
  }

  @Test("pull --full takes the server's state, and the trash has what went")
  func full() throws {
    try lose()
    let full = anna.run("pull", "--full")
    #expect(full.status == 6)
    #expect(
      full.error.hasSuffix("to take the server's state: tsync pull --full --max-delete 12\n"),
      "\(full)")
    #expect(anna.run("pull", "--full", "--max-delete", "12").status == 0)
    #expect(anna.items.count == 30)
    #expect(anna.item("old2")?.contains("Old 2") == true)
    #expect(anna.run("restore", "text.has=Thing").status == 0)
    #expect(anna.items.count == 40)
    let pushed = anna.run("push")
    #expect(pushed.status == 0 && pushed.output.split(separator: "\n").count == 10, "\(pushed)")
    #expect(anna.run("pull").status == 0)
    anna.expectClean()
  }

  @Test("a delete that the server has forgotten is sent again")
  func deleted() throws {
    try backups.copy(isBack: false, telling: [anna])
    for number in 0..<12 { anna.run("rm", "old\(number)") }
    anna.run("push")
    anna.run("pull")
    try backups.copy(isBack: true, telling: [anna, ben])
    #expect(anna.run("pull").status == 6)
    #expect(anna.run("push", "--missing").status == 0)
    #expect(anna.run("pull").status == 0)
    #expect(ben.run("pull").status == 0)
    #expect(ben.items.count == 18)
  }
}
