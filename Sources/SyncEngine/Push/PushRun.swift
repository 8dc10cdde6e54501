import SyncModel

/// One push under way: what came of its writes.
struct PushRun {
  let settings: Settings
  var report: PushReport
  /// How many writes the push has in all.
  var total = 0
  /// How many replies have come.
  private(set) var replies = 0
  /// The items that were merged or turned and are to be sent again in this push.
  var again: Set<ItemKey> = []
  /// The items to which rows were to be brought that aren't as they were sent.
  private var brought: Set<ItemKey> = []
  /// The writes that the server has done and that are not taken over yet.
  private var done: [(intent: Intent, row: Row?, read: Bool)] = []
  /// The rows that lack fields which were sent, and those.
  private var dropped: [(key: ItemKey, row: Row, names: [Text])] = []
  /// How many of the push's writes were answered by "there is no such row".
  private var absences = 0
  /// The writes whose outcome only a reading can tell; with the refusal that it comes to where the row is
  /// as it was before, `nil` where no whole answer came.
  private var doubts: [(intent: Intent, refusal: Refusal?)] = []
  /// The line.
  private(set) var line = PushLine()
  /// Whether changes stay that were to be sent.
  var leavesSome = false

  init(settings: Settings, report: PushReport) {
    self.settings = settings
    self.report = report
  }

  /// Whether a write that is open may be sent again in this push.
  func maySendAgain(_ intent: Intent) -> Bool {
    report.stop == nil && line.maySendAgain(intent) && !report.missing.contains(intent.key.table)
  }

  mutating func take(_ reply: Reply, to intent: Intent, _ disk: inout some Disk) throws {
    replies += 1
    report.stop = report.stop ?? reply.stop
    line.note(reply.outcome, of: intent)
    switch reply.outcome {
    // The answer tells no version, or is the row from before the write.
    case .done(nil) where intent.kind != .delete: doubts.append((intent, intent.kept))
    case .done(let row?)
    where try [.update, .undelete].contains(intent.kind) && row.item != intent.item
      && disk.base(of: intent.key).row?.knows(row.version) == true:
      doubts.append((intent, intent.kept))
    case .done(let row): done.append((intent, row, false))
    case .refused(let refusal):
      guard intent.attempt > 1 else { return try reject(refusal, intent, &disk) }
      doubts.append((intent, refusal))  // what is refused now may have been done before
    case .disputed(let refusal): doubts.append((intent, refusal))
    case .unknown(let refusal): doubts.append((intent, refusal))
    case .cut: doubts.append((intent, nil))
    case .notSent:
      // An earlier attempt may still have been carried out.
      guard intent.attempt == 1 else { return }
      try disk.append([.closed(.intent(intent.key))], durably: false)
    }
  }

  private mutating func reject(
    _ refusal: Refusal, _ intent: Intent, _ disk: inout some Disk
  ) throws {
    try reject(
      refusal, intent.kind, intent.key, intent.digest, intent.item, attempt: intent.attempt, &disk)
  }

  mutating func reject(
    _ refusal: Refusal, _ kind: Operation.Kind, _ key: ItemKey, _ digest: Digest?, _ item: Item?,
    attempt: Int, _ disk: inout some Disk
  ) throws {
    // An item that was edited is another change.
    let former = disk.journal.rejections[key]
      .flatMap { $0.kind == kind && $0.digest == digest ? $0 : nil }
    let rejection = Rejection(
      kind: kind, refusal: refusal, digest: digest, tries: (former?.tries ?? 0) + attempt,
      time: settings.now)
    try disk.append([.rejected(key, rejection)], durably: false)
    let shown = try item ?? disk.base(of: key).row?.item
    report.events.append(Event(key, .rejected(rejection), item: shown))
  }

