package import SyncModel

/// The writes of one sending: a group at a time is made durable, then handed out.
struct PushQueue {
  /// The attempts that are durable and wait to be sent, with what they do.
  var ready: ArraySlice<(attempt: Attempt, operation: Operation)> = []
  /// The files that are safe on disk.
  private let safe: [ItemKey: ClientState]
  private var operations: ArraySlice<Operation> = []

  /// How many attempts share one durable write, once the line is known to hold.
  static let group = 32

  /// Sends an open attempt once more.
  init(again attempt: Attempt, at time: Int64, _ disk: inout some Disk) throws {
    var again = attempt
    (again.tries, again.time) = (attempt.tries + 1, time)
    let base = try disk.base(of: attempt.key).row
    ready = [(again, Operation(again, over: base))]
    safe = [:]
    try disk.append([.sent(again)], to: attempt.key.table, durably: true)
  }

  /// Sends operations of a survey; `safe` are the files that are safe on disk.
  init(operations: [Operation], safe: [ItemKey: ClientState]) {
    self.operations = operations[...]
    self.safe = safe
  }

  /// Whether there is nothing more to send.
  var isEmpty: Bool { ready.isEmpty && operations.isEmpty }

  /// Takes back what was made durable and never handed out: it has not been sent.
  mutating func takeBack() -> [ItemKey] {
    let unsent = ready.filter { $0.attempt.tries == 1 }.map(\.operation)
    operations = unsent + operations
    ready = []
    return unsent.map(\.key)
  }

  /// Makes another group durable and ready, and what was answered before it.
  mutating func fill(
    _ disk: inout some Disk, _ run: inout PushRun, _ backend: some Backend
  ) throws {
    let before = ready.count
    while ready.count == before, !operations.isEmpty {
      try run.absorb(&disk)
      let count = run.line.isSure ? Self.group : 1
      var group = try operations.prefix(count).compactMap {
        try prepare($0, &disk, &run, backend)
      }
      operations = operations.dropFirst(count)
      // A stray file may have come since, and what files that are missing now have become may be back.
      group = try group.filter { attempt, _ in
        guard attempt.kind == .delete else { return true }
        return try disk.isDeleted(attempt.key) && disk.awaited(by: attempt.key) == nil
      }
      // What is sent may have been saved a moment ago. An attempt that outlived it would bring the server
      // further than the item, which would then look like an edit that takes it back.
      let unsafe = group.map(\.attempt).filter { safe[$0.key]?.digest != $0.digest }
      try disk.synchronize(unsafe.map(\.key))
      if let table = group.first?.attempt.key.table {
        try disk.append(group.map { .sent($0.attempt) }, to: table, durably: true)
      }
      ready += group
    }
  }

  /// Looks at an item once more, just before its attempt: it is sent as it is now.
  private func prepare(
    _ planned: Operation, _ disk: inout some Disk, _ run: inout PushRun, _ backend: some Backend
  ) throws -> (attempt: Attempt, operation: Operation)? {
    let key = planned.key
    guard !run.line.isCutOff(planned.kind) else {
      run.leavesSome = true
      return nil
    }
    let client = try disk.client(key)
    if case .invalid = client { return nil }
    // Only what arrives changes it.
    let base = try planned.base.map { Base($0) } ?? disk.base(of: key)
    // A row that waits, since its item could not be read a moment ago or would be removed, comes first.
    if try disk.arrival(of: key) != nil { run.brought.insert(key) }
    guard
      try disk.isSettled(key),
      let operation = Operation(key: key, client: client.item, base: base),
      operation.kind != .delete || planned.kind == .delete
    else { return nil }
    if let row = try disk.tombstone(under: operation), !row.wasLive {
      if case .conflict(let event) = try disk.layUnknown(row, key, client) {
        run.report.events.append(event)
      }
      return nil
    }
    let attempt = Attempt(
      key: key, kind: operation.kind, version: operation.kind == .insert ? nil : base.row?.version,
      item: operation.item, digest: client.digest, time: run.settings.now)
    run.bases[key] = base
    do {
      try backend.check(operation)
      return (attempt, operation)
    } catch let refusal as Refusal {
      run.answers.append(Answer(attempt: attempt, settlement: .rejected(refusal)))
      return nil
    }
  }
}

extension Operation {
  /// What an attempt does: its base, which stays while it is open, is that over which it was sent.
  package init(_ attempt: Attempt, over base: Row?) {
    self.init(
      key: attempt.key, kind: attempt.kind, item: attempt.item,
      base: attempt.kind == .insert ? nil : base)
  }
}
