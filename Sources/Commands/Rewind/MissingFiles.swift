import SyncEngine
import SyncModel
import Workspace

/// The items whose files are missing, although `tsync rm` didn't remove them.
struct MissingFiles {
  private(set) var files: [(key: ItemKey, text: [UInt8])]
  private let names: ItemNames

  /// Finds the missing files of the session's tables, or those among the given items.
  ///
  /// Where the directory of all items is missing, tables that left the settings count, too: added
  /// again, their items would look deleted.
  init(of session: Session, among wanted: [ItemKey]? = nil) throws {
    let (workspace, lacksItems) = (session.workspace, try session.lacksItems)
    let tables = Set(session.tables).union(lacksItems ? try workspace.knownTables() : [])
    let live = try tables.flatMap { table in
      try workspace.liveIDs(in: table).map { ItemKey(table, $0) }
    }
    let open =
      try tables.flatMap(workspace.conflicts)
      + tables.flatMap(workspace.attempts).map(\.key)
    let absent =
      try wanted
      ?? Set(live + open).filter { key in
        try workspace.client(key) == .absent && (lacksItems || workspace.moved(key) == nil)
      }
    files = try absent.sorted().compactMap { key in
      try Self.text(of: key, in: workspace).map { (key, $0) }
    }
    names = try ItemNames(
      for: files.map(\.key), showsTable: tables.count > 1, on: workspace,
      titleField: session.configuration.titleField)
  }

  /// Brings back all files, and prints them; a directory shows up with all of its files or not at all.
  ///
  /// What another program has put into a place meanwhile stays there.
  mutating func bringBack(to session: inout Session, most: Int = .max) throws {
    let check = session.context.checkSignal
    let tables = try session.lacksItems ? [] : Set(session.workspace.directories().tables)
    let lost = files.filter { !tables.contains($0.key.table) }
    if try !lost.isEmpty || session.lacksItems {
      try session.workspace.remakeItems(lost, before: check)
    }
    try check()
    let changes = files.filter { tables.contains($0.key.table) }
      .map { FileChange($0.key, text: $0.text, expecting: nil) }
    for (change, outcome) in zip(changes, try session.workspace.write(changes)) {
      if case .unwritable(let error) = outcome { throw error }
      if outcome == .changedMeanwhile { files.removeAll { $0.key == change.key } }
    }
    show("restored", most: most, to: session.context.printer)
  }

  /// Prints the items, or of more than `most` the first and how many more there are.
  func show(_ verb: String, most: Int = .max, to printer: Printer) {
    let count = files.count
    for (key, text) in files.prefix(count > most ? 1 : count) {
      let item = try? ItemFile.item(in: text, as: key, place: "")
      printer.show(Outcome(verb: verb, key: key, title: names.title(of: item)), names)
    }
    if count > most { printer.message(Line("… and \(count - 1) more")) }
  }

  /// Returns the text of an item's missing file; `nil` if there should be none.
  private static func text(of key: ItemKey, in workspace: Workspace) throws -> [UInt8]? {
    let new = try workspace.state(of: key.table).marks[key.id]?.after.map { ItemKey(key.table, $0) }
    // A command has removed it.
    if new == nil, try workspace.isRemoved(key) { return nil }
    let isInConflict = try workspace.isInConflict(key)
    if isInConflict, try workspace.conflictClient(of: key) != .absent {
      return try workspace.conflictText(of: key, .client)
    }
    var item = try workspace.base(of: key).item
    if !isInConflict, let attempt = try workspace.attempt(of: key) {
      item = attempt.item
    } else if let new {
      // A renamed item comes back under its new id only; under both it would be two items.
      if try workspace.isKnown(new) || workspace.client(new) != .absent { return nil }
    } else if isInConflict, try workspace.state(of: key.table).laid[key.id]?.file == nil {
      return nil
    }
    return item.map { ItemFile.text(of: $0, id: key.id) }
  }
}
