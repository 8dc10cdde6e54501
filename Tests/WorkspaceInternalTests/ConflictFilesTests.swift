import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct ConflictFilesTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func item(_ due: String) throws -> Item { try Item(text: #"{"due": "\#(due)"}"#) }

  private func conflict(
    base: String? = "1", client: String? = "2",
    server: String? = "3"
  ) throws -> Conflict {
    Conflict(
      base: try base.map(item), client: try client.map(item),
      server: try server.map(item))
  }

  private func text(_ side: String) -> String? {
    playground.directory.text(".todosync/conflicts/todoitem/a.\(side).json")
  }

  private func laid(_ due: String) -> String { "{\n  \"id\": \"a\",\n  \"due\": \"\(due)\"\n}\n" }

  private let gone = "{\n  \"id\": \"a\",\n  \"deleted\": true\n}\n"

  @Test("The sides lie side by side, the client's with the bytes of its file")
  func laysSides() throws {
    let digest = playground.save("{\"due\":\"2\"}")
    var workspace = try playground.open()
    try workspace.writeConflict(conflict(), of: playground.key())
    #expect(text("client") == "{\"due\":\"2\"}")
    #expect(text("server") == laid("3"))
    #expect(text("base") == laid("1"))
    #expect(playground.text() == "{\"due\":\"2\"}")
    #expect(try workspace.conflictClient(of: playground.key()) == .item(item("2"), digest))
  }

  @Test("A side that deleted the item says so, and reads as absent")
  func laysDeletedSides() throws {
    var workspace = try playground.open()
    try workspace.writeConflict(conflict(client: nil), of: playground.key())
    #expect(text("client") == gone)
    #expect(try workspace.conflictClient(of: playground.key()) == .absent)
    try workspace.writeConflict(conflict(server: nil), of: playground.key("b"))
    #expect(
      playground.directory.text(".todosync/conflicts/todoitem/b.server.json")
        == gone.replacing("\"a\"", with: "\"b\""))
  }

  @Test("What both began from is left out where that was nothing, and a former one goes")
  func laysNoBaseForAdded() throws {
    var workspace = try playground.open()
    try workspace.writeConflict(conflict(), of: playground.key())
    try workspace.writeConflict(conflict(base: nil), of: playground.key())
    #expect(text("base") == nil)
    #expect(playground.trash("conflicts/todoitem") == [laid("1")])
  }

  @Test("Removing a conflict moves every file of it to the trash, the edited document too")
  func removesConflicts() throws {
    var workspace = try playground.open()
    let key = try playground.key()
    try workspace.writeConflict(conflict(), of: key)
    _ = try workspace.prepare(MarkedDocument(conflict(), of: key.id), of: key)
    #expect(
      try workspace.conflictText(of: key, .edit) == MarkedDocument(conflict(), of: key.id).text)
    try workspace.removeConflict(of: key)
    #expect(playground.directory.names(in: ".todosync/conflicts/todoitem") == [])
    #expect(
      playground.directory.names(in: ".todosync/trash/conflicts/todoitem") == [
        "a.base.20260301T101502Z.1.json", "a.client.20260301T101502Z.1.json",
        "a.edit.20260301T101502Z.1.json", "a.server.20260301T101502Z.1.json",
      ])
    #expect(try workspace.conflictClient(of: key) == .absent)
    // Once more does no harm.
    try workspace.removeConflict(of: key)
  }

  private func save(_ text: String) {
    playground.directory.write(text, to: ".todosync/conflicts/todoitem/a.edit.json")
  }

  @Test("A document is opened again as it was left while both sides say the same")
  func keepsDocuments() throws {
    let workspace = try playground.open()
    let key = try playground.key()
    let document = MarkedDocument(try conflict(), of: key.id)
    #expect(try workspace.prepare(document, of: key) == nil)
    #expect(text("edit") == String(decoding: document.text, as: UTF8.self))
    let firstLine = document.text.prefix { $0 != 0x0A }
    for text in [document.text, firstLine + [0x0A]].map({
      String(decoding: $0 + "LEFT".utf8, as: UTF8.self)
    }) {
      save(text)
      #expect(try workspace.prepare(document, of: key) == nil)
      #expect(self.text("edit") == text)
      // What both began from is no side.
      let other = MarkedDocument(try conflict(base: "0"), of: key.id)
      #expect(try workspace.prepare(other, of: key) == nil)
      #expect(self.text("edit") == text)
    }
    #expect(playground.trash("conflicts/todoitem") == [])
  }

  @Test(
    "A document of other versions goes to the trash, and so does one that names none or is blank")
  func displacesDocuments() throws {
    let workspace = try playground.open()
    let key = try playground.key()
    let document = MarkedDocument(try conflict(), of: key.id)
    let blank = String(decoding: document.text.prefix { $0 != 0x0A }, as: UTF8.self) + "\n \n"
    var displaced = try [
      conflict(client: "5"), conflict(server: "5"), conflict(client: nil), conflict(server: nil),
    ].map { String(decoding: MarkedDocument($0, of: key.id).text, as: UTF8.self) + "LEFT" }
    displaced += ["{\"due\": \"4\"}", "// mine\n{}", " ", blank]
    for text in displaced {
      save(text)
      let place = try #require(try workspace.prepare(document, of: key))
      #expect(playground.directory.text(".todosync/\(place)") == text)
      #expect(self.text("edit") == String(decoding: document.text, as: UTF8.self))
    }
    #expect(playground.trash("conflicts/todoitem").sorted() == displaced.sorted())
  }

  /// How a conflict with an edited document ends.
  enum Ending: CaseIterable {
    case pulled, unrecorded, resolved, emptied
  }

  @Test(
    "Where a conflict ends without being resolved, the place of its edited document is told",
    arguments: Ending.allCases)
  func tellsPutAwayDocuments(ending: Ending) throws {
    var workspace = try playground.open()
    let key = try playground.key()
    let row = Row(
      id: key.id, item: try item("3"), version: Version("2"), updatedAt: nil)
    try workspace.writeConflict(conflict(), of: key)
    if ending != .unrecorded {
      let laid = Fact.laid(key.id, Laid(file: nil, row: Digest(of: row.text)))
      try workspace.append([.arrived(Arrival(row)), laid], to: key.table, durably: true)
    }
    _ = try workspace.prepare(MarkedDocument(conflict(), of: key.id), of: key)
    save(ending == .emptied ? "" : "half")
    try workspace.removeConflict(of: key, as: ending == .resolved ? .decided : .byItself)
    var told: [String] = []
    try workspace.finish("pull") { told.append($0) }
    guard ending == .pulled || ending == .unrecorded else {
      #expect(told == [])
      return
    }
    #expect(told.count == 1)
    let place = try #require(told.first?.split(separator: " ").last)
    #expect(playground.directory.text(".todosync/\(place)") == "half")
  }

  @Test("Something that is no file in a side's place is moved away")
  func replacesWhatIsNoFile() throws {
    let path = playground.directory.path(of: ".todosync/conflicts/todoitem")
    mkdir(path, 0o700)
    #expect(symlink("/etc/passwd", path + "/a.server.json") == 0)
    var workspace = try playground.open()
    try workspace.writeConflict(conflict(), of: playground.key())
    #expect(text("server") == laid("3"))
  }
}