  /// Takes over what the server has done: result, item, base, closed, each for all of the group.
  mutating func flush(_ disk: inout some Disk) throws {
    guard !done.isEmpty else { return }
    // Of an item that a power loss tears as an answer is brought to it, the result tells what it was.
    let bringsMore = done.contains { intent, row, _ in
      row.map { $0.item != intent.item || $0.id != intent.key.id } ?? false
    }
    try disk.append(done.map { .result($0.intent.key, $0.row) }, durably: bringsMore)
    var bases: [TableName: [Fact]] = [:]
    var taken: [Intent] = []
    var renamed: [Intent] = []
    var waiting: [TableName: [Arrival]] = [:]
    for (intent, row, read) in done {
      let former = try disk.base(of: intent.key).row?.item
      let answer = WriteAnswer(row, to: intent, over: former)
      let key = answer.id.map { ItemKey(intent.key.table, $0) } ?? intent.key
      guard try key == intent.key || disk.rename(intent.key, to: key) else {
        // Recovery moves it once that can be done.
        report.events.append(Event(intent.key, .held, item: intent.item))
        continue
      }
      if let row, try !disk.takeAnswer(row, to: intent, at: key) {
        let sent = try disk.sent(by: intent, answeredBy: row) ?? Item(JSONObject())
        waiting[key.table, default: []].append(Arrival(row, over: sent, isMine: true))
      } else {
        if intent.kind == .delete {
          if disk.journal.notes[intent.key]?.note.commanded != true { report.vanished += 1 }
          try disk.keepVanished(intent.key, by: row)
        }
        if key == intent.key { taken.append(intent) }
        let gone = Row.gone(intent.key.id, holding: former ?? Item(JSONObject()))
        bases[intent.key.table, default: []].append(.base(row ?? gone))
      }
      if key != intent.key { renamed.append(intent) }
      if let row, !answer.dropped.isEmpty { dropped.append((key, row, answer.dropped)) }
      report.events.append(
        Event(
          intent.key, read ? .alreadyThere(intent.kind) : .pushed(intent.kind),
          item: intent.item ?? former, answer: answer))
      // An undelete may leave the fields to a second write, and a new id what was edited since.
      if intent.kind == .undelete || (answer.id != nil && answer.dropped.isEmpty) {
        again.insert(key)
      }
    }
    // What was sent is safe since before its intent; what the answers have brought is not.
    try disk.settle()
    for (table, facts) in bases { try disk.append(facts, to: table, durably: true) }
    try disk.noteArrivals(done.map { ($0.intent, $0.row) })
    try disk.append(taken.flatMap { disk.journal.closings(of: $0) }, durably: false)
    done = []
    try bring(waiting, &disk)
    // Its row is the base of the new id by now: until then the answer must be found again.
    try disk.append(renamed.flatMap { disk.journal.closings(of: $0) }, durably: false)
    try rejectDropped(&disk)
  }

  /// Keeps the fields that answers lacked from being sent again and again: their items are rejected as
  /// they are.
  private mutating func rejectDropped(_ disk: inout some Disk) throws {
    for (key, row, names) in dropped {
      let client = try disk.client(key)
      let left = Change(from: row.item, to: client.item).names
      guard client.item != nil, left.allSatisfy(names.contains) else { continue }
      let words = Text("the server dropped: \(names.map(\.string).joined(separator: ", "))")
      let rejection = Rejection(
        kind: .update, refusal: Refusal(status: 200, words: words), digest: client.digest, tries: 1,
        time: settings.now)
      try disk.append([.rejected(key, rejection)], durably: false)
    }
    dropped = []
  }

  /// Finds out what became of writes that an earlier push left, until a reading fails: whether the line
  /// holds, the writes show that come next.
  mutating func look(
    at intents: [Intent], _ disk: inout some Disk, _ backend: inout some Backend
  ) throws {
    for intent in intents where report.stop == nil {
      doubts.append((intent, nil))
      try settle(&disk, &backend)
    }
    report.stop = nil
  }

  /// Takes over what a sending has brought.
  mutating func settle(_ disk: inout some Disk, _ backend: inout some Backend) throws {
    line.end()
    try flush(&disk)
    try settleDoubts(&disk, &backend)
    try flush(&disk)
  }

  /// Reads the rows of the writes in doubt, and settles each.
  private mutating func settleDoubts(
    _ disk: inout some Disk, _ backend: inout some Backend
  ) throws {
    var readings: [(Intent, Settlement, isAbsent: Bool)] = []
    for (intent, refusal) in doubts {
      do {
        if let stop = report.stop { throw stop }
        var (reading, settlement) = try settlement(of: intent, refusal, disk, &backend)
        // What was done may not have come to a replica yet.
        if case .rejected = settlement {
          (reading, settlement) = try self.settlement(of: intent, refusal, disk, &backend)
        }
        // The row may be there under an id of the server's; of an item that is here no more nobody asks.
        let isRemoved =
          try disk.client(intent.key) == .absent && disk.moved(intent.key) == nil
        if intent.kind == .insert, reading == .absent, !isRemoved,
          !intent.isSurelyUndone(refusal), try backend.makesIDs(in: intent.key.table)
        {
          settlement = .unknown
          report.doubtful.insert(intent.key)
        }
        let isAbsent = reading == .absent && intent.isMissed(refusal)
        readings.append((intent, settlement, isAbsent))
      } catch Stop.noTable(let table) {
        // A table that isn't there took nothing: the change waits for it.
        report.missing.insert(table)
        if [404, 410].contains(refusal?.status) {
          try disk.append([.closed(.intent(intent.key))], durably: false)
        } else {
          report.events.append(Event(intent.key, .unknown, item: intent.item))
        }
      } catch let stop as Stop {
        report.stop = report.stop ?? stop
        let shown = try intent.item ?? disk.base(of: intent.key).row?.item
        report.events.append(Event(intent.key, .unknown, item: shown))
      }
    }
    doubts = []
    let absent = readings.filter(\.isAbsent)
    absences += absent.count
    if !absent.isEmpty, absences > Guards.absences(of: max(total, replies)) {
      // They did not happen: whatever way is taken next, they must not stand in it.
      try disk.append(absent.map { .closed(.intent($0.0.key)) }, durably: true)
      throw Guards.rowsAreGone(absences, of: max(total, replies))
    }
    var others: [TableName: [Arrival]] = [:]
    for (intent, settlement, _) in readings { try settle(intent, settlement, &others, &disk) }
    try bring(others, &disk)
  }

