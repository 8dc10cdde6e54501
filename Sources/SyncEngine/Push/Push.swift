package import SyncModel

/// A push: it sends the pending changes to the server.
///
/// ```
///   text safe → attempt durable → send → answer → item, where the answer changes it
/// ```
///
/// Nothing is sent before its text is safe and its attempt durable, a write that is sent again is the
/// same, and every doubt is settled by reading the row. A write that stays
/// open is sent again alone, after the others, and holds back nothing but later writes of its item.
package struct Push {
  /// What the user has settled.
  package var settings: Settings
  /// The items to push; `nil` pushes all.
  package var selection: Set<ItemKey>?
  /// The items of which a person has said that nobody need ask about them.
  package var meant: Set<ItemKey> = []
  /// Whether a pull of the workspace has ever reached its end: the journal of a table that says nothing of one may
  /// be lost then.
  package var hasPulled = false
  /// Whether inserts of unknown outcome are sent again, although they may make second rows.
  package var insertsAgain = false
  /// Told after each reply: writes so far, and in all.
  package var progress: (_ done: Int, _ total: Int) -> Void

  /// How often an item that was merged is sent again in one push.
  static let rounds = 5

  package init(
    settings: Settings, selection: Set<ItemKey>? = nil,
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) {
    self.settings = settings
    self.selection = selection
    self.progress = progress
  }

  /// Pushes tables.
  ///
  /// `known` is a survey of the tables, since which nobody but their users has changed them.
  ///
  /// - Throws: ``Stop/unsafe(_:)`` before anything doubtful is sent. What ends the push in its
  ///   midst is in the report.
  package func run(
    _ tables: [TableName], known: Survey? = nil, on disk: inout some Disk,
    to backend: inout some Backend, report: inout PushReport
  ) throws {
    var run = PushRun(settings: settings, report: report)
    defer { report = run.report }
    // What has another id at the server isn't sent again, though its item can't be moved there yet.
    for table in tables {
      for arrival in try disk.arrivals(in: table) {
        guard let key = arrival.was.map({ ItemKey(table, $0) }), isSelected(key) else { continue }
        run.report.events.append(Event(key, .held, item: arrival.over))
      }
    }
    let open = try openAttempts(of: tables, on: disk)
    // What is in no file any more is only read, and so is what was sent over a version that isn't known any
    // more, as after a damaged log.
    let replaced = try open.filter { try !disk.maySendAgain($0) }
    let doubt = try run.look(at: replaced, insertsAgain: insertsAgain, &disk, &backend)
    if !replaced.isEmpty { try run.takeWaiting(in: tables, &disk) }
    var survey = try (replaced.isEmpty ? known : nil) ?? Survey(of: tables, on: disk)
    let danger = try danger(in: survey, on: disk) { (try? backend.makesIDs(in: $0)) == true }
    if let danger { throw Stop.unsafe(danger) }
    var pending = survey.pending(selection)
    try note(survey, on: &disk)
    // Every text of the survey is safe on disk from here on.
    try disk.synchronize(pending.map(\.key))
    run.total = pending.count
    // What vanishes in the midst of a push has passed no guard: the next one asks.
    var deletes = Set(pending.filter { $0.kind == .delete }.map(\.key))
      .union(open.filter { $0.kind == .delete }.map(\.key))
    var sentAgain: Set<ItemKey> = []
    var rounds = Self.rounds
    repeat {
      rounds -= 1
      run.again = []
      for part in try parts(pending, on: disk, apart: !backend.commitsInOrder)
      where run.report.stop == nil && !run.report.missing.contains(part[0].key.table) {
        try send(PushQueue(operations: part, safe: survey.clients), &run, &disk, &backend)
      }
      for attempt in try openAttempts(of: tables, on: disk) where !sentAgain.contains(attempt.key) {
        run.leavesSome = run.leavesSome || run.line.isCutOff(attempt.kind)
        guard run.maySendAgain(attempt), try disk.maySendAgain(attempt) else { continue }
        sentAgain.insert(attempt.key)
        let isOld = open.contains { $0.key == attempt.key }
        guard try isSentAgain(attempt, isOld: isOld, &run, &backend) else { continue }
        let queue = try PushQueue(again: attempt, at: settings.now, &disk)
        try send(queue, &run, &disk, &backend)
        try run.takeWaiting(in: [attempt.key.table], &disk)
        if try attempt.next(disk.client(attempt.key)) != nil { run.again.insert(attempt.key) }
      }
      // What has other ids now goes once the server has had it under those.
      let following = survey.following(selection)
      let next = run.again.union(following.keys)
      if !next.isEmpty { survey = try Survey(of: tables, on: disk) }
      let all = survey.pending(next)
      deletes.formUnion(
        try all.filter { try following[$0.key] != nil && !disk.hasVanished($0) }.map(\.key))
      pending = all.filter { $0.kind != .delete || deletes.contains($0.key) }
      run.leavesSome = run.leavesSome || pending.count < all.count
      try disk.synchronize(pending.map(\.key))
    } while !pending.isEmpty && rounds > 0 && run.report.stop == nil
    if run.report.stop == nil, !pending.isEmpty {
      run.report.stop = .unreachable(
        "the server did not keep changes that were sent \(Self.rounds) times")
    }
    if run.replies == 0 { run.report.stop = run.report.stop ?? doubt }
    try run.tellHeld(disk)
    // Everything in the report must survive, conflicts and refusals too.
    for table in tables { try disk.append([], to: table, durably: true) }
    let unanswered = try Set(tables.flatMap(disk.attempts).map(\.key))
    run.report.doubtful.formIntersection(unanswered)
    if run.report.stop != nil || !run.report.missing.isEmpty || run.leavesSome {
      let told = run.report.events.filter { event in
        switch event.what {
        case .cut: unanswered.contains(event.key)
        case .waits: true
        default: false
        }
      }
      run.report.unsent =
        try Survey(of: tables, on: disk).unsent(selection)
        - Set(told.map(\.key)).count
    }
  }

  private func isSelected(_ key: ItemKey) -> Bool { selection?.contains(key) ?? true }

  /// Returns the selected writes that wait for an answer, first those that were tried least.
  private func openAttempts(of tables: [TableName], on disk: some Disk) throws -> [Attempt] {
    try tables.flatMap(disk.attempts).filter { isSelected($0.key) }
      .sorted { ($0.tries, $0.key) < ($1.tries, $1.key) }
  }

  /// Tells whether a write that is open may be sent again; `isOld` says that an earlier push left it.
  ///
  /// Where the server gives rows ids of its own, an insert would make a second row: its user says
  /// whether the row is there, by removing the item here or by sending it again.
  private func isSentAgain(
    _ attempt: Attempt, isOld: Bool, _ run: inout PushRun, _ backend: inout some Backend
  ) throws -> Bool {
    guard attempt.kind == .insert, !(insertsAgain && isOld) else { return true }
    guard !run.report.doubtful.contains(attempt.key) else { return false }
    do {
      guard try backend.makesIDs(in: attempt.key.table) else { return true }
      run.report.doubtful.insert(attempt.key)
    } catch Stop.noTable(let table) {
      run.report.missing.insert(table)
    } catch let stop as Stop {
      run.report.stop = stop
    }
    run.report.events.append(Event(attempt.key, .unknown, item: attempt.item))
    return false
  }

  /// Splits writes where the table switches, because what comes later may refer to what came before,
  /// and around each that brings a new field to its table, because that goes alone where they are kept
  /// `apart`: tsync-server loses none.
  private func parts(
    _ writes: [Operation], on disk: some Disk, apart: Bool
  ) throws -> [[Operation]] {
    var new = try apart ? NewFields(of: writes.map { ($0.key, $0.item) }, on: disk) : nil
    var parts: [[Operation]] = []
    var isAlone = false
    var table: TableName?
    for write in writes {
      let isFirst = new?.isFirst(write.key, write.item) ?? false
      if isFirst || isAlone || table != write.key.table {
        parts.append([write])
      } else {
        parts[parts.count - 1].append(write)
      }
      (isAlone, table) = (isFirst, write.key.table)
    }
    return parts
  }

  /// Notes that the deleted rows are meant which the push brings back, and ends what stands for nothing any
  /// more: marks of items that are back, or are no changes, and refusals of those.
  package func note(_ survey: Survey, on disk: inout some Disk) throws {
    let standing = Set(survey.entries.compactMap(\.key))
    let changes = Dictionary(grouping: survey.pending(selection), by: \.key.table)
    for table in survey.tables {
      var facts: [Fact] = []
      for change in changes[table] ?? [] where change.kind != .delete {
        guard try disk.tombstone(under: change)?.wasLive != false else { continue }
        facts += try disk.presence(of: change.key, by: change)
      }
      let marks = try disk.state(of: table).marks
      // That what an item has become was removed counts for the item, too.
      facts += marks.all.keys.sorted().filter {
        !standing.contains(ItemKey(table, $0))
          && (!marks.isRemoved($0) || marks.formers(of: $0).isEmpty)
      }.map { .marked($0, nil) }
      facts += try disk.rejectedIDs(in: table).filter { !standing.contains(ItemKey(table, $0)) }
        .map { .ended($0) }
      if !facts.isEmpty { try disk.append(facts, to: table, durably: false) }
    }
  }

  /// Sends writes, in several goes where no answer comes to some: the rows of those are read first.
  private func send(
    _ writes: PushQueue, _ run: inout PushRun, _ disk: inout some Disk,
    _ backend: inout some Backend
  ) throws {
    var queue = writes
    // `next` may not touch the backend while it sends; preparing needs no more than a copy.
    let preparer = backend
    var handedOut: Int
    repeat {
      handedOut = 0
      try backend.send(
        next: {
          guard run.line.maySend(after: handedOut) else { return nil }
          if queue.ready.isEmpty {
            try queue.fill(&disk, &run, preparer)
          }
          handedOut += queue.ready.isEmpty ? 0 : 1
          return queue.ready.popFirst().map { ($0.attempt, $0.operation) }
        },
        done: { attempt, reply in
          try run.take(reply, to: attempt, disk)
          progress(run.replies, max(run.total, run.replies))
        },
        meanwhile: {
          // The server is not kept waiting by what comes next.
          guard run.report.stop == nil, run.line.maySend(after: handedOut),
            queue.ready.count < PushQueue.group
          else { return }
          try queue.fill(&disk, &run, preparer)
        })
      let unsent = queue.takeBack()
      if let table = unsent.first?.table {
        try disk.append(unsent.map { .ended($0.id) }, to: table, durably: false)
      }
      try run.settle(&disk, &backend)
    } while !queue.isEmpty && handedOut > 0 && run.report.stop == nil
  }
}

extension Survey {
  /// Returns how many of the selected changes wait for the next push, those of unknown outcome included;
  /// `nil` stands for all.
  package func unsent(_ selection: Set<ItemKey>? = nil) -> Int {
    entries.count { entry in
      [.pending, .unknown].contains(entry.group) && entry.stray == nil
        && entry.key.map { selection?.contains($0) ?? true } == true
    }
  }
}
