package import SyncModel

/// Changes of a table that are too many to be sent unasked, because no command of tsync's made them.
package enum Unmeant: Equatable, Sendable {
  /// The files of these items are missing, and the rows are live; the table has so many live rows.
  case missing([ItemKey], of: Int, in: TableName)
  /// The files of these items are here again, and the rows are deleted.
  case back([ItemKey], in: TableName)

  /// The items, in their order.
  package var keys: [ItemKey] {
    switch self {
    case .missing(let keys, _, _), .back(let keys, _): keys
    }
  }
}

extension Push {
  /// Returns what nobody meant, in a push of a survey's changes.
  ///
  /// Items that were removed on purpose, or whose conflict or write is open, don't count among a table's
  /// rows: where all others have vanished, nothing is left that speaks for it. `most` says how many of a kind
  /// and a table may be sent unasked; `nil` for the limits of the settings.
  package func unmeant(
    in survey: Survey, on disk: some Disk, most limit: Int? = nil
  ) throws -> [Unmeant] {
    let changes = Dictionary(grouping: survey.pending(selection), by: \.key.table)
    let all = try Set(survey.pending().filter { try disk.hasVanished($0) }.map(\.key))
    var found: [Unmeant] = []
    for (table, changes) in changes.sorted(by: { $0.key < $1.key }) {
      let changes = changes.filter { !meant.contains($0.key) }
      let missing = try changes.filter { try disk.hasVanished($0) }.map(\.key)
      if !missing.isEmpty {
        let live = try Set(disk.liveIDs(in: table))
        let others = survey.entries.count { entry in
          guard let key = entry.key, entry.client == .absent, key.table == table else {
            return false
          }
          return live.contains(key.id) && !all.contains(key)
        }
        let most = Guards.vanished(of: live.count, rest: live.count - others)
        if missing.count > limit ?? settings.maxDelete ?? most {
          found.append(.missing(missing.sorted(), of: live.count, in: table))
        }
      }
      // Who names them means them.
      let back = try changes.filter { try disk.tombstone(under: $0)?.wasLive == true }.map(\.key)
      if selection == nil, back.count > limit ?? Guards.unasked {
        found.append(.back(back.sorted(), in: table))
      }
    }
    return found
  }
}

extension Push {
  /// Returns why nothing of a survey's changes may be sent: nobody meant them, or the push would bring new items
  /// to a table although no pull has read its rows, where they may be there already: under ids that the server
  /// makes, or because the table's journal was lost.
  ///
  /// - Throws: What reading the files and rows throws.
  package func danger(
    in survey: Survey, on disk: some Disk, makesIDs: (TableName) -> Bool = { _ in false }
  ) throws -> Danger? {
    if let unmeant = try unmeant(in: survey, on: disk).first { return .unmeant(unmeant) }
    let tables = Set(survey.pending(selection).filter { $0.kind == .insert }.map(\.key.table))
    return try tables.sorted().first {
      try !disk.state(of: $0).isPulled && (hasPulled || makesIDs($0))
    }.map(Danger.notPulled)
  }
}

extension ItemDisk where Self: RowDisk {
  /// Whether a change is the delete of an item whose file no command has removed.
  func hasVanished(_ change: Operation) throws -> Bool {
    guard change.kind == .delete else { return false }
    let marks = try state(of: change.key.table).marks
    guard let other = marks[change.key.id]?.after, !marks.isRemoved(other) else {
      return !marks.isRemoved(change.key.id)
    }
    // What it has become was not removed by a command: the server may never have received it.
    switch try base(of: ItemKey(change.key.table, other)) {
    case .neverSeen: return true
    case .tombstone: return marks[other] == .undelete
    case .row: return false
    }
  }

  /// Returns the deleted row that a change would bring back, although no command has made or changed the
  /// item's file, and no push has been told to send it.
  func tombstone(under change: Operation) throws -> Row? {
    try state(of: change.key.table).marks[change.key.id] == .undelete ? nil : deletedRow(of: change)
  }

  /// Returns what is to be said where an item's file is there because somebody means it: that it was removed is
  /// over, and a deleted row comes back with it.
  package func presence(of key: ItemKey, as item: Item?) throws -> [Fact] {
    try presence(of: key, by: Operation(key: key, client: item, base: base(of: key)))
  }

  /// The same, where the change is known that the file makes; `nil` for none.
  func presence(of key: ItemKey, by change: Operation?) throws -> [Fact] {
    let isRevived = try change.map { try deletedRow(of: $0) != nil } ?? false
    let (known, mark) = (try state(of: key.table).marks[key.id], isRevived ? Mark.undelete : nil)
    return known == mark ? [] : [.marked(key.id, mark)]
  }

  /// Returns the deleted row that a change would bring back: an undelete, or an insert over what stands
  /// for no row.
  private func deletedRow(of change: Operation) throws -> Row? {
    switch change.kind {
    case .update, .delete: return nil
    case .undelete: return change.base
    case .insert: return try base(of: change.key).row
    }
  }

  /// Makes a conflict of a file over a deleted row that this workspace has never had: nothing says that the
  /// file is newer than the delete.
  mutating func layUnknown(_ row: Row, _ key: ItemKey, _ client: ClientState) throws -> Applied {
    let conflict = Conflict(base: nil, client: client.item, server: nil, last: row.item)
    try meetAgain(row, of: key)
    return try lay(conflict, key, client, row)
  }
}

extension Row {
  /// Whether the row that this tombstone replaced was known here; what stands for no row always was.
  var wasLive: Bool { !had.isEmpty || version == nil }
}
