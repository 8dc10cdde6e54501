import CLinux
import SyncEngine
package import SyncModel

// What is written into the history, and read from it.
extension Workspace {
  /// Says what command is recorded from now on; the lines of the one before end.
  ///
  /// - Parameters:
  ///   - words: Its name, and the words that say what it was about.
  ///   - undoes: The number of the command that it takes back.
  ///   - number: The number of the command's first line, if it is written.
  /// - Throws: ``WorkspaceError``.
  package func record(
    as words: Text, undoing undoes: Int? = nil, number: Int? = nil
  ) throws(WorkspaceError) {
    try history.begin(words, undoing: undoes, as: number)
  }

  /// Records a change of an item that no file and no row tells.
  ///
  /// - Throws: ``WorkspaceError``.
  package func record(_ change: History.Change) throws(WorkspaceError) { try history.add(change) }

  /// The number of the first line of the command that is recorded; `nil` while it has none.
  package var recordedNumber: Int? { history.number }

  /// Records a file that was replaced, made or removed; its old bytes are at a place below `.todosync`.
  ///
  /// `isRow` says that the new ones are what the server's row says.
  func record(
    _ key: ItemKey, from old: [UInt8]?, to new: [UInt8]?, of item: Item? = nil, place: String?,
    isRow: Bool = false
  ) throws(WorkspaceError) {
    func read(_ text: [UInt8]?) -> Item? {
      text.flatMap { try? ItemFile.item(in: $0, as: key, place: "") }
    }
    if old == nil, isRow, try !rows.log(of: key.table).rows.state.isPulled {
      return history.addFirst(in: key.table)
    }
    let (before, after) = (read(old), item ?? read(new))
    let base = try rows.base(of: key, replaced: nil).item
    // That a file was missing was meant only where a command had removed it.
    let isMeant = try rows.log(of: key.table).rows.state.marks.isRemoved(key.id)
    let dirty = SyncModel.Change(from: base, to: old == nil && !isMeant ? base : before).names
    if old == nil, isRow {
      var change =
        item.map { History.Change(key, .added, asRow: $0) } ?? History.Change(key, .added)
      change.dirty = dirty
      return try history.add(change)
    }
    let did: History.Deed = old == nil ? .added : new == nil ? .removed : .changed
    var change = History.Change(key, did, from: before, to: after)
    // A text that is no item is taken back whole.
    if before == nil && old != nil || after == nil && new != nil {
      (change.fields, change.place) = ([], place.map { Text($0) })
      change.digest = after.map(History.Change.fingerprint)
    }
    change.dirty = dirty.filter { name in
      did != .changed || change.place != nil || change.fields.contains { $0.name == name }
    }
    try history.add(change, to: after, place: place.map { Text($0) })
  }

  /// Records what was sent, and deletes before they are.
  func record(_ facts: [Fact], in table: TableName) throws(WorkspaceError) {
    var deletes: [(key: ItemKey, item: Item)] = []
    let ended = facts.compactMap { if case .ended(let id) = $0 { id } else { nil } }
    for fact in facts {
      switch fact {
      case .sent(let attempt) where attempt.kind == .delete:
        if let item = try rows.base(of: attempt.key, replaced: attempt.version).item {
          deletes.append((attempt.key, item))
        }
      case .base(let row, let ends?): try record(row, holding: row.item, over: ends, table)
      case .arrived(let arrival, let ends?) where arrival.isMine:
        try record(arrival.row, holding: arrival.over ?? arrival.row.item, over: ends, table)
      // A write that has ended beside its row has not made that.
      case .base(let row, nil) where ended.contains(row.id) && !row.deleted:
        try history.add(History.Change(ItemKey(table, row.id), .found))
      case .arrived(let arrival, nil) where arrival.isMine && ended.contains(arrival.row.id):
        try history.add(History.Change(ItemKey(table, arrival.row.id), .found))
      default: break
      }
    }
    try history.writeAhead(deletes)
  }

  /// Records that a person has decided on a conflict with a row, which is about to be the base.
  func record(decided arrival: Arrival, of key: ItemKey) throws(WorkspaceError) {
    let row = arrival.row
    let base = try rows.base(of: ItemKey(key.table, arrival.id), replaced: nil).item
    var change = History.Change(key, .resolved, from: base, to: row.deleted ? nil : row.item)
    change.digest = History.Change.fingerprint(of: row.item)
    try history.add(change, of: base, to: row.item)
  }

  /// Records a row that answers a write.
  private func record(
    _ row: Row, holding item: Item, over ends: ItemID, _ table: TableName
  ) throws(WorkspaceError) {
    let key = ItemKey(table, row.id)
    let change: History.Change
    let base = try rows.base(of: ItemKey(table, ends), replaced: row.had.last)
    switch base {
    case .neverSeen: change = History.Change(key, .created, asRow: row.item)
    case .row(let former):
      change =
        row.deleted
        ? History.Change(key, .deleted, from: former.item)
        : History.Change(key, .updated, from: former.item, to: item)
    case .tombstone:
      guard !row.deleted else { return }
      change = History.Change(key, .undeleted, asRow: row.item)
    }
    try history.add(change, of: base.item, to: item)
  }

  /// Gives the commands in the history, the newest first, until `each` returns false.
  ///
  /// - Parameters:
  ///   - marks: If there are any, a command's further lines that have none of these texts are left out.
  ///   - each: Takes a command; says whether to go on.
  /// - Throws: ``WorkspaceError/file(place:_:)``; what `each` throws.
  package func commands(
    with marks: [String] = [], _ each: (History.Command) throws -> Bool
  ) throws {
    var reader = HistoryReader(root: root, trash: try root.existingChild(Layout.trash))
    let marks = marks.map { Array($0.utf8) }
    try reader.read(
      where: { text in
        let count = UInt(text.count)
        return marks.isEmpty
          || marks.contains { tsync_has(text.baseAddress, count, $0, UInt($0.count)) != 0 }
      }, each)
  }

  /// Returns the text in the trash that a change has displaced; `nil` where it is gone.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func text(before change: History.Change) throws(WorkspaceError) -> [UInt8]? {
    guard let place = change.place, place.string.utf8.starts(with: "\(Layout.trash)/".utf8),
      let (directory, name) = try root.find(place.string),
      case .file(let bytes, _) = try FileReading(name, in: directory, limit: ItemFile.limit)
    else { return nil }
    return bytes
  }
}
