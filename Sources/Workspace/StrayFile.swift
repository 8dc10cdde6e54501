import SyncEngine
import SyncModel

/// A file among a table's items whose name belongs to no id.
struct StrayFile {
  /// What is wrong with it.
  let invalid: InvalidItem
  /// Its name.
  let name: [UInt8]
  /// Where it lies.
  let directory: Directory

  /// Returns what is wrong with the file, the id that its text says, and a way to give it a name that
  /// works as things are.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func advised(_ base: BaseLog) throws(WorkspaceError) -> InvalidItem {
    let object = try object
    var advised = invalid
    advised.claims = object?[Item.idField]?.text.flatMap { try? ItemID($0) }
    let stem = Array(name.dropLast(FileName.suffix.bytes.count))
    // Where no name can be told, `mv` can't help, and neither can tsync.
    guard invalid.hint != nil, let id = ItemFile.Name.spelledID(of: stem) else { return advised }
    let target = try Layout.file(of: ItemKey(base.table, id))
    let isTaken =
      if case .absent = try FileReading(target, in: directory, limit: 0) { false } else { true }
    let from = "\(Layout.directory)/\(invalid.place)"
    if object == nil {
      if isTaken { advised.hint = "give it another name, for \(target) already exists" }
    } else if isTaken {
      advised.hint = "\(typed: "mv", from, "NEWID"), for \(base.table)/\(id) already exists"
    } else if case .row(let row) = try base.base(of: id), !row.deleted {
      // The item's own file was renamed by hand, and only needs its name back.
      return advised
    } else if id.text.bytes.first != UInt8(ascii: "-") {
      advised.hint = "\(typed: "mv", from, "\(id)")"
    }
    return advised
  }

  /// The object that its text is; `nil` where it can't be an item's.
  private var object: JSONObject? {
    get throws(WorkspaceError) {
      let file = String(decoding: name, as: UTF8.self)
      guard case .file(let bytes, _) = try FileReading(file, in: directory, limit: ItemFile.limit),
        let edit = try? JSONEdit(bytes, limits: .item), edit.duplicate == nil
      else { return nil }
      return edit.object
    }
  }
}
