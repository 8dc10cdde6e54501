import Glibc
import SyncEngine
import SyncModel
import TestSupport
import WorkspaceSupport

@testable import Workspace

/// A workspace with everything in it that one can have, and what can go wrong with it.
///
/// Two items as the server has them, `a` and `b`; a third, `c`, in conflict; a fourth, `d`, whose write
/// is on its way; and a fifth, `e`, that is new.
final class Spoiled {
  let place: Playground

  init() throws {
    place = try Playground()
    var workspace = try place.open()
    let rows = try ["a", "b", "c", "d"].map { try Self.row($0, "as pulled") }
    try workspace.bring(rows, to: place.table)
    for row in rows {
      _ = try workspace.write(row.item, to: place.key(row.id.text), expecting: nil)
    }
    try workspace.take(in: place.table, token: DeltaToken("2026-03-01T10:15:00.000Z"))
    let sent = try Self.item("sent")
    let attempt = Attempt(
      key: try place.key("d"), kind: .update, version: Version("1"), item: sent, digest: nil)
    try workspace.append([.sent(attempt)], to: place.table, durably: true)
    try layConflict(in: &workspace)
    _ = try workspace.write(Self.item("new"), to: place.key("e"), expecting: nil)
    // What the index knows is only believed once its stamps are old.
    place.now = RowsBench.realTime + 3_600 * 1_000_000_000
    _ = try workspace.candidates(in: place.table)
    try workspace.finish("pull")
  }

  private func layConflict(in workspace: inout Workspace) throws {
    let key = try place.key("c")
    place.save(#"{"id":"c","text":"mine"}"#, as: "c")
    let client = try workspace.client(key)
    let server = try Self.row("c", "theirs", version: "2")
    try workspace.bring([server], to: place.table)
    try workspace.writeConflict(
      Conflict(
        base: Self.item("as pulled"), client: client.item, server: server.item),
      of: key)
    let laid = Laid(file: client.digest, row: Digest(of: server.text))
    try workspace.append([.laid(key.id, laid)], to: place.table, durably: true)
    try workspace.take(in: place.table, but: [key.id])
  }

  static func item(_ text: Text) throws -> Item {
    Item(JSONObject([.init(name: "text", value: .string(text))]))
  }

  static func row(_ id: Text, _ text: Text, version: Text = "1") throws -> Row {
    Row(
      id: try ItemID(id), item: try item(text), version: Version(version),
      updatedAt: Timestamp("2026-03-01T10:15:00.000Z"))
  }

  /// Examines the workspace as it lies there.
  func examine() throws -> Examination {
    try Workspace.examine(at: place.directory.path, patience: 0, clock: { self.place.now })
  }

  /// Mends as `tsync doctor --fix` does.
  @discardableResult
  func mend() throws -> [Finding] {
    let mended = try Workspace.mendFiles(
      at: place.directory.path, command: "doctor", patience: 0, clock: { self.place.now })
    var workspace = try place.open()
    _ = try Recovery.run([place.table], on: &workspace, settings: Settings())
    try workspace.mend([place.table])
    try workspace.finish("doctor --fix")
    return mended
  }

  /// What the doctor mends in silence, as far as it is to be done.
  func unwell() throws -> [String] {
    var status = stat()
    lstat(path(""), &status)
    var found = status.st_mode & 0o077 == 0 ? [] : ["open to others"]
    found += files.keys.filter { name in
      name.split(separator: "/").contains { $0.hasPrefix(".tmp-") || $0.hasSuffix(".new") }
    }
    if files["journal/todoitem.jsonl"]?.last != 0x0A { found.append("the journal's end") }
    if access(path("journal"), F_OK) != 0 { found.append("no journal") }
    let names = place.directory.names(in: ".todosync/conflicts/todoitem").sorted()
    if names != ["c.base.json", "c.client.json", "c.server.json"] { found.append("\(names)") }
    let server = files["conflicts/todoitem/c.server.json"]
    if server != ConflictFiles.text(of: try Self.item("theirs"), try place.key("c").id) {
      found.append("the server's side")
    }
    let workspace = try Workspace(at: place.directory.path, for: .reading) { self.place.now }
    for attempt in try workspace.attempts(in: place.table)
    where try attempt.version == nil || workspace.isInConflict(attempt.key) {
      found.append("an open write of \(attempt.key)")
    }
    let items = try Directory(path: path("items/todoitem"), place: "")
    let base = try Journal(
      place.table, in: workspace.root.existingChild(Layout.journal), writing: false,
      trash: workspace.trash, index: nil)
    var scanner = Scanner(of: base, in: items, at: place.now)
    try scanner.run()
    if try workspace.candidates(in: place.table) != scanner.candidates { found.append("the index") }
    return found
  }

  /// Returns the path of something in `.todosync`.
  func path(_ name: String) -> String { place.directory.path(of: ".todosync/\(name)") }

  /// Changes the bytes of a file.
  func change(_ name: String, _ change: (inout [UInt8]) -> Void) {
    var bytes = place.directory.read(".todosync/\(name)") ?? []
    change(&bytes)
    place.directory.write(bytes, to: ".todosync/\(name)")
  }

  /// Every file's bytes, by path.
  var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    collect("") { path, status in
      guard status.st_mode & S_IFMT == S_IFREG else { return }
      files[path] = place.directory.read(".todosync/\(path)")
    }
    return files
  }

  /// Every file's and directory's bytes, mode and times, by path.
  var snapshot: [String: String] {
    var files: [String: String] = [:]
    collect("") { path, status in
      files[path] =
        "\(status.st_mode) \(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        + " \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec) \(status.st_size)"
    }
    return files
  }

  private func collect(_ name: String, _ body: (String, stat) -> Void) {
    var status = stat()
    guard lstat(path(name), &status) == 0 else { return }
    body(name, status)
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    for child in place.directory.names(in: ".todosync/\(name)") {
      collect(name.isEmpty ? child : "\(name)/\(child)", body)
    }
  }
}
