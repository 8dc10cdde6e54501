import SyncEngine
import SyncModel
import Workspace

/// The restore of one item to the server's row.
struct Restoration {
  private enum Way {
    /// Nothing: recovery has applied the waiting row to base and file.
    case waited
    /// Write the base, or remove the file if there is none.
    case base
    /// Move the invalid file to the trash first.
    case replacing(InvalidItem)
    /// Write from the trash: the server has no row, or a command removed unsent edits.
    case trash
    /// Take the server's side of a conflict.
    case server
    /// Move a file that can't be an item, and has no base, to the trash.
    case discarding(InvalidItem)
  }

  let chosen: Target
  private let way: Way
  /// The resulting item; `nil` if the file goes to the trash.
  private let target: Item?
  /// The item before the restore.
  private let former: Item?

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
    let survey = try Survey(of: session.tables, on: workspace)
    let entries = survey.byKey
    var steps: [Restoration] = []
    var planned: Set<ItemKey> = []
    func plan(_ chosen: Target) throws {
      let key = chosen.key
      if let key, !planned.insert(key).inserted { return }
      let entry = key.flatMap { entries[$0] }
      guard let step = try Restoration(chosen, entry, session, waiting) else { return }
      // A rename that was not sent is undone as a whole: the former item comes back first.
      let formers = try (key.map(workspace.formers) ?? [])
        .filter { try workspace.client($0) == .absent }
      for former in formers { try plan(Target(former)) }
      // A renamed item that was removed comes back once, under its former id.
      if case .trash = step.way, !formers.isEmpty { return }
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
        ?? survey.entries.compactMap(\.key).filter { try workspace.base(of: $0).item != nil }
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

  /// `nil` if there is nothing to do for the item.
  private init?(
    _ chosen: Target, _ entry: Survey.Entry?, _ session: Session, _ waiting: [ItemKey]
  ) throws {
    self.chosen = chosen
    guard let key = chosen.key else {
      guard let file = chosen.misnamedFile else { return nil }
      (way, target, former) = (.discarding(file), nil, nil)
      return
    }
    let workspace = session.workspace
    let base = try workspace.base(of: key)
    // A waiting row becomes the base first.
    let isWaiting = waiting.contains(key)
    let row = try isWaiting || entry?.invalid != nil ? workspace.newestRow(of: key) : base.row
    let known = row?.liveItem
    // Without an entry, the file is as its base was.
    let here = entry == nil ? row?.item : entry?.client.item
    former = here
    switch entry?.standing {
    case .conflict(let conflict)?:
      // Throws if two client sides were edited: the user must choose one.
      _ = try session.conflict(key)
      (way, target) = (.server, conflict.server)
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
      let isDiscarded = try known == nil && !workspace.isInConflict(key)
      (way, target) = (isDiscarded ? .discarding(invalid) : .replacing(invalid), known)
    case .moved?: return nil  // it was refused before
    case .pending?, .unknown?:
      if here == nil, try workspace.isRemoved(key) {
        // The item had unsent edits if the last copy in the trash isn't the base.
        let last = try workspace.displaced(key, newestOnly: true) ?? base.item
        (way, target) = (last == base.item ? .base : .trash, last)
        return
      }
      // A repeated command: the item is back as its base was, or as it was in the trash.
      let isBack = try base.row?.deleted == true && here == Self.remembered(key, workspace)
      if here == known || isBack { return nil }
      (way, target) = (.base, known)
    case .behind?, .rejected?: (way, target) = (.base, known)
    case nil where isWaiting: (way, target) = (.waited, known)
    case nil:
      guard try workspace.client(key) == .absent, base.item == nil else { return nil }
      let queries = session.allQueries.filter { $0.table == key.table }
      if base == .neverSeen, !queries.isEmpty,
        try !session.removed(session.inventory()).contains(where: { $0.key == key })
      {
        throw Problem.usage(
          "\(key) left its queries; the server keeps it",
          hints: ["to have it here: \(typed: "query", "add", "NAME", "id=\(key.id)")"])
      }
      guard let item = try Self.remembered(key, workspace) else {
        throw Problem.usage("\(key) is deleted, and no copy of it is in the trash")
      }
      (way, target) = (.trash, item)
    }
  }

  /// Returns a deleted item from its newest copy in the trash, else from its tombstone, else from the
  /// newest copy that can be read.
  private static func remembered(_ key: ItemKey, _ workspace: Workspace) throws -> Item? {
    if let item = try workspace.displaced(key, newestOnly: true) { return item }
    return try workspace.tombstoneItem(key) ?? workspace.displaced(key)
  }

  // MARK: Restoring

  /// Restores the item; returns whether it did anything.
  ///
  /// An item that changed after the plan is left, with a warning.
  func run(on session: inout Session) throws -> Bool {
    guard let key = chosen.key else {
      if case .discarding(let file) = way {
        _ = try session.workspace.discard(file, of: nil, in: chosen.table)
      }
      return true
    }
    do {
      let result = try restore(key, on: &session)
      if result == .changedMeanwhile { throw Resolve.Failure.changedMeanwhile(key) }
      return result != .unchanged
    } catch is Resolve.Failure {
      session.context.printer.warn(
        Problem(.rejected, "another program changed \(key); it was not restored"))
      return false
    } catch let error as UnwritableItem {
      session.context.printer.warn(Problem(error))
      return false
    }
  }

  /// Throws ``Resolve/Problem`` if a conflict changed after the plan.
  private func restore(_ key: ItemKey, on session: inout Session) throws -> Restored {
    var isDone = true
    switch way {
    case .waited: break
    case .base: return try session.workspace.restore(key)
    case .discarding(let invalid):
      isDone = try session.workspace.discard(invalid, of: key, in: key.table)
    case .replacing(let invalid):
      isDone = try session.workspace.restore(key, settings: session.settings) { workspace in
        // If another file is there by now, the restore itself finds out.
        _ = try workspace.discard(invalid, of: key, in: key.table)
      }
    case .trash:
      isDone = try session.workspace.write(target, to: key, expecting: nil) != .changedMeanwhile
      if isDone { try session.note([(key, target)]) }
    case .server:
      let conflict = try session.conflict(key)
      try Resolve(settings: session.settings).settle(
        key, conflict, by: Resolution(item: conflict.server, how: "server"), on: &session.workspace)
    }
    return isDone ? .restored(target) : .changedMeanwhile
  }

  /// Prints `restored`, or `dropped` if the file is in the trash.
  func show(isRehearsal: Bool, _ names: ItemNames, to printer: Printer) {
    let word = target == nil ? "drop" : "restore"
    let verb = isRehearsal ? "would \(word)" : target == nil ? "dropped" : "restored"
    if let key = chosen.key {
      printer.show(Outcome(verb: verb, key: key, title: names.title(of: target ?? former)), names)
    } else if let file = chosen.misnamedFile {
      printer.show(verb, file, in: chosen.table)
    }
  }
}

extension Workspace {
  /// Returns what a deleted row says of its item; `nil` if that is nothing.
  func tombstoneItem(_ key: ItemKey) throws -> Item? {
    try base(of: key).row.flatMap { $0.item.isEmpty ? nil : $0.item }
  }
}
