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
  var brought: Set<ItemKey> = []
  /// What has become of writes and isn't taken over yet.
  var answers: [Answer] = []
  /// What the writes under way were sent over.
  var bases: [ItemKey: Base] = [:]
  /// The rows that lack fields which were sent, and those.
  var dropped: [(key: ItemKey, row: Row, names: [Text])] = []
  /// How many of the push's writes were answered by "there is no such row".
  var absences = 0
  /// The writes whose outcome only a reading can tell, and what was answered: its refusal is what it comes to
  /// where the row is as it was before.
  var doubts: [(attempt: Attempt, answer: Reply.Outcome)] = []
  /// Whether an insert whose row isn't there wasn't carried out, though the server gives rows ids of its own.
  private(set) var insertsAgain = false
  /// The line.
  var line = PushLine()
  /// Whether changes stay that were to be sent.
  var leavesSome = false

  init(settings: Settings, report: PushReport) {
    self.settings = settings
    self.report = report
  }

  /// Whether a write that is open may be sent again in this push.
  func maySendAgain(_ attempt: Attempt) -> Bool {
    report.stop == nil && line.maySendAgain(attempt) && !report.missing.contains(attempt.key.table)
  }

  mutating func take(_ reply: Reply, to attempt: Attempt, _ disk: some Disk) throws {
    replies += 1
    report.stop = report.stop ?? reply.stop
    line.note(reply.outcome, of: attempt)
    func settled(_ settlement: Settlement) {
      answers.append(Answer(attempt: attempt, settlement: settlement))
    }
    switch reply.outcome {
    // The answer tells no version, or is the row from before the write.
    case .done(nil) where attempt.kind != .delete: doubts.append((attempt, .refused(attempt.kept)))
    case .done(let row?)
    where try [.update, .undelete].contains(attempt.kind) && row.item != attempt.item
      && disk.base(of: attempt.key).row?.has(row.version) == true:
      doubts.append((attempt, .refused(attempt.kept)))
    case .done(let row): settled(.done(row))
    // What is refused now may have been done before.
    case .refused(let refusal) where attempt.tries == 1: settled(.rejected(refusal))
    case .refused, .disputed, .absent, .unknown, .cut: doubts.append((attempt, reply.outcome))
    // An earlier attempt may still have been carried out.
    case .notSent where attempt.tries > 1: break
    case .notSent: settled(.void)
    }
  }

  /// Tells what became of a write, and keeps what of it would be lost; before its line is written, so that
  /// what is cut off is done again.
  mutating func tell(
    _ answer: Answer, _ facts: [Fact], over base: Base, _ disk: inout some Disk
  ) throws {
    let (attempt, key) = (answer.attempt, answer.attempt.key)
    func add(_ what: Event.What, _ answer: WriteAnswer = WriteAnswer()) {
      report.events.append(
        Event(key, what, item: attempt.item ?? base.row?.item, answer: answer))
    }
    switch answer.settlement {
    case .done(let row):
      if attempt.kind == .delete {
        if try disk.client(key) == .absent && !disk.isRemoved(key) { report.vanished += 1 }
        try disk.keepVanished(key, by: row)
      }
      let difference = WriteAnswer(row, to: attempt, over: base.row?.item)
      if let row, !difference.dropped.isEmpty { dropped.append((key, row, difference.dropped)) }
      // It may leave the fields to a second write.
      if attempt.kind == .undelete { again.insert(key) }
      add(
        answer.isFound
          ? .found(attempt.kind)
          : answer.isRead ? .alreadyThere(attempt.kind) : .pushed(attempt.kind),
        difference)
    case .incomingOverOurs: add(.alreadyThere(attempt.kind))
    case .rejected:
      for case .refused(_, let rejection) in facts {
        add(rejection.refusal.passes ? .waits(rejection.refusal) : .rejected(rejection))
      }
    case .unknown: add(.unknown)
    case .void, .incoming: break
    }
  }

  /// Keeps the fields that answers lacked from being sent again and again: their items are rejected as
  /// they are.
  mutating func rejectDropped(_ disk: inout some Disk) throws {
    for (former, row, names) in dropped where try disk.arrival(of: former) == nil {
      let key = ItemKey(former.table, row.id)
      let client = try disk.client(key)
      let rest = Change(from: row.item, to: client.item).names
      guard client.item != nil, rest.allSatisfy(names.contains) else { continue }
      let words = Text("the server dropped: \(names.map(\.string).joined(separator: ", "))")
      let rejection = Rejection(
        kind: .update, refusal: Refusal(words: words), digest: client.digest, tries: 1,
        time: settings.now)
      try disk.append([.refused(key.id, rejection)], to: key.table, durably: false)
    }
    dropped = []
  }

  /// Finds out what became of writes that an earlier push left, until a reading fails; returns why it did:
  /// whether the line holds, the writes show that come next.
  ///
  /// With `insertsAgain`, a person has said that rows which aren't there have no other ids.
  mutating func look(
    at attempts: [Attempt], insertsAgain: Bool, _ disk: inout some Disk,
    _ backend: inout some Backend
  ) throws -> Stop? {
    doubts += attempts.map { ($0, .unknown(nil)) }
    self.insertsAgain = insertsAgain
    try settle(&disk, &backend)
    self.insertsAgain = false
    defer { report.stop = nil }
    return report.stop
  }

  /// Takes over what a sending has brought.
  mutating func settle(_ disk: inout some Disk, _ backend: inout some Backend) throws {
    line.end()
    try absorb(&disk)
    try settleDoubts(&disk, &backend)
    try absorb(&disk)
  }

  /// Brings the rows that waited for the outcome of a write to their items, ahead of what is sent next.
  mutating func takeWaiting(in tables: [TableName], _ disk: inout some Disk) throws {
    for table in tables {
      let events = try disk.takeArrivals(in: table, settings: settings).events
      report.events += events
      again.formUnion(events.map(\.key))
    }
  }

  /// Tells the rows that were to be brought to their items and wait at the end.
  mutating func tellHeld(_ disk: some Disk) throws {
    for key in try brought.sorted().filter({ try !disk.isInConflict($0) }) {
      guard let open = try disk.arrival(of: key) else { continue }
      // An item with a new id at the server counts as sent once its file has that id.
      if open.was != nil { report.events.removeAll { $0.key == key } }
      report.events.append(Event(key, .held, item: try disk.base(of: key).item))
    }
  }
}
