import SyncEngine
import SyncModel
import Workspace

/// The items of a workspace whose directory of all items is gone, as tsync last knew them.
struct LostItems {
  /// The items that come back.
  let keys: [ItemKey]
  private let names: ItemNames

  /// Finds them: those that the server has, and what is being sent or decided upon here.
  ///
  /// - Throws: ``WorkspaceError``.
  init(of open: OpenWorkspace) throws {
    let journal = open.workspace.journal
    let tables = open.tables.filter { !journal.purges.contains($0) }
    var known = try Set(
      tables.flatMap { table in
        try open.workspace.liveIDs(in: table).map { ItemKey(table, $0) }
      })
    let asked = [
      Array(journal.conflicts.keys), Array(journal.intents.keys), Array(journal.resolutions.keys),
    ].joined()
    known.formUnion(asked.filter { tables.contains($0.table) })
    keys = try known.sorted().filter { try Self.text(of: $0, in: open.workspace) != nil }
    names = try ItemNames(
      for: keys, in: open.tables, on: open.workspace, titleField: open.configuration.titleField)
  }

  /// Brings them back and tells them, all or, whatever cuts it off, none.
  ///
  /// What was edited or removed here and never sent is forgotten with its file.
  ///
  /// - Throws: ``WorkspaceError``, ``Failure``.
  func bringBack(to open: inout OpenWorkspace, in context: Context) throws {
    let workspace = open.workspace
    try workspace.remakeItems(keys) { key in
      try context.checkSignal()
      return try Self.text(of: key, in: workspace)
    }
    let journal = workspace.journal
    let records = keys.filter { key in
      journal.notes[key] != nil && journal.conflicts[key] == nil && journal.intents[key] == nil
        && journal.resolutions[key] == nil
    }.map { JournalRecord.closed(.operation($0)) }
    if !records.isEmpty { try open.workspace.append(records, durably: true) }
    try tell("restored", open, to: context.output)
  }

  /// Tells what was done to each of them, or would be.
  ///
  /// - Throws: ``WorkspaceError``.
  func tell(_ did: String, _ open: OpenWorkspace, to output: Output) throws {
    for key in keys {
      let text = try Self.text(of: key, in: open.workspace)
      let item = text.flatMap { try? ItemFile.item(in: $0, as: key, place: "") }
      output.tell(Deed(did: did, key: key, title: names.title(of: item)), names)
    }
  }

  /// Returns the text of an item's file; `nil` where there was none.
  private static func text(of key: ItemKey, in workspace: Workspace) throws -> [UInt8]? {
    let journal = workspace.journal
    func text(_ item: Item?) -> [UInt8]? { item.map { ItemFile.text(of: $0, id: key.id) } }
    if let resolution = journal.resolutions[key] { return text(resolution.item) }
    if let conflict = journal.conflicts[key] {
      guard try workspace.conflictClient(of: key) == .absent else {
        return try workspace.conflictText(of: key, .client)
      }
      if conflict.kind == .deletedHere { return nil }
    } else if let intent = journal.intents[key] {
      return text(intent.item)
    } else if try workspace.incoming(of: key)?.deleted == true {
      return nil
    }
    return try text(workspace.base(of: key).item)
  }
}
