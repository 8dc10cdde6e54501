import SyncModel

/// What is known of an item but for its files.
struct Known {
  /// What the client's change is measured against.
  let base: Base
  /// The newest row of the server's, which isn't the base yet.
  let arrival: Arrival
  /// Whether a write of it is open.
  let hasAttempt: Bool
  /// The sides of its conflict, where they lie beside each other.
  let laid: Laid?
  /// Whether other items have become it, whose rows wait until the server has it as it is here.
  let hasFormers: Bool
  /// Whether a command was told to delete it.
  let isRemoved: Bool

  /// The row that has arrived.
  var row: Row { arrival.row }
  /// Whether it is the answer to a write, and no person is asked about it.
  private var isAnswer: Bool { laid == nil && arrival.isMine }
  /// Whether a person is asked about this row already.
  var isAsked: Bool { laid?.row == Digest(of: row.text) }
}

/// What becomes of an item to which a row of the server's is brought.
enum Decision: Equatable {
  /// The item stays as it is, and the row may become its base.
  case take(Told)
  /// The item becomes this one; `nil` removes it.
  case write(Item?, Told)
  /// The row waits, because the item can't be replaced now.
  case wait(Wait)
  /// A person decides; the row waits as the server's side.
  case conflict(Conflict)

  /// Why a row waits.
  enum Wait: Equatable {
    /// The item's file can't be read as an item, or was moved.
    case invalid
    /// A write of the item is open, whose outcome will bring the row, or a newer one.
    case inFlight
    /// The item would go: only a pull that has reached its end removes items, after a count of all.
    case removal
    /// The item's file is valid, and can't be replaced now.
    case held(Event.Hold)
    /// A person is asked already.
    case asked
  }
}

/// What a decision says and leaves behind.
struct Told: Equatable {
  /// What is printed, if anything, and the item whose title is printed.
  var what: Event.What?
  var item: Item?
  /// Texts for the trash.
  var keeps: [Item] = []
  /// Whether the next push brings the deleted row back.
  var undeletes = false
}

extension Known {
  /// Decides, by the rule of the item's table.
  func decide(_ client: ClientState, isSideEdited: Bool, _ table: MergePolicy) -> Decision {
    if hasAttempt { return .wait(.inFlight) }
    if case .invalid = client { return .wait(.invalid) }
    if isAnswer, client == .absent { return .take(Told()) }
    let here = client.item
    let merge = merge(here, table)
    if isSideEdited || asks(client, merge) { return .conflict(conflict(here, table)) }
    // What the server makes of what was sent nobody has written.
    var told = Told(keeps: isAnswer ? [] : lost(server, here, merge))
    switch merge {
    case .settled: return .take(told)
    case .conflict(let conflict): return .conflict(conflict)
    case .takeServer(let item):
      (told.what, told.item) = (
        item == nil ? .removed : here == nil ? .added : .updated, item ?? here
      )
      return .write(item, told)
    case .merged(let item, let report):
      (told.what, told.item) = (.merged(report), item ?? server ?? here)
      // The rule of the table has decided that the row comes back.
      told.undeletes = server == nil && item != nil && base.item != nil
      return item == here ? .take(told) : .write(item, told)
    }
  }

  /// Whether a person must decide.
  private func asks(_ client: ClientState, _ merge: Merge) -> Bool {
    let here = client.item
    if case .conflict = merge { return true }
    // Who is asked already decides upon a delete, too; of a row that was never known nothing says which is newer.
    if row.deleted, here != nil, laid != nil || base == .neverSeen { return true }
    if case .takeServer = merge, here != nil, isAwaited(here), !isAnswer { return true }
    guard let laid else { return false }
    let isEdited = client.isEdited(since: laid.file)
    // That the file is missing decides nothing, but that a command has removed it, or that its row is, too.
    if here == nil, !isRemoved { return isEdited || merge != .settled }
    // No rule decides upon what was edited since.
    if isEdited, case .conflict = self.merge(here, MergePolicy()) { return true }
    return false
  }

  private func merge(_ here: Item?, _ table: MergePolicy) -> Merge {
    let policy = policy(here, table)
    guard let former = deletedBefore(here) else {
      return Merge(
        base: base.item, client: here, server: server, last: last(over: base.item), policy: policy)
    }
    return Merge(base: former, client: here, server: row.item, policy: policy)
  }

  /// Returns what is in conflict, where the client's item is this one, by the rule of its table.
  func conflict(_ here: Item?, _ table: MergePolicy) -> Conflict {
    let origin = deletedBefore(here) ?? base.item
    guard let here, let server else {
      return Conflict(base: origin, client: here, server: server, last: last(over: origin))
    }
    var fields = FieldMerge(
      base: origin, client: here, server: server, policy: policy(here, table))
    if !fields.isDisputed { fields = FieldMerge(base: origin, client: here, server: server) }
    return Conflict(base: origin, client: here, server: server, fields: fields)
  }

  /// The server's item; `nil` where it is deleted.
  private var server: Item? { row.deleted ? nil : row.item }

  private func isAwaited(_ here: Item?) -> Bool { hasFormers && here != base.item }

  private func policy(_ here: Item?, _ table: MergePolicy) -> MergePolicy {
    isAnswer ? MergePolicy(.client) : isAwaited(here) ? .awaited(from: base.item) : table
  }

  /// Returns what a deleted row held, where something tells what was changed since.
  private func last(over origin: Item?) -> Item? {
    origin.flatMap { row.deleted ? row.lastItem(over: $0) : nil }
  }

  /// Returns what the row held when it was deleted before; `nil` where it wasn't, or that isn't known.
  ///
  /// A row that was deleted anew is what an undelete is measured against: it brings back only what was changed
  /// here.
  private func deletedBefore(_ here: Item?) -> Item? {
    guard here != nil, row.deleted, !row.item.isEmpty, case .tombstone(let former) = base,
      !former.item.isEmpty
    else { return nil }
    return former.item
  }

  /// Returns what nothing else here has any more: what the client loses is displaced by the write.
  private func lost(_ server: Item?, _ here: Item?, _ merge: Merge) -> [Item] {
    var lost: [Item] = []
    if case .merged(_, let report) = merge, report.serverLost, let server { lost.append(server) }
    // A command has displaced what it removed.
    if merge == .settled, here == nil, server == nil, !isRemoved, let item = base.item {
      lost.append(item)
    }
    // Somebody had changed the deleted row since it was known here.
    if row.deleted, let known = base.row?.item, row.lastItem(over: known) != known {
      lost.append(row.lastItem(over: known))
    }
    return lost
  }
}

extension MergePolicy {
  /// Returns the rule for what other items have become, until the server has it as it is here.
  ///
  /// No rule gives it up for another's row, and no row takes its place unasked: the former rows would go.
  static func awaited(from base: Item?) -> MergePolicy {
    MergePolicy(base == nil ? .manual : .fields)
  }
}
