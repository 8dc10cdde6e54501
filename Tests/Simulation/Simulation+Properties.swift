import SyncEngine
import SyncModel
import TestSupport

// What must hold, whatever happens.
extension Simulation {
  /// L, D and R: whoever replaces a value has had it before the eyes, or has written it; every row is
  /// one that somebody made, and none is deleted by a client whose user never has; and what a client
  /// itself has replaced it doesn't bring back untold.
  func check(_ write: ModelServer.Write) {
    if write.new == nil, plan.world.deletesForGood { lost.insert(write.key) }
    guard clients.indices.contains(write.client) else { return take(write) }
    checkReturn(write)
    if write.new == nil, write.old != nil { checkMove(of: write.key, clients[write.client]) }
    if !made.contains(write.key) { fail("D: nobody made \(write.key)") }
    if write.new == nil, write.old != nil, !clients[write.client].deleted.contains(write.key) {
      fail("D: client \(write.client) deleted \(write.key), which its user never has")
    }
    let new = Token.all(in: write.new)
    stored.formUnion(new)
    var own = written[write.client]?[write.key] ?? []
    defer { written[write.client, default: [:]][write.key, default: []].formUnion(new) }
    guard let old = write.old else {
      if !plan.world.undeletesWhole, server.past[write.key] != nil { remade.insert(write.key) }
      return
    }
    let tokens = Token.all(in: old)
    defer { if write.new == nil { buried.formUnion(tokens) } }
    // Where a row was made again with the versions that it had, a write over the one before passes.
    if plan.world.counts, lost.contains(write.key) { return }
    var replaced = tokens.subtracting(new)
    // Its own stamps the server may replace.
    if new.contains(where: Token.isStamp) { replaced = replaced.filter { !Token.isStamp($0) } }
    guard !replaced.isEmpty else { return }
    // What the server has put beside what it was sent goes with its item, but is not to be replaced
    // unseen.
    if write.new != nil, !remade.contains(write.key) {
      own = own.filter { !Token.isStamp($0) }
    }
    // What somebody deleted and an undelete brought back has been given up before.
    let unseen =
      replaced
      .subtracting(clients[write.client].shown.tokens[write.key] ?? [])
      .subtracting(own)
      .subtracting(buried)
    for token in unseen.sorted() {
      fail("L: client \(write.client) replaced t\(token) of \(write.key) without having seen it")
    }
  }

  /// V: a row isn't deleted before the server has had what its item has become, unless that was deleted.
  private func checkMove(of key: ItemKey, _ client: Client<Host>) {
    guard var new = client.moves[key] else { return }
    var met: Set<ItemKey> = [key]
    while let next = client.moves[new], met.insert(new).inserted { new = next }
    count("checked V")
    if server.rows[new] == nil, server.past[new] == nil, !client.deleted.contains(new) {
      fail("V: client \(client.number) deleted \(key) before the server had \(new)")
    }
  }

  /// Somebody at the server itself sees what there is, and may replace it.
  private func take(_ write: ModelServer.Write) {
    stored.formUnion(Token.all(in: write.new))
    if write.new == nil { buried.formUnion(Token.all(in: write.old)) }
  }

  private func checkReturn(_ write: ModelServer.Write) {
    let shown = clients[write.client].shown
    // An undelete brings the row as it was, the write after it what is wanted.
    guard let old = write.old, let new = write.new else { return shown.replaced[write.key] = nil }
    let (before, now) = (Token.all(in: old), Token.all(in: new))
    let back = now.subtracting(before).intersection(shown.replaced[write.key] ?? [])
    for token in back.sorted() {
      fail("R: client \(write.client) brought back t\(token) of \(write.key) that it had replaced")
    }
    // What was laid again before the write came about is wanted.
    let replaced = before.subtracting(now).subtracting(shown.laid[write.key] ?? [])
    shown.replaced[write.key, default: []].formUnion(replaced.filter { !Token.isStamp($0) })
    shown.bringBack(now, write.key)
  }

  /// No row takes the place of a newer one (R), no file that was moved is taken for deleted, nothing is
  /// sent whose conflict is open, and none ends that nobody has decided (X); no file that was never synced
  /// brings a deleted row back (U).
  func checkShown(_ client: Client<Host>) {
    let shown = client.shown
    defer {
      (shown.older, shown.moved, shown.undecided, shown.revived) = ([], [], [], [])
      (shown.ended, shown.read) = ([], [:])
    }
    // Whose base was lost, its change is measured anew.
    for end in shown.ended where !plan.forgets {
      count("checked the end of a conflict")
      guard isUndecided(end) else { continue }
      fail("X: client \(client.number) ended the conflict of \(end.key), which nobody had decided")
    }
    for key in shown.undecided {
      fail("X: client \(client.number) sends \(key), whose conflict is open")
    }
    for key in shown.revived {
      fail("U: client \(client.number) undeletes \(key), which was never live here, undecided")
    }
    for key in shown.moved {
      fail("X: client \(client.number) took the moved file of \(key) for deleted")
    }
    // A row that is made anew where one was lost may have an older time than that.
    if client.takesOlder { shown.accepted += shown.older }
    for row in shown.older
    where !shown.accepted.contains(row) && !lost.contains(ItemKey(table, row.id)) {
      fail("R: client \(client.number) took an older row of \(row.id) for newer")
    }
  }

