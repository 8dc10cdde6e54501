import SyncModel

// The writes whose outcome only a reading can tell.
extension PushRun {
  /// Reads the rows of the writes in doubt, and settles each.
  mutating func settleDoubts(
    _ disk: inout some Disk, _ backend: inout some Backend
  ) throws {
    var readings: [(Attempt, Settlement, isAbsent: Bool, isFound: Bool)] = []
    var (past, late, isCut): ([Attempt], [Attempt], Bool) = ([], [], false)
    for (attempt, answer) in doubts {
      let refusal = answer.refusal
      do {
        if let stop = report.stop { throw stop }
        var (reading, settlement) = try settlement(of: attempt, refusal, disk, &backend)
        // What was done may not have come to a replica yet.
        if case .rejected = settlement {
          (reading, settlement) = try self.settlement(of: attempt, refusal, disk, &backend)
        }
        // The row may be there under an id of the server's; of an item that is here no more nobody asks.
        let isRemoved =
          try disk.client(attempt.key) == .absent && disk.moved(attempt.key) == nil
        if attempt.kind == .insert, reading == .absent, !isRemoved, !insertsAgain,
          !attempt.isSurelyUndone(answer), try backend.makesIDs(in: attempt.key.table)
        {
          settlement = .unknown
          report.doubtful.insert(attempt.key)
        }
        let inOrder = backend.commitsInOrder
        if try disk.isPast(reading, of: attempt.key, inOrder: inOrder) {
          let since = try disk.state(of: attempt.key.table).anchors.first {
            $0.id == attempt.key.id
          }?
          .since
          let isLate =
            try !inOrder && disk.mayBeLate(attempt.key, since: since, now: settings.now)
          // Other servers may delete rows for good.
          if isLate || reading != .absent {
            if !isLate {
              past.append(attempt)
            } else if attempt.isSurelyUndone(answer) {
              late.append(attempt)
            } else {
              isCut = true
              report.events.append(Event(attempt.key, .unknown, item: attempt.item))
            }
            continue
          }
        }
        let isAbsent = reading == .absent && attempt.isMissed(answer)
        var isFound = false
        if case .done = settlement { isFound = attempt.isFound(by: answer) }
        readings.append((attempt, settlement, isAbsent, isFound))
      } catch Stop.noTable(let table) {
        // A table that isn't there took nothing: the change waits for it.
        report.missing.insert(table)
        if answer.isAbsence {
          answers.append(Answer(attempt: attempt, settlement: .void))
        } else {
          report.events.append(Event(attempt.key, .unknown, item: attempt.item))
        }
      } catch let stop as Stop {
        report.stop = report.stop ?? stop
        let shown = try attempt.item ?? disk.base(of: attempt.key).row?.item
        report.events.append(Event(attempt.key, .unknown, item: shown))
      }
    }
    doubts = []
    let absent = readings.filter(\.isAbsent)
    absences += absent.count
    let isGone = !absent.isEmpty && absences > Guards.absences(of: max(total, replies))
    // They did not happen: whatever way is taken next, they must not stand in it.
    answers += (past + late + (isGone ? absent.map(\.0) : [])).map {
      Answer(attempt: $0, settlement: .void)
    }
    if isCut || !late.isEmpty { report.stop = report.stop ?? Guards.late }
    if isGone || !past.isEmpty {
      try absorb(&disk)
      throw Stop.unsafe(
        past.isEmpty ? .rowsAreGone(absences, of: max(total, replies)) : .wentBack())
    }
    for (attempt, settlement, _, isFound) in readings {
      try add(attempt, settlement, isFound: isFound, disk)
    }
  }

  /// Reads the row of a write in doubt.
  private func settlement(
    of attempt: Attempt, _ refusal: Refusal?, _ disk: some Disk, _ backend: inout some Backend
  ) throws -> (Reading, Settlement) {
    let key = attempt.key
    var reading = try backend.read(key)
    // Of what is read and what a pull has brought meanwhile, a replica that lags has the older one.
    if case .row(let row) = reading, let arrived = try disk.arrival(of: key)?.row,
      arrived.has(row.version) || row.isOlder(than: arrived)
    {
      reading = .row(arrived)
    }
    let base = try disk.base(of: key).row
    return (reading, Settlement(attempt, over: base?.item, reading: reading, refusal: refusal))
  }

  /// Adds what a reading has told of a write.
  private mutating func add(
    _ attempt: Attempt, _ settlement: Settlement, isFound: Bool, _ disk: some Disk
  ) throws {
    let key = attempt.key
    switch settlement {
    case .void where try disk.maySendAgain(attempt):
      let isLate = line.timedOut.contains(key)
      let shown = try attempt.item ?? disk.base(of: key).row?.item
      return report.events.append(Event(key, .cut(timedOut: isLate), item: shown))
    case .void: again.insert(key)
    case .done: line.found(attempt)
    // Of a row that isn't known to be there, what was moved counts as the item only while its write is
    // open.
    case .incoming(let row)
    where try !disk.isRevived(attempt, by: row)
      && disk.base(of: key).item == nil && disk.client(key) == .absent && disk.moved(key) != nil:
      return report.events.append(Event(key, .held, item: attempt.item))
    case .incoming, .incomingOverOurs, .rejected, .unknown: break
    }
    answers.append(
      Answer(attempt: attempt, settlement: settlement, isRead: true, isFound: isFound))
  }
}

extension ItemDisk where Self: RowDisk {
  /// Whether a write that is open may be sent once more: its file still says so, and what it was sent over is
  /// known.
  func maySendAgain(_ attempt: Attempt) throws -> Bool {
    let client = try client(attempt.key)
    if case .invalid = client { return false }
    return try attempt.next(client) == nil
      && (attempt.kind == .insert || base(of: attempt.key) != .neverSeen)
  }
}

extension Attempt {
  /// The rejection of a write that the server reported as done, but that the row does not show.
  var kept: Refusal {
    let fact: Text =
      kind == .insert ? "the server did not keep the row" : "the server kept the row as it was"
    return Refusal(words: fact)
  }

  /// Whether an answer says that no attempt was carried out; a refusal of a later one doesn't, nor does one
  /// that passes.
  fileprivate func isSurelyUndone(_ answer: Reply.Outcome) -> Bool {
    switch answer {
    case .disputed(let refusal), .absent(let refusal), .refused(let refusal):
      tries == 1 && !refusal.passes
    case .done, .unknown, .cut, .notSent: false
    }
  }

  /// Whether what is there was there before the write: a server may change a row, and yet answer with the old
  /// one, but not call its version wrong.
  fileprivate func isFound(by answer: Reply.Outcome) -> Bool {
    switch (kind, answer) {
    case (.insert, _), (.delete, _), (_, .disputed): isSurelyUndone(answer)
    default: false
    }
  }

  /// Whether that there is no row says that the server has lost it, or the table, rather than that an
  /// earlier attempt was carried out.
  fileprivate func isMissed(_ answer: Reply.Outcome) -> Bool {
    switch kind {
    case .update, .undelete: true
    case .insert, .delete: tries == 1 && answer.isAbsence
    }
  }
}

extension Reply.Outcome {
  /// Whether the server has no such row, as it says.
  fileprivate var isAbsence: Bool { if case .absent = self { true } else { false } }
}
