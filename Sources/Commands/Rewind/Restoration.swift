import SyncEngine
import SyncModel
import Workspace

/// What restore does to one item, or to a file that can't be one.
struct Restoration {
  let chosen: Target
  /// The item before the restore, and the resulting one; `nil` if the file goes to the trash.
  private var former, result: Item?
  /// Whether the item has no file, and comes back as its row isn't.
  private var isRevived = false
  /// Does it; returns false if the item is not as it was planned.
  private let restore: (inout Session) throws -> Bool

  // MARK: Planning

  /// Plans the restore of the given items, or of the removed items that filters choose.
  ///
  /// Without either it means all that were changed, removed or rejected, or are invalid. `waiting` are
  /// the items that had a waiting row when the command began.
  ///
  /// - Throws: ``Problem`` if a given item can't be restored.
  static func plan(
    _ selection: ItemSelection?, _ session: Session, waiting: [ItemKey]
  ) throws -> (steps: [Restoration], names: ItemNames) {
    let workspace = session.workspace
    let inventory = try session.inventory()
    let entries = inventory.survey.byKey
    var steps: [Restoration] = []
    var planned: Set<ItemKey> = []
    func plan(_ chosen: Target) throws {
      let key = chosen.key
      if let key, !planned.insert(key).inserted { return }
      let entry = key.flatMap { entries[$0] }
      let isWaiting = key.map(waiting.contains) ?? false
      guard let step = try step(for: chosen, entry, session, isWaiting: isWaiting) else { return }
      // A rename that was not sent is undone as a whole: the former item comes back first.
      let formers = try (key.map(workspace.formers) ?? [])
        .filter { try workspace.client($0) == .absent }
      for former in formers { try plan(Target(former)) }
      // A renamed item that was removed comes back once, under its former id.
      if step.isRevived, !formers.isEmpty { return }
      steps.append(step)
      if let other = entry?.waitsFor,
        case .pending(let operation)? = entries[other]?.standing, operation.kind == .insert
      {
        try plan(Target(other))
      }
    }
    let targets: [Target]
    if case .references(let words)? = selection {
      var lookup = session.lookup(inventory)
      lookup.removed = { try session.removed(inventory) }
      targets = try lookup.all(words)
    } else {
      // An item without a row is restored only if it is named or chosen.
      let keys =
        try selection?.fitting(inventory, session, areRemoved: true).map(\.key)
        ?? inventory.survey.entries.compactMap(\.key).filter {
          try workspace.base(of: $0).item != nil
        }
      targets = try keys.filter { try !workspace.isInConflict($0) }.map { Target($0) }
    }
    let isNamed = selection?.isByFilter == false
    var warned: Set<Hint> = []
    for target in targets {
      do {
        if let problem = try session.moved(target) { throw problem }
        try plan(target)
      } catch var problem as Problem where !isNamed {
        problem.status = .rejected
        if warned.insert(problem.fact).inserted { session.context.printer.warn(problem) }
      }
    }
    return (steps, session.names(of: steps.compactMap(\.chosen.key), inventory))
  }

