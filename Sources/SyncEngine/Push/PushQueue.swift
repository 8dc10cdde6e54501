import SyncModel

/// The writes of one sending: a group at a time is made durable in the journal, then handed out.
struct PushQueue {
  /// The intents that are durable and wait to be sent.
  var ready: ArraySlice<Intent> = []
  private var operations: ArraySlice<Operation> = []

  /// How many intents share one durable write.
  static let group = 32

  /// Sends an open intent again, to the byte.
  init(again intent: Intent, _ disk: inout some Disk) throws {
    ready = [intent]
    ready[0].attempt += 1
    try disk.append(ready.map { .intent($0) }, durably: true)
  }

  /// Sends operations of a survey.
  init(operations: [Operation]) { self.operations = operations[...] }

  /// Whether there is nothing more to send.
  var isEmpty: Bool { ready.isEmpty && operations.isEmpty }

  /// Takes back what was made durable and never handed out: it has not been sent.
  mutating func takeBack() -> [ItemKey] {
    let unsent = ready.filter { $0.attempt == 1 }
    let operations = unsent.map { Operation(key: $0.key, kind: $0.kind, item: $0.item, base: nil) }
    self.operations = operations + self.operations
    ready = []
    return unsent.map(\.key)
  }

  /// Makes the next group durable and ready.
  mutating func fill(
    _ disk: inout some Disk, _ run: inout PushRun, _ backend: some Backend, _ now: Int64
  ) throws {
    while ready.isEmpty, !operations.isEmpty {
      var group = try operations.prefix(Self.group).compactMap {
        try prepare($0, &disk, &run, backend, now)
      }
      operations = operations.dropFirst(Self.group)
      // What files that are missing now have become may be back.
      group = try group.filter { intent in
        guard intent.kind == .delete else { return true }
        let successor = disk.journal.successors[intent.key]
        return try disk.moved(intent.key) == nil
          && successor.map { try disk.client($0) == .absent } ?? true
      }
      if !group.isEmpty {
        // What is sent may have been saved a moment ago. An intent that outlived it would bring the
        // server further than the item, which would then look like an edit that takes it back.
        try disk.settle(afresh: true)
        try disk.append(group.map { .intent($0) }, durably: true)
      }
      ready = group[...]
    }
  }

  /// Looks at an item once more, just before its intent: it is sent as it is now.
  private func prepare(
    _ planned: Operation, _ disk: inout some Disk, _ run: inout PushRun, _ backend: some Backend,
    _ now: Int64
  ) throws -> Intent? {
    let key = planned.key
    guard !run.line.isCutOff(planned.kind) else {
      run.leavesSome = true
      return nil
    }
    let client = try disk.client(key)
    if case .invalid = client { return nil }
    // A row that waits, since its item could not be read a moment ago, comes first.
    guard disk.journal.conflicts[key] == nil, disk.journal.intents[key] == nil,
      try disk.arrival(of: key) == nil,
      let operation = try Operation(key: key, client: client.item, base: disk.base(of: key)),
      operation.kind != .delete || planned.kind == .delete
    else { return nil }
    if let row = try disk.tombstone(under: operation), !row.wasLive {
      if case .conflict(let event) = try disk.layUnknown(row, key, client) {
        run.report.events.append(event)
      }
      return nil
    }
    do {
      let request = try backend.prepare(operation)
      return Intent(
        key: key, kind: operation.kind, request: request,
        version: operation.kind == .insert ? nil : operation.base?.version, item: operation.item,
        digest: client.digest)
    } catch let refusal as Refusal {
      try run.reject(refusal, operation.kind, key, client.digest, client.item, attempt: 1, &disk)
      return nil
    }
  }
}