  /// Reads the row of a write in doubt.
  private func settlement(
    of intent: Intent, _ refusal: Refusal?, _ disk: some Disk, _ backend: inout some Backend
  ) throws -> (Reading, Settlement) {
    let key = intent.key
    var reading = try backend.read(key)
    // Of what is read and what a pull has brought meanwhile, a replica that lags has the older one.
    if case .row(let row) = reading, let waiting = try disk.arrival(of: key)?.row,
      try disk.isOlder(row, than: waiting, of: key)
    {
      reading = .row(waiting)
    }
    let base = try disk.base(of: key).row
    let settlement = Settlement(
      intent, over: base?.item, former: intent.kind == .insert ? nil : base?.former,
      reading: reading, refusal: refusal)
    return (reading, settlement)
  }

  private mutating func settle(
    _ intent: Intent, _ settlement: Settlement, _ others: inout [TableName: [Arrival]],
    _ disk: inout some Disk
  ) throws {
    switch settlement {
    case .done(let row):
      line.found(intent)
      done.append((intent, row, true))
    case .rejected(let refusal): try reject(refusal, intent, &disk)
    case .unknown: report.events.append(Event(intent.key, .unknown, item: intent.item))
    case .void where try intent.next(disk.client(intent.key)) == nil:
      let isLate = line.timedOut.contains(intent.key)
      let shown = try intent.item ?? disk.base(of: intent.key).row?.item
      report.events.append(Event(intent.key, .cut(timedOut: isLate), item: shown))
    case .void:
      try disk.append([.closed(.intent(intent.key))], durably: false)
      again.insert(intent.key)
    case .incoming(let row):
      // Over a tombstone the change is measured against what the row held when it was deleted.
      // What an item has become is another's change of that row altogether.
      let isAwaited = disk.journal.isAwaited(intent.key)
      let revives = intent.kind == .undelete && !row.deleted && !isAwaited
      let over = try revives ? disk.base(of: intent.key).row?.item : nil
      // Of a row that isn't known to be there, what was moved counts as the item only while its write is
      // open.
      if try over == nil && disk.base(of: intent.key).item == nil
        && disk.client(intent.key) == .absent && disk.moved(intent.key) != nil
      {
        return report.events.append(Event(intent.key, .held, item: intent.item))
      }
      others[intent.key.table, default: []].append(Arrival(row, over: over))
    case .incomingOverOurs(let row):
      try disk.noteArrivals([(intent, nil)])
      others[intent.key.table, default: []].append(
        Arrival(row, over: intent.item ?? Item(JSONObject())))
      report.events.append(Event(intent.key, .alreadyThere(intent.kind), item: intent.item))
    }
  }

  /// Brings rows that aren't as they were sent to their items, like pulled ones; their writes are closed
  /// before.
  private mutating func bring(
    _ arrivals: [TableName: [Arrival]], _ disk: inout some Disk
  ) throws {
    guard !arrivals.isEmpty else { return }
    for (table, arrivals) in arrivals {
      try disk.append(arrivals.map { .arrived($0) }, to: table, durably: true)
    }
    let keys = arrivals.flatMap { table, arrivals in arrivals.map { ItemKey(table, $0.row.id) } }
    try disk.append(keys.map { .closed(.intent($0)) }, durably: true)
    for table in arrivals.keys.sorted() {
      report.events += try disk.takeArrivals(in: table, settings: settings)
    }
    again.formUnion(keys)
    brought.formUnion(keys)
  }

  /// Brings the rows that waited for the outcome of a write to their items, ahead of what is sent next.
  mutating func takeWaiting(in tables: [TableName], _ disk: inout some Disk) throws {
    for table in tables {
      let events = try disk.takeArrivals(in: table, settings: settings)
      report.events += events
      again.formUnion(events.map(\.key))
    }
  }

  /// Tells the rows that were to be brought to their items and wait at the end.
  mutating func tellHeld(_ disk: some Disk) throws {
    for key in brought.sorted()
    where try disk.arrival(of: key) != nil && disk.journal.conflicts[key] == nil {
      report.events.append(Event(key, .held, item: try disk.base(of: key).item))
    }
  }
}

extension Intent {
  /// The rejection of a write that the server reported as done, but that the row does not show.
  fileprivate var kept: Refusal {
    let fact: Text =
      kind == .insert ? "the server did not keep the row" : "the server kept the row as it was"
    return Refusal(status: 200, words: fact)
  }

  /// Whether a server's "no" says that no attempt was carried out: a 5xx of something in between, and a
  /// refusal of a later attempt, don't.
  fileprivate func isSurelyUndone(_ refusal: Refusal?) -> Bool {
    guard attempt == 1, let status = refusal?.status else { return false }
    return status == 500 || (400..<500).contains(status) && ![408, 421, 425].contains(status)
  }

  /// Whether that there is no row says that the server has lost it, or the table, rather than that an
  /// earlier attempt was carried out.
  fileprivate func isMissed(_ refusal: Refusal?) -> Bool {
    switch kind {
    case .update, .undelete: true
    case .insert, .delete: attempt == 1 && [404, 410].contains(refusal?.status)
    }
  }
}