  /// Whether the sides of a conflict that has ended still want a decision, however its item was read.
  private func isUndecided(_ end: Watched<Host.Work>.Ended) -> Bool {
    end.origins.allSatisfy { origin in
      let rule = end.isAwaited ? (origin == nil ? .manual : .fields) : plan.world.policy
      return end.clients.allSatisfy { client in
        let merge = Merge(
          base: origin, client: client, server: end.server, policy: MergePolicy(rule))
        guard case .conflict = merge else { return false }
        return true
      }
    }
  }

  /// X: after a push that came to its end nothing is left to send but what has a reason to stay.
  func checkPush(_ client: Client<Host>, _ report: PushReport, _ isClean: Bool) {
    guard isClean, report.stop == nil else { return }
    count("checked X")
    do {
      let (entries, removals) = try client.host.look { disk in
        let removals = try disk.arrivals(in: table).filter { try disk.removes($0, in: table) }
        return (try Survey(of: [table], on: disk).entries, Set(removals.map(\.id)))
      }
      forgetRemovals(of: client, but: Set(entries.compactMap(\.key)))
      for entry in entries {
        guard case .pending(let operation) = entry.standing, entry.stray == nil else { continue }
        // Whose base was lost while its update was under way, its change is an insert by now.
        let isRefused = report.events.contains {
          if case .rejected = $0.what { $0.key == operation.key } else { false }
        }
        let isPassed = report.events.contains {
          if case .waits = $0.what { $0.key == operation.key } else { false }
        }
        if plan.forgets && isRefused || isPassed { continue }
        // By the rule of the table its row's delete wins, which waits for a pull.
        if removals.contains(operation.key.id) { continue }
        // What vanished while no reading told what became of its write has passed no guard.
        if operation.kind == .delete, report.events.contains(where: { $0.what == .unknown }) {
          continue
        }
        fail("X: a push came to its end and left \(operation.key)")
      }
    } catch {
      fail("M: client \(client.number) can't be looked at: \(error)")
    }
  }

  /// Should an item vanish that was removed, and is back and as it should be, nobody has said so.
  private func forgetRemovals(of client: Client<Host>, but open: Set<ItemKey>) {
    let back = client.removed.filter {
      !open.contains($0) && client.host.user.text(of: $0) != nil
    }
    client.removed.subtract(back)
    client.back.formUnion(back)
  }

  /// X: where nothing went wrong, only what the world explains stops a command.
  func checkStop(
    _ error: any Error, _ name: String, _ client: Client<Host>, _ faults: [Plan.Fault]
  ) {
    let harmless: [Plan.Fault.Kind] = [
      .save, .delete, .secondProcess, .saveAfterReading, .elsewhere,
    ]
    guard faults.allSatisfy({ harmless.contains($0.kind) }) else { return }
    // A replica may have said that a row was not there, and lags by more than two minutes.
    let isPutBack =
      plan.hasReplicas || plan.actions.contains { [.putBack, .loseRow].contains($0.verb) }
    // What others have deleted for good, or a server that was put back lacks, a replica may lack, too.
    if error as? Stop == Guards.late, !isCalm { return }
    if case Stop.unsafe = error, isPutBack || !isCalm && (plan.world.guards || plan.forgets) {
      return
    }
    if case Stop.unsafe(.rowsAreGone) = error, plan.world.deletesForGood { return }
    // What isn't an item can't be resolved, and what is saved meanwhile has to be looked at again.
    if case Resolve.Failure.invalid = error { return }
    if case Resolve.Failure.moved = error { return }
    if !faults.isEmpty {
      if case Resolve.Failure.changedMeanwhile = error { return }
      if case Resolve.Failure.twoClientSides = error { return }
    }
    // A server that breaks on an item is not told from one that breaks.
    if client.line.hasChoked, !isCalm { return }
    fail("X: \(name) stops although nothing went wrong: \(error)")
  }

