import Glibc
import SyncEngine
import SyncModel
import SystemPackage

// I6, I7 and I12, as far as they are about items: all are the user's affair, so all are notes.
extension Examiner {
  /// Reads the items of a table, compares the index with them, and looks at their files' names.
  mutating func examineItems(in table: TableName) throws(WorkspaceError) {
    let all = try root.existingChild(Layout.items)
    let items = try all?.existingChild(table.text.string)
    if let base = rows[table] {
      let truth = try candidates(of: base, in: items)
      for case (let key, .invalid(let invalid)) in truth.map({ ($0.key, $0.client) }) {
        try examine(invalid, key, in: items)
      }
      examineIndex(of: table, items: items, truth: truth)
      let isLost = truth.contains { candidate in
        candidate.key.map { journal?.notes[$0]?.note.commanded != true } ?? false
      }
      if all != nil, items == nil, isLost { throw .missing(place: "\(Layout.items)/\(table)") }
    }
    if let items { try examineNames(in: items) }
  }

  /// Tells of a file that can't be an item.
  ///
  /// I6 and I7, or I12 where it has no content, as a power loss may leave it.
  private mutating func examine(
    _ invalid: InvalidItem, _ key: ItemKey?, in items: Directory?
  ) throws(WorkspaceError) {
    guard let key, let items else {
      return add(.names, invalid)
    }
    let reading = try FileReading(Layout.file(of: key), in: items, limit: ItemFile.limit)
    if case .file(let bytes, _) = reading, bytes.allSatisfy({ $0 == 0 }) {
      let fact = bytes.isEmpty ? "is empty" : "contains only NUL bytes"
      var purpose = "to drop it"
      if case .row(let row)? = try rows[key.table]?.base(of: key.id), !row.deleted {
        purpose = "to bring it back"
      }
      return found.findings.append(
        Finding(
          .leftovers, at: invalid.place, fact, .note,
          hint: "\(purpose): \(typed: "restore", "\(key)")"))
    }
    add(.items, invalid)
  }

  /// Says which names differ only in case, and which items have another name.
  private mutating func examineNames(in items: Directory) throws(WorkspaceError) {
    var folded: [[UInt8]: String] = [:]
    try DirectoryEntries.forEach(in: items) { bytes throws(WorkspaceError) in
      guard bytes.first != UInt8(ascii: "."),
        bytes.suffix(5).elementsEqual(FileName.suffix.string.utf8)
      else { return }
      found.items += 1
      let name = String(decoding: bytes, as: UTF8.self)
      let place = items.place(of: name)
      let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      if let other = folded.updateValue(name, forKey: lower) {
        add(.names, at: place, "differs from \(other) in upper and lower case only", .note)
      }
      var status = stat()
      let here = items.descriptor.rawValue
      guard fstatat(here, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
      if status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 {
        add(.modes, at: place, "has \(status.st_nlink) names (hard links)", .note)
      }
    }
  }
}
