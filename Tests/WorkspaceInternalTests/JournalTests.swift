import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct JournalTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  @Test(
    "W7: what is not known is refused, and the words say what",
    arguments: [
      (#"{"t":"future","table":"t","id":"a"}"#, "unknown kind of record 'future'"),
      (#"{"table":"t","id":"a"}"#, "the member 't' is missing"),
      (#"{"t":"conflict","table":"t","id":".."}"#, "an id can't be '.' or '..'"),
      (
        #"{"t":"closed","table":"../t","id":"a"}"#,
        "a table name must be a letter, then letters, digits and '_', 64 at most"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"XX","fields":[],"row":{"id":"a"}}"#,
        "the member 'kind' is not a kind of conflict"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":[1],"row":{"id":"a"}}"#,
        "the member 'fields' is not a list of names"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":[]}"#,
        "the member 'row' is missing"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":[],"row":{"id":"a"},"file":"x"}"#,
        "the member 'file' is not a fingerprint"
      ),
    ])
  func refusesTheUnknown(text: String, fact: String) throws {
    let object = try #require(try JSON(parsing: Array(text.utf8)).object)
    #expect(throws: NameError(fact)) { try JournalRecord(object) }
  }

  private static let lines = [
    #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":["n"],"file":"0123456789abcdef0123456789abcdef","row":{"id":"a","n":1},"base":{"n":2}}"#,
    #"{"t":"closed","table":"t","id":"a"}"#,
  ]

  @Test("A record of any kind is written as the line that it was read from", arguments: lines)
  func writesWhatItReads(line: String) throws {
    let object = try #require(try JSON(parsing: Array(line.utf8)).object)
    #expect(JSON.object(try JournalRecord(object).object).encoded() == Array(line.utf8))
  }

  @Test("case 98: a record that one process made safe is known as safe by the next one's")
  func knowsWhatIsSafe() throws {
    for id in ["a", "b"] as [Text] {
      var workspace = try playground.open()
      try workspace.append([.closed(playground.key(id))], durably: true)
    }
    let path = ".todosync/journal.jsonl"
    var bytes = try #require(playground.directory.read(path))
    let place = try #require(bytes.firstRange(of: Array("closed".utf8))).lowerBound
    bytes[place] ^= 1
    playground.directory.write(bytes, to: path)
    #expect(throws: WorkspaceError.self) { try playground.open() }
    #expect(playground.directory.read(path) == bytes)
  }
}
