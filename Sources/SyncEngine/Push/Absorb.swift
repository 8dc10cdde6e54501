package import SyncModel

/// What became of a write.
struct Answer {
  /// The write.
  let attempt: Attempt
  /// What it came to.
  let settlement: Settlement
  /// Whether a reading has told it: an answer was lost, or didn't say it.
  var isRead = false
  /// Whether the row was there or deleted before the first try: what was refused has not done that.
  var isFound = false

  /// Whether the server has done it.
  var isDone: Bool { if case .done = settlement { true } else { false } }
}

extension Attempt {
  /// Returns the lines of the table's journal that say what became of the write.
  ///
  /// `base` is what it was sent over. Others' row is measured against the base, or against what of the
  /// write it holds; `isAwaited` says that other items have become this one. `former` is what the server
  /// answered before, `now` the time in seconds since 1970.
  package func facts(
    of settlement: Settlement, over base: Base, isAwaited: Bool, former: Rejection?, now: Int64
  ) -> [Fact] {
    let (id, known) = (key.id, base.row?.item ?? Item(JSONObject()))
    let facts: [Fact] =
      switch settlement {
      case .unknown: []
      case .void: [.ended(id)]
      case .rejected(let refusal): [.refused(id, rejection(refusal, after: former, now: now))]
      case .done(let row?) where kind != .delete:
        answered(row, holding: sent(answeredBy: row, over: base.row?.item) ?? known)
      case .done(let row): [.base(row ?? .gone(id, holding: known), ends: id)]
      case .incoming(let row):
        [.arrived(Arrival(row, over: isRevived(by: row, isAwaited) ? known : nil), ends: id)]
      case .incomingOverOurs(let row): [.arrived(Arrival(row, over: item ?? known), ends: id)]
      }
    return facts.map { $0.over(base.row) }
  }

  /// Whether the change is measured against what a deleted row held, because others have brought it back.
  ///
  /// What an item has become is another's change of that row altogether.
  func isRevived(by row: Row, _ isAwaited: Bool) -> Bool {
    kind == .undelete && !row.deleted && !isAwaited
  }

  /// A row that holds what was sent is the base; what the server has made of it is brought to the item.
  private func answered(_ row: Row, holding sent: Item) -> [Fact] {
    let was = row.id == key.id ? nil : key.id
    guard was != nil || row.item != sent else { return [.base(row, ends: key.id)] }
    return [.arrived(Arrival(row, over: sent, isMine: true, was: was), ends: key.id)]
  }

  /// Returns the refusal of the write with how often the same change was refused.
  func rejection(_ refusal: Refusal, after former: Rejection?, now: Int64) -> Rejection {
    // An item that was edited is another change.
    let isSame = former?.kind == kind && former?.digest == digest
    return Rejection(
      kind: kind, refusal: refusal, digest: digest,
      tries: (isSame ? former?.tries ?? 0 : 0) + tries, time: now)
  }
}

extension ItemDisk where Self: RowDisk {
  /// Whether others have brought a deleted row back; see ``Attempt/isRevived(by:_:)``.
  func isRevived(_ attempt: Attempt, by row: Row) throws -> Bool {
    attempt.isRevived(by: row, try isAwaited(attempt.key))
  }
}

extension PushRun {
  /// Takes over what became of writes: lines of the tables' journals, then the rows that aren't as they were
  /// sent are brought to their items.
  ///
  /// A power loss may take the lines back until a later one is durable; their writes are open again then.
  mutating func absorb(_ disk: inout some Disk) throws {
    guard !answers.isEmpty else { return }
    let answers = answers
    self.answers = []
    var facts: [TableName: [Fact]] = [:]
    for answer in answers {
      let (attempt, key) = (answer.attempt, answer.attempt.key)
      let base = try bases.removeValue(forKey: key) ?? disk.base(of: key)
      let said = try attempt.facts(
        of: answer.settlement, over: base, isAwaited: disk.isAwaited(key),
        former: disk.rejection(of: key), now: settings.now)
      try tell(answer, said, over: base, &disk)
      facts[key.table, default: []] +=
        answer.isFound ? said.map(\.withoutEnd) + [.ended(key.id)] : said
    }
    for (table, facts) in facts {
      let learnt = facts.compactMap(\.row).map { Anchor($0.id, since: settings.now) }
      let facts = try facts + disk.askingAgain(after: facts, in: table)
      try disk.append(
        (learnt.isEmpty ? [] : [.learnt(learnt)]) + facts, to: table, durably: false)
    }
    for (table, facts) in facts { try bring(facts, table, &disk) }
    try rejectDropped(&disk)
  }

  /// Brings the rows of arrivals to their items.
  private mutating func bring(
    _ facts: [Fact], _ table: TableName, _ disk: inout some Disk
  ) throws {
    let arrivals = facts.compactMap(\.arrival)
    guard !arrivals.isEmpty else { return }
    // The event of the write already tells what the server has changed in it.
    let answers = Set(arrivals.filter(\.isMine).map(\.row.id))
    report.events += try disk.takeArrivals(
      in: table, of: Set(arrivals.map(\.id)), settings: settings
    ).events.filter { !answers.contains($0.key.id) }
    for arrival in arrivals {
      let key = ItemKey(table, arrival.id)
      if try !arrival.isMine || disk.arrival(of: key) != nil {
        again.insert(key)
        brought.insert(key)
      } else if arrival.was != nil, !dropped.contains(where: { $0.key == key }) {
        // It may have been edited before it was moved.
        again.insert(ItemKey(table, arrival.row.id))
      }
    }
  }
}
