import SyncEngine
import SyncModel

// I8: the conflicts' files.
extension Examiner {
  /// Looks whether each open conflict has its files, and each file its conflict.
  ///
  /// The client's side may be missing: its user may remove it, and the item's file counts then.
  /// What the server's side holds is the record's row; the base's side holds what both began from,
  /// which need not be the base, and isn't compared.
  mutating func examineConflicts() {
    guard let journal else { return }
    for (key, conflict) in journal.conflicts.sorted(by: { $0.key < $1.key }) {
      attempt(.conflicts, at: "\(Layout.conflicts)/\(key.table)", .layConflict(key)) {
        examiner throws(WorkspaceError) in
        try examiner.examine(conflict, of: key)
      }
    }
    attempt(.conflicts, at: Layout.conflicts) { examiner throws(WorkspaceError) in
      guard let conflicts = try examiner.root.existingChild(Layout.conflicts) else { return }
      for name in try conflicts.names().sorted() where name.utf8.first != UInt8(ascii: ".") {
        guard let table = try? TableName(Text(name)) else {
          examiner.add(
            .names, at: conflicts.place(of: name), "is not the directory of a table", .note)
          continue
        }
        try examiner.examineSides(of: table, in: conflicts.child(name), journal)
      }
    }
  }

  private mutating func examine(
    _ conflict: OpenConflict, of key: ItemKey
  ) throws(WorkspaceError) {
    let files = ConflictFiles(root: root, trash: trash)
    let server = conflict.server.deleted ? nil : conflict.server.item
    let place = "\(Layout.conflicts)/\(key.table)/"
    if let bytes = try files.bytes(.server, of: key) {
      if !ConflictFiles.isSide(bytes, of: server, as: key) {
        add(
          .conflicts, at: place + (try Layout.file(of: key, .server)),
          "differs from the server's row in the journal", .mendable, .layConflict(key))
      }
    } else {
      add(
        .conflicts, at: place + (try Layout.file(of: key, .server)),
        "is missing, but the conflict is open", .mendable, .layConflict(key))
    }
    if case .invalid(let invalid) = try files.client(of: key) {
      var invalid = invalid
      invalid.message += "; fix or remove it before tsync resolve"
      add(.conflicts, invalid)
    }
    guard let base = rows[key.table], try base.base(of: key.id).item != nil,
      try files.bytes(.base, of: key) == nil
    else { return }
    add(
      .conflicts, at: place + (try Layout.file(of: key, .base)),
      "is missing, but the conflict is open", .mendable, .layConflict(key))
  }

  private mutating func examineSides(
    of table: TableName, in directory: Directory, _ journal: JournalState
  ) throws(WorkspaceError) {
    for name in try directory.names().sorted() where name.utf8.first != UInt8(ascii: ".") {
      guard let (id, side) = ConflictSide.read(name) else {
        add(.names, at: directory.place(of: name), "is not a file of a conflict", .note)
        continue
      }
      let key = ItemKey(table, id)
      guard journal.conflicts[key] == nil, journal.resolutions[key] == nil else { continue }
      let place = directory.place(of: name)
      if try mayBeEdited(side, of: key, named: name) {
        add(
          .conflicts, at: place,
          "belongs to no open conflict, and its text is not in "
            + "\(Layout.items)/\(table)/\(try Layout.file(of: key)): "
            + "copy the parts that you want, and remove the file", .note)
        continue
      }
      add(
        .conflicts, at: place, "belongs to no open conflict", .mendable, .keepSide(place: place))
    }
  }

  /// Whether a side without a conflict may hold what its user wrote, and no item's file says.
  private func mayBeEdited(
    _ side: ConflictSide, of key: ItemKey, named name: String
  ) throws(WorkspaceError) -> Bool {
    let files = ConflictFiles(root: root, trash: trash)
    let text: Item?
    switch side {
    case .server, .base, .marked: return false
    case .client:
      let state = try files.client(of: key)
      if state == .absent { return false }
      text = state.item
    case .edit:
      guard let bytes = try files.bytes(named: name, of: key) else { return true }
      let document = MarkedDocument(bytes, of: key.id)
      if document.isBlank { return false }
      text = (try? document.item()) ?? nil
    }
    guard let text else { return true }
    let items = try root.existingChild(Layout.items)?.existingChild(key.table.text.string)
    let current = try items.map { (items) throws(WorkspaceError) in
      try ItemFile.read(Layout.file(of: key), in: items, as: key).state
    }
    return text != current?.item
  }
}
