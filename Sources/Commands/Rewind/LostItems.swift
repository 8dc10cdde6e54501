import SyncEngine
import SyncModel
import Workspace

/// The last known items of a workspace that lost its items directory.
struct LostItems {
  var count: Int { files.count }

  private let files: [(key: ItemKey, text: [UInt8])]
  /// Records that drop the notes of items that come back as the server has them.
  private let closings: [JournalRecord]
  private let names: ItemNames

  /// Finds the server's items, and those with an open write, conflict or resolution.
  init(of session: Session) throws {
    let (workspace, journal) = (session.workspace, session.workspace.journal)
    // Includes tables that left the settings: added again, their items would look deleted.
    let tables = try Set(session.tables).union(workspace.knownTables()).subtracting(journal.purges)
    let asked = Set(journal.conflicts.keys).union(journal.intents.keys)
      .union(journal.resolutions.keys).filter { tables.contains($0.table) }
    let live = try tables.flatMap { table in
      try workspace.liveIDs(in: table).map { ItemKey(table, $0) }
    }
    files = try asked.union(live).sorted().compactMap { key in
      try Self.text(of: key, in: workspace).map { (key, $0) }
    }
    closings = files.map(\.key).filter { journal.notes[$0] != nil && !asked.contains($0) }
      .map { .closed(.operation($0)) }
    names = try ItemNames(
      for: files.map(\.key), in: tables.sorted(), on: workspace,
      titleField: session.configuration.titleField)
  }

  /// Brings back all files, or none if it is interrupted, and prints them.
  ///
  /// Unsent edits and removals are lost with their files; their notes are closed first.
  func bringBack(to session: inout Session) throws {
    if !closings.isEmpty { try session.workspace.append(closings, durably: true) }
    try session.workspace.remakeItems(files, before: session.context.checkSignal)
    show("restored", to: session.context.printer)
  }

  func show(_ verb: String, to printer: Printer) {
    for (key, text) in files {
      let item = try? ItemFile.item(in: text, as: key, place: "")
      printer.show(Outcome(verb: verb, key: key, title: names.title(of: item)), names)
    }
  }

  /// Returns the text of an item's lost file; `nil` if it had none.
  private static func text(of key: ItemKey, in workspace: Workspace) throws -> [UInt8]? {
    let journal = workspace.journal
    let base = try workspace.base(of: key)
    func text(_ item: Item?) -> [UInt8]? { item.map { ItemFile.text(of: $0, id: key.id) } }
    if let resolution = journal.resolutions[key] { return text(resolution.item) }
    let conflict = journal.conflicts[key]
    if conflict != nil, try workspace.conflictClient(of: key) != .absent {
      return try workspace.conflictText(of: key, .client)
    }
    // If the answer is the base already, it has replaced the sent item.
    if conflict == nil, let intent = journal.intents[key],
      journal.results[key] == nil || intent.isBased(on: base.row)
    {
      return text(intent.item)
    }
    // A renamed item comes back under its new id only; under both it would be two items.
    let successor = journal.notes[key]?.note.successor
    if let successor,
      try workspace.isKnown(successor) || journal.resolutions[successor] != nil
    {
      return nil
    }
    let isRemoved = conflict?.kind == .deletedHere && successor == nil
    return isRemoved ? nil : text(base.item)
  }
}
