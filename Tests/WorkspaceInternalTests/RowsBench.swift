import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

/// A workspace's rows and items on a real disk, without the rest of the workspace.
final class RowsBench {
  let directory = TemporaryDirectory()
  let root: Directory
  let trash: Trash
  let table: TableName
  /// The time, in nanoseconds since 1970; an hour later than it is, so that every file's stamp has
  /// settled.
  var now: Int64

  init() throws {
    root = try Directory(path: directory.path, place: "")
    trash = Trash(try root.child("trash", creating: true), clock: { 1_772_360_102_000_000_000 })
    table = try TableName("todoitem")
    _ = try root.child("items", creating: true).child("todoitem", creating: true)
    directory.write("", to: "lock")
    now = Self.realTime + 3_600_000_000_000
  }

  static var realTime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Opens the rows anew, as another command does.
  func rows(writing: Bool = true) -> Rows {
    Rows(root: root, trash: trash, isWriting: writing, clock: { self.now })
  }

  func log() throws -> Journal { try rows().log(of: table) }

  /// What a command that looks finds, and keeps for the next.
  func candidates(finishing: Bool = true, writing: Bool = true) throws -> [Candidate] {
    let rows = rows(writing: writing)
    let found = try rows.candidates(in: table, items: items)
    if finishing { rows.finish() }
    return found
  }

  /// The names of what a command that looks finds, each with a letter: absent, item, invalid.
  func found(finishing: Bool = true, writing: Bool = true) throws -> [String] {
    try candidates(finishing: finishing, writing: writing).map { candidate in
      let name = candidate.key.map { $0.id.description } ?? "?"
      return switch candidate.client {
      case .absent: "\(name) absent"
      case .item: "\(name) item"
      case .invalid(let invalid): "\(name) invalid: \(invalid.message)"
      }
    }
  }

  var items: Directory? { try? root.child("items").existingChild("todoitem") }

  /// Saves an item's file as an editor does that truncates and writes.
  func save(_ text: String, as name: String) {
    directory.write(text, to: "items/todoitem/\(name).json")
  }

  func path(_ name: String) -> String { directory.path(of: "items/todoitem/\(name).json") }

  func row(
    _ id: Text, _ text: String, version: Text = "A", deleted: Bool = false
  ) throws -> Row {
    Row(
      id: try ItemID(id), item: Item(JSONObject([.init(name: "text", value: .string(text))])),
      version: Version(version), updatedAt: nil, deleted: deleted)
  }

  /// Has seen rows, and written their files as a pull does.
  func pull(_ texts: [(id: Text, text: String)], writingFiles: Bool = true) throws {
    let rows = rows()
    let log = try rows.log(of: table)
    let news = try texts.map { try row($0.id, $0.text) }
    try log.bring(news)
    for row in news where writingFiles {
      let text = ItemFile.text(of: row.item, id: row.id)
      let name = try #require(FileName.of(row.id))
      directory.write(text, to: "items/todoitem/\(name).json")
      _ = rows.wrote(ItemKey(table, row.id), item: row.item, digest: Digest(of: text))
    }
    try log.take(token: DeltaToken("2026-01-01T00:00:00Z"))
    rows.finish()
  }
}
