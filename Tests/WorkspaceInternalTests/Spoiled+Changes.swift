import Glibc
import SyncEngine
import SyncModel
import TestSupport
import WorkspaceSupport

@testable import Workspace

extension [UInt8] {
  /// Changes the first byte of the first place where a text stands.
  mutating func flip(_ text: String) {
    guard let place = firstRange(of: Array(text.utf8)) else { return }
    self[place.lowerBound] ^= 1
  }
}

extension Spoiled {
  /// Returns a write of an item.
  func attempt(
    _ id: Text, version: Version? = Version("1")
  ) throws -> Attempt {
    Attempt(
      key: try place.key(id), kind: .update, version: version, item: try Self.item("x"), digest: nil
    )
  }

  /// Appends a fact to the table's journal.
  func append(_ fact: Fact) throws {
    var workspace = try place.open()
    try workspace.append([fact], to: place.table, durably: true)
  }

  /// Appends a line to the journal that is as lines are, whatever it says.
  func record(_ members: JSON) throws {
    let root = try Directory(path: path("journal"), place: "journal")
    let trash = Trash(root, clock: { 0 })
    let log = try Log(
      Layout.journal(of: place.table), in: root, kind: Journal.kind, writing: true, trash: trash
    ) { _ in }
    try log.append([members.object ?? JSONObject()], durably: true)
  }

  /// Saves a file, and writes an index that takes it for what its row says.
  func saveUnseen(_ id: Text, _ text: String) throws {
    place.save(text, as: id.string)
    unlink(path("index"))
    let root = try Directory(path: path(""), place: "")
    let rows = Rows(
      root: root, trash: Trash(root, clock: { 0 }), isWriting: false, clock: { self.place.now })
    let log = try rows.log(of: place.table)
    var status = stat()
    lstat(path("items/todoitem/\(id).json"), &status)
    let key = try place.key(id).id
    guard let entry = key.withBytes(log.rows.entry(of:)) else { return }
    let digest = Digest(of: [])
    let place = log.learn(digest, of: key, at: entry)
    var walk = TableWalk(generation: log.generation)
    walk.device = Int(truncatingIfNeeded: status.st_dev)
    walk.stamps = [(FileStamp(status), digest)]
    walk.rows = [TableWalk.Row(place: .new(UInt32(place)), stamp: .new(0))]
    try StatIndexWriter.write([TableImage(of: log, walk: walk)], to: root)
  }

  /// Has a command displace an item's text.
  func displace() throws {
    var workspace = try place.open()
    let key = try place.key("a")
    let digest = try workspace.client(key).digest
    _ = try workspace.write(Self.item("newer"), to: key, expecting: digest)
    try workspace.finish("set")
  }
}