  /// G: no command deletes more than a fifth score, or 30 %, of what is known here, and never all of
  /// three or more, without a question.
  func checkGuard(_ name: String, _ count: Int, of live: Int) {
    guard plan.world.guards, !isCalm else { return }
    if count > 0 { self.count("checked G") }
    let most = max(20, live * 3 / 10)
    let isAll = live >= 3 && count >= live
    if count > most || isAll { fail("G: a \(name) deleted \(count) of \(live)") }
  }

  /// The faults stop, the users mend what was refused and settle every conflict.
  func calmDown() {
    isCalm = true
    note("calm")
    var dice = SplitMix64(seed: 7)
    for client in clients { client.line.begin([:], dice) }
    for round in 0..<12 {
      for client in clients {
        // Without a log, a replica that lags has an older row taken for the newest; no query brings that
        // again, but the whole table does.
        let queries = client.queries
        if round == 0, plan.forgets { client.queries = [] }
        defer { client.queries = queries }
        mend(client)
        if round == 0 {
          now += 200
          pull(client, [], &dice)
        }
        push(client, [], &dice)
        let rejected = rejections(of: client)
        if !rejected.isEmpty { push(client, retrying: rejected, [], &dice) }
        var resolutions = 0
        while resolutions < 40, resolve(client, &dice) { resolutions += 1 }
        if resolutions > 0 { push(client, [], &dice) }
        now += 200
        let full = round < 3 && plan.forgets || plan.world.deletesForGood
        pull(client, full: full, [], &dice)
        if !failures.isEmpty { return }
      }
      if clients.allSatisfy({ unrest(of: $0) == nil }) { break }
    }
    let attempts = server.attempts
    for client in clients {
      let before = texts(of: client)
      push(client, [], &dice)
      pull(client, [], &dice)
      if texts(of: client) != before { fail("Q: with nothing to do a file was changed") }
    }
    if server.attempts != attempts { fail("Q: a push with nothing to do sent something") }
    audit()
  }

  /// The items whose writes the server refused.
  func rejections(of client: Client<Host>) -> Set<ItemKey> {
    do {
      return try client.host.look { disk in
        try Set(disk.rejectedIDs(in: table).map { ItemKey(table, $0) })
      }
    } catch {
      fail("M: client \(client.number) can't be looked at: \(error)")
      return []
    }
  }

  private func texts(of client: Client<Host>) -> [ItemKey: [UInt8]] {
    let user = client.host.user
    return Dictionary(
      user.items.compactMap { key in user.text(of: key).map { (key, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// What keeps a client from being at rest and the same as the server; `nil` where nothing does.
  private func unrest(of client: Client<Host>) -> String? {
    let feeds = client.feeds(of: table)
    let live = server.rows.filter { _, row in
      !row.deleted && feeds.contains { ModelServer.has($0, row.item) }
    }.mapValues(\.item)
    do {
      return try client.host.look { disk in
        if try !disk.conflicts(in: table).isEmpty {
          return "Q: client \(client.number) has something open"
        }
        if let entry = try Survey(of: [table], on: disk).entries.first {
          return "Q: client \(client.number) has something to do: \(entry.standing)"
        }
        var items: [ItemKey: Item] = [:]
        for key in client.host.user.items { items[key] = try disk.client(key).item }
        guard items == live else {
          let keys = Set(items.keys).union(live.keys).filter { items[$0] != live[$0] }.sorted()
          return "C: client \(client.number) differs from the server: \(keys)"
        }
        return nil
      }
    } catch {
      return "Q: client \(client.number): \(error)"
    }
  }

  /// B: what users wrote and did not give up is at the server or on their machine.
  private func audit() {
    for client in clients {
      if let unrest = unrest(of: client) { fail(unrest) }
      for finding in client.host.mend() {
        fail("M: client \(client.number) after mending: \(finding)")
      }
    }
    var found = stored
    for client in clients {
      for text in client.host.kept { found.formUnion(Token.all(in: text)) }
      let user = client.host.user
      for key in user.items { found.formUnion(user.text(of: key).map { Token.all(in: $0) } ?? []) }
    }
    if isLossTold { count("checked what is told") }
    if plan.isSingle, !plan.forgets { count("checked S") }
    for client in clients {
      for (token, key) in client.kept.sorted(by: { $0.key < $1.key }) {
        if !found.contains(token) {
          fail("B: t\(token) of \(key), saved at client \(client.number), is nowhere")
        } else if isLossTold, !stored.contains(token), !givenUp.contains(token) {
          fail("B: t\(token) of \(key), saved at client \(client.number), was dropped untold")
        }
      }
    }
  }

  /// Whether nothing that a user saved may go to the trash without a command that says so: where no
  /// policy decides, and no file of tsync's own is removed.
  private var isLossTold: Bool {
    (plan.world.policy == .fields || plan.world.policy == .manual) && !plan.forgets
  }
}
