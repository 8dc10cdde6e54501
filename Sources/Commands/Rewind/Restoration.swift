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
    case discarding(InvalidItem, TableName)
  }

  private let key: ItemKey?
  private let way: Way
  /// The resulting item; `nil` if the file goes to the trash.
  private let target: Item?
  private let shown: Item?

  // MARK: Planning

  /// Plans the restore of the given items, or of the removed items that fit filters.
  ///
  /// No selection means all that were changed, removed or rejected, or are invalid. `waiting` are
  /// the items that had a waiting row when the command began.
  ///
  /// - Throws: ``Failure`` if a given item can't be restored.
  static func plan(
    _ selection: ItemSelection?, _ session: Session, waiting: [ItemKey]
  ) throws -> (steps: [Restoration], names: ItemNames) {
    let inventory = try session.inventory()
    let survey = try Survey(of: session.tables, on: session.workspace)
    let entries = Dictionary(
      survey.entries.compactMap { entry in entry.key.map { ($0, entry) } },
      uniquingKeysWith: { $1 })
    var claims = Claims()
    var warned: Set<String?> = []
    var steps: [Restoration] = []
    var planned: Set<ItemKey> = []
    func plan(_ chosen: Target) throws {
      guard chosen.key.map({ planned.insert($0).inserted }) ?? true,
        let step = try Restoration(
          chosen, chosen.key.flatMap { entries[$0] }, session, &claims, waiting: waiting)
      else { return }
      // A rename that was not sent is undone as a whole: the former item comes back first.
      for former in step.key.map(session.workspace.journal.predecessors) ?? []
      where try session.workspace.client(former) == .absent { try plan(Target(former)) }
      steps.append(step)
      if let key = step.key, let successor = entries[key]?.successor,
        case .pending(let operation)? = entries[successor]?.standing, operation.kind == .insert
      {
        try plan(Target(successor))
      }
    }
    let unnamed: [ItemKey]
    switch selection {
    case .references(let words)?:
      var lookup = session.lookup(inventory)
      lookup.removed = { try inventory.removed(session.workspace) }
      for chosen in try lookup.all(words) {
        if let failure = try session.moved(chosen, &claims) { throw failure }
        try plan(chosen)
      }
      unnamed = []
    case .filters?:
      unnamed = try selection?.fitting(inventory, session, areRemoved: true).map(\.key) ?? []
    case nil:
      unnamed = try survey.entries.compactMap { entry in
        guard let key = entry.key, entry.isRestoredWithAll else { return nil }
        // An item without a row is restored only if it is named.
        if session.workspace.journal.intents[key] != nil { return key }
        return if case .row = try session.workspace.base(of: key) { key } else { nil }
      }
    }
    for key in unnamed where session.workspace.journal.conflicts[key] == nil {
      do {
        if let failure = try session.moved(Target(key), &claims) { throw failure }
        try plan(Target(key))
      } catch let failure as Failure {
        if warned.insert(failure.message).inserted { session.context.output.warn(failure) }
      }
    }
    return (steps, session.names(of: steps.compactMap(\.key), inventory))
  }

  /// `nil` if there is nothing to do for the item.
  private init?(
    _ chosen: Target, _ entry: Survey.Entry?, _ session: Session, _ claims: inout Claims,
    waiting: [ItemKey]
  ) throws {
    guard let key = chosen.key else {
      guard let file = chosen.misnamedFile else { return nil }
      self.init(key: nil, way: .discarding(file, chosen.table), target: nil, shown: nil)
      return
    }
    let base = try session.workspace.base(of: key)
    let here = entry?.client.item
    // Valid file or not: the sent change could come back from the server.
    guard session.workspace.journal.intents[key] == nil else {
      throw Failure.usage(
        "the outcome of \(key) is unknown", hints: ["to find it out: \(typed: "push")"])
    }
    // A waiting row becomes the base first.
    let row = try waiting.contains(key) ? session.workspace.newestRow(of: key) : base.row
    let target = row.flatMap { $0.deleted ? nil : $0.item }
    switch entry?.standing {
    case .conflict(let conflict)?:
      // Throws if two client sides were edited: the user must choose one.
      _ = try session.conflict(key, &claims)
      let server = conflict.server.deleted ? nil : conflict.server.item
      self.init(key: key, way: .server, target: server, shown: server ?? here)
    case .invalid(let invalid)?:
      try Self.requireReadableSide(of: key, session.workspace)
      let row = try session.workspace.newestRow(of: key)
      let target = row.flatMap { $0.deleted ? nil : $0.item }
      // Without a server row, the file only goes to the trash.
      let isDiscarded = target == nil && session.workspace.journal.conflicts[key] == nil
      self.init(
        key: key, way: isDiscarded ? .discarding(invalid, key.table) : .replacing(invalid),
        target: target, shown: target)
    case .moved?, .unknown?: return nil  // it was refused before
    case .pending?, .waiting?, .rejected?:
      // A repeated command: the item is back from the trash as it was there.
      if case .pending? = entry?.standing, case .tombstone(let row) = base, let here,
        try Self.remembered(row, key, session.workspace) == here
      {
        return nil
      }
      // A command removed the item, which had unsent edits.
      if case .pending? = entry?.standing, here == nil, base.item != nil,
        session.workspace.journal.notes[key]?.note.commanded == true,
        let last = try session.workspace.displaced(key, newestOnly: true), last != base.item
      {
        self.init(key: key, way: .trash, target: last, shown: last)
        return
      }
      self.init(key: key, way: .base, target: target, shown: target ?? here)
    case nil where waiting.contains(key):
      self.init(key: key, way: .waited, target: target, shown: row?.item)
    case nil:
      guard try session.workspace.client(key) == .absent else { return nil }
      if case .row = base { return nil }
      guard let item = try Self.remembered(base.row, key, session.workspace) else {
        throw Failure.usage("\(key) is deleted, and no copy of it is in the trash")
      }
      self.init(key: key, way: .trash, target: item, shown: item)
    }
  }

  private init(key: ItemKey?, way: Way, target: Item?, shown: Item?) {
    self.key = key
    self.way = way
    self.target = target
    self.shown = shown
  }

  /// Refuses an edited client side that can't be read: its edits would be lost unseen.
  private static func requireReadableSide(of key: ItemKey, _ workspace: Workspace) throws {
    if case .invalid(let invalid)? = try workspace.editedSide(of: key) {
      throw Resolve.Failure.invalid(key, invalid)
    }
  }

  /// Returns a deleted item from the trash, or else from its tombstone.
  private static func remembered(
    _ row: Row?, _ key: ItemKey, _ workspace: Workspace
  ) throws -> Item? {
    if let item = try workspace.displaced(key) { return item }
    return row.flatMap { $0.item.isEmpty ? nil : $0.item }
  }

  // MARK: Restoring

  /// Restores the item; returns whether it did anything.
  ///
  /// An item that changed after the plan is left, with a warning.
  func run(on session: inout Session) throws -> Bool {
    do {
      return try apply(to: &session)
    } catch let failure as Resolve.Failure {
      guard let key else { throw failure }
      session.context.output.warn("another program changed \(key); it was not restored")
      session.context.output.end(with: .rejected)
      return false
    }
  }

  /// Throws ``Resolve/Failure`` if the item changed after the plan.
  private func apply(to session: inout Session) throws -> Bool {
    guard let key else {
      if case .discarding(let file, let table) = way {
        _ = try session.workspace.discard(file, of: nil, in: table)
      }
      return true
    }
    switch way {
    case .waited: break
    case .base:
      switch try session.workspace.restore(key) {
      case .restored: break
      case .unchanged: return false
      case .changedMeanwhile: throw Resolve.Failure.changedMeanwhile(key)
      }
    case .discarding(let invalid, let table):
      guard try session.workspace.discard(invalid, of: key, in: table) else {
        throw Resolve.Failure.changedMeanwhile(key)
      }
    case .replacing(let invalid):
      try Self.requireReadableSide(of: key, session.workspace)
      let isBack = try session.workspace.restore(key) { workspace in
        // If another file is there by now, the restore itself finds out.
        _ = try workspace.discard(invalid, of: key, in: key.table)
      }
      guard isBack else { throw Resolve.Failure.changedMeanwhile(key) }
    case .trash:
      guard try session.workspace.write(target, to: key, expecting: nil) != .changedMeanwhile else {
        throw Resolve.Failure.changedMeanwhile(key)
      }
      try session.note([(key, target)])
    case .server:
      let conflict = try session.conflict(key)
      try Resolve(settings: session.settings).settle(
        key, conflict, by: .server, on: &session.workspace, claims: &session.claims)
    }
    return true
  }

  /// Prints `restored`, or `dropped` if the file is in the trash.
  func show(_ start: String, _ names: ItemNames, to output: Output) {
    let word = target == nil ? "drop" : "restore"
    let verb = start.utf8.isEmpty ? (target == nil ? "dropped" : "restored") : start + word
    if let key {
      output.show(Outcome(verb: verb, key: key, title: names.title(of: shown)), names)
    } else if case .discarding(let file, let table) = way {
      output.show(verb, file, in: table)
    }
  }
}

extension Survey.Entry {
  /// Whether `-a` restores the item: not if it is in conflict.
  fileprivate var isRestoredWithAll: Bool {
    switch standing {
    case .pending, .waiting, .rejected, .invalid, .unknown, .moved: true
    case .conflict: false
    }
  }
}
