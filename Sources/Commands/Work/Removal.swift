import SyncEngine
import SyncModel
import Workspace

/// The items that `rm` removes.
struct Removal {
  let targets: [Target]
  private let inventory: Inventory
  private let names: ItemNames
  /// The texts of invalid files, on one line, in place of their titles.
  private var texts: [ItemKey: String] = [:]
  /// Whether `restore` can name all that is removed: it finds no file that was never an item.
  private(set) var isRestorable = true

  init(_ selection: ItemSelection, _ session: Session) throws {
    let inventory = try session.inventory()
    let targets = try selection.targets(inventory, session)
    for target in targets {
      if let problem = try session.moved(target) { throw problem }
      guard let key = target.key else {
        isRestorable = false
        continue
      }
      guard case .invalid(let file) = try session.workspace.client(key) else { continue }
      if try session.workspace.base(of: key).item == nil { isRestorable = false }
      let text = try session.workspace.text(of: key).flatMap(Text.init(validating:))?.string
      texts[key] = text?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      // The only copy of another item must not go as this one's.
      if let other = file.otherID.map({ ItemKey(key.table, $0) }),
        try session.workspace.isKnown(other) && session.workspace.client(other).item == nil
      {
        throw Problem(invalid: file, .usage)
      }
    }
    names = session.names(of: targets.compactMap(\.key), inventory)
    // The same command finishes an interrupted removal, and says that a delete by hand is meant. An item that
    // has become another is gone only here.
    let gone = try targets.compactMap(\.key).filter { key in
      let mark = try session.workspace.state(of: key.table).marks[key.id]
      guard !inventory.isHere(key), mark?.after == nil else { return false }
      return try mark != nil || session.workspace.base(of: key).item == nil
    }
    if let key = gone.first, gone.count == targets.count {
      guard try inventory.contains(key) || session.workspace.base(of: key) != .neverSeen else {
        throw Problem.usage(
          "\(key) has no file here, and tsync knows no row of it",
          hints: try session.pullHint(of: key))
      }
      throw Problem.usage("\(key) is already removed")
    }
    self.inventory = inventory
    self.targets = targets.filter { $0.key.map { !gone.contains($0) } ?? true }
  }

  /// Removes an item, or a file that can't be one.
  func remove(_ target: Target, _ session: inout Session) throws {
    guard let key = target.key else {
      if let misnamedFile = target.misnamedFile {
        _ = try session.workspace.discard(misnamedFile, of: nil, in: target.table)
      }
      return
    }
    let deletion = [Fact.marked(key.id, .removed())]
    switch try session.workspace.client(key) {
    case .absent:
      try session.workspace.append(deletion, to: key.table, durably: true)
    case .invalid(let invalid):
      try session.workspace.append(deletion, to: key.table, durably: true)
      guard try session.workspace.discard(invalid, of: key, in: key.table) else {
        // Nothing was removed: if the file vanishes later, that was not by a command.
        try session.workspace.append([.marked(key.id, nil)], to: key.table, durably: false)
        throw Problem.changedMeanwhile(key)
      }
    case .item:
      guard try session.workspace.remove(key) else { throw Problem.changedMeanwhile(key) }
      // A row that the server made of the item has another id, and stays.
      if try session.workspace.attempt(of: key)?.kind == .insert,
        try session.workspace.state().tables[key.table]?.makesIDs == true
      {
        try session.workspace.append(
          [.ended(key.id), .marked(key.id, nil)], to: key.table, durably: true)
      }
    }
  }

  /// Prints the item with the title that it had at the beginning.
  func show(_ verb: String, _ target: Target, _ session: Session) throws {
    let printer = session.context.printer
    if let key = target.key {
      let item =
        try inventory.item(key, on: session.workspace) ?? session.workspace.base(of: key).item
      var outcome = Outcome(verb: verb, key: key, title: names.title(of: item))
      if item == nil, let text = texts[key], !text.isEmpty { outcome.words = ItemNames.shown(text) }
      printer.show(outcome, names)
    } else if let file = target.misnamedFile {
      printer.show(verb, file, in: target.table)
    }
  }
}
