import SyncEngine
import SyncModel

extension InvalidItem {
  /// Returns what is wrong with a file in a table's directory, with the id that it contains and a way on
  /// that works as things are: the file gets the name of that id, if that name is free and the file isn't
  /// a known item's.
  ///
  /// - Parameters:
  ///   - key: The item whose name the file has; `nil` where no id has such a name.
  ///   - directory: The table's directory.
  ///   - base: The rows of the table.
  /// - Returns: The file, with the way on if there is one.
  /// - Throws: ``WorkspaceError``.
  func advised(
    as key: ItemKey?, in directory: Directory, _ base: Journal
  ) throws(WorkspaceError) -> InvalidItem {
    var advised = self
    if key == nil { advised.otherID = try Self.id(in: fileName, directory) }
    let stem = Array(fileName.utf8.dropLast(FileName.suffix.bytes.count))
    // A file of no item's name, with the id of an item beside it, is a copy however it is named.
    let named = key == nil ? advised.otherID.flatMap(FileName.of) : nil
    if key != nil || way != nil, let original = named ?? Self.original(of: stem),
      advised.otherID.map({ FileName.of($0) == original }) ?? true,
      case .file = try FileReading(
        "\(original)\(FileName.suffix)", in: directory, limit: ItemFile.limit)
    {
      advised.message = "this is a copy of \(original)"
      (advised.line, advised.column) = (nil, nil)
      advised.way = .copy(of: "\(original)\(FileName.suffix)")
      return advised
    }
    let id = advised.otherID ?? (key == nil ? ItemFile.Name.spelledID(of: stem) : nil)
    // A name that can't be typed has no way.
    guard let id, let name = FileName.of(id), key != nil || way != nil else { return advised }
    let target = "\(name)\(FileName.suffix)"
    if case .absent = try FileReading(target, in: directory, limit: 0) {
      let isKnown = try base.base(of: id).item != nil
      if let key, !isKnown, try base.base(of: key.id).item != nil {
        // The id was changed, or a new item's file has taken the place.
        advised.way = .changeID(key.id, orRename: target)
      } else {
        advised.way = .rename(to: target)
      }
    } else if let key {
      let isKnown = try base.base(of: key.id).item != nil
      advised.way = isKnown ? .restore(key) : .changeIDOrRemove(key.id)
    } else {
      advised.way = .nameIsTaken(target)
    }
    return advised
  }

  /// Returns the name of the file that another program has copied, by how it named the copy:
  /// `milk (1)`, `milk (Anna's conflicted copy)`, `milk copy 2`, `milk.sync-conflict-20260101`.
  private static func original(of stem: [UInt8]) -> Text? {
    // A regex takes longer than reading the file.
    guard stem.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ".") }) else {
      return nil
    }
    let form =
      #/(.+?)(?: \(\d+\)| \([^()]*conflicted copy[^()]*\)| copy(?: \d+)?| - Copy(?: \(\d+\))?|\.sync-conflict-.*)/#
    let name = String(validating: stem, as: UTF8.self)
    return name.flatMap { try? form.wholeMatch(in: $0) }.map { Text(String($0.1)) }
  }

  /// Returns the id that a file contains; `nil` where that can't be an item's.
  static func id(
    in file: String, _ directory: Directory
  ) throws(WorkspaceError) -> ItemID? {
    guard case .file(let bytes, _) = try FileReading(file, in: directory, limit: ItemFile.limit),
      let edit = try? JSONEdit(bytes, limits: .item), edit.duplicate == nil
    else { return nil }
    return edit.object[Item.idField]?.text.flatMap { try? ItemID($0) }
  }
}