  /// Plans the restore of one item; `nil` if there is nothing to do.
  private static func step(
    for chosen: Target, _ entry: Survey.Entry?, _ session: Session, isWaiting: Bool
  ) throws -> Restoration? {
    func discarding(_ file: InvalidItem) -> Restoration {
      Restoration(chosen: chosen) {
        try $0.workspace.discard(file, of: chosen.key, in: chosen.table)
      }
    }
    guard let key = chosen.key else { return chosen.misnamedFile.map(discarding) }
    let workspace = session.workspace
    let base = try workspace.base(of: key)
    // A waiting row becomes the base first.
    let row = try isWaiting || entry?.invalid != nil ? workspace.newestRow(of: key) : base.row
    let known = row?.liveItem
    let client = try entry?.client ?? workspace.client(key)
    switch entry?.standing {
    case .conflict?:
      // Throws if two client sides were edited: the user must choose one.
      let conflict = try session.conflict(key)
      return Restoration(chosen: chosen, former: client.item, result: conflict.server) { session in
        let resolution = Resolution(item: conflict.server, how: "server")
        try Resolve(settings: session.settings)
          .settle(key, conflict, by: resolution, on: &session.workspace)
        return true
      }
    case .invalid(let invalid)?:
      if try workspace.attempt(of: key) != nil {
        throw Problem.usage(
          "the outcome of \(key) is unknown", hints: ["to find it out: \(typed: "push")"])
      }
      if let row, row.id != key.id {
        throw Problem.usage(
          "\(key) has the id \(row.id) on the server, and its file is not valid",
          hints: ["to mend it: \(typed: "edit", "\(key)")"])
      }
      // The edits of a client side that can't be read would be lost unseen.
      if case .invalid(let side)? = try workspace.editedSide(of: key) {
        throw Resolve.Failure.invalid(key, side)
      }
      // Without a server row, the file only goes to the trash.
      if try known == nil && !workspace.isInConflict(key) { return discarding(invalid) }
      return Restoration(chosen: chosen, result: known) { session in
        try session.workspace.restore(key, settings: session.settings) { workspace in
          // If another file is there by now, the restore itself finds out.
          _ = try workspace.discard(invalid, of: key, in: key.table)
        }
      }
    case .moved?: return nil  // it was refused before
    case .pending?, .unknown?:
      // A repeated command: the item is back as it was last.
      if base.row?.deleted == true, try client.item == workspace.lastState(of: key) { return nil }
    case .behind?, .rejected?: break
    case nil where isWaiting: break
    case nil:
      guard client == .absent, base.item == nil else { return nil }
      let queries = session.allQueries.filter { $0.table == key.table }
      if base == .neverSeen, !queries.isEmpty,
        try !session.removed(session.inventory()).contains(where: { $0.key == key })
      {
        throw Problem.usage(
          "\(key) left its queries; the server keeps it",
          hints: ["to have it here: \(typed: "query", "add", "NAME", "id=\(key.id)")"])
      }
      if try workspace.lostItem(key) == nil {
        throw Problem.usage("\(key) is deleted, and no copy of it is in the trash")
      }
    }
    // Of a rename all is undone, edits too.
    let isLost = client == .absent && entry?.waitsFor == nil
    let result = try isLost ? workspace.lostItem(key) : known
    if client.item == result, !isWaiting { return nil }
    return Restoration(
      chosen: chosen, former: client.item, result: result, isRevived: isLost && result != base.item
    ) { try $0.workspace.restore(key, to: result, expecting: client.digest) }
  }

  // MARK: Restoring

  /// Restores the item; returns whether it did.
  ///
  /// An item that changed after the plan is left, with a warning.
  func run(on session: inout Session) throws -> Bool {
    do {
      if try restore(&session) { return true }
    } catch is Resolve.Failure {
      // Somebody has changed the item, as where `restore` returns false.
    } catch let error as UnwritableItem {
      session.context.printer.warn(Problem(error))
      return false
    }
    if let key = chosen.key {
      session.context.printer.warn(
        Problem(.rejected, "another program changed \(key); it was not restored"))
    }
    return false
  }

  /// Prints `restored`, or `dropped` if the file is in the trash.
  func show(isRehearsal: Bool, _ names: ItemNames, to printer: Printer) {
    let word = result == nil ? "drop" : "restore"
    let verb = isRehearsal ? "would \(word)" : result == nil ? "dropped" : "restored"
    if let key = chosen.key {
      printer.show(Outcome(verb: verb, key: key, title: names.title(of: result ?? former)), names)
    } else if let file = chosen.misnamedFile {
      printer.show(verb, file, in: chosen.table)
    }
  }
}

extension Workspace {
  /// Returns what an item that has no file comes back as: as its row is, or where a command has removed it
  /// or there is no row, as it was last.
  ///
  /// `copy` finds the newest copy in the trash, or the newest that can be read; by default it looks there.
  func lostItem(
    _ key: ItemKey, copy: ((_ newestOnly: Bool) throws -> Item?)? = nil
  ) throws -> Item? {
    guard try isKnown(key) && !isRemoved(key) else { return try lastState(of: key, copy: copy) }
    return try base(of: key).item
  }

  /// Returns an item as it was last: in its newest copy in the trash, else in its row, deleted or not, else
  /// in the newest copy that can be read.
  func lastState(
    of key: ItemKey, copy: ((_ newestOnly: Bool) throws -> Item?)? = nil
  ) throws -> Item? {
    let copy = copy ?? { try displaced(key, newestOnly: $0) }
    if let item = try copy(true) { return item }
    let item = try base(of: key).row?.item
    return try item?.isEmpty == false ? item : copy(false)
  }
}
