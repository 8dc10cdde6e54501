import SyncEngine
import SyncModel
import TestSupport

// What tsync does when it is called, and what goes wrong meanwhile.
extension Simulation {
  /// Carries out one action.
  func perform(_ action: Plan.Action, _ client: Client<Host>) {
    var dice = SplitMix64(seed: action.dice)
    now += 40
    note("\(client.number) \(action.verb.rawValue)")
    switch action.verb {
    case .save: save(client, &client.host.user, &dice)
    case .garble: garble(client, &client.host.user, &dice)
    case .delete: delete(client, &client.host.user, &dice)
    case .clear: clear(client, &client.host.user, &dice)
    case .rename: rename(client, &client.host.user, &dice)
    case .agree: agree(client, &client.host.user, &dice)
    case .editSide: editSide(client, &client.host.user, &dice)
    case .dropSide: dropSide(client, &client.host.user, &dice)
    case .rm, .restore, .purge: discard(action, client, &dice)
    case .mv: move(action, client, &dice)
    case .doctor:
      command("doctor", client, action.faults, &dice) { [self] disk in
        try Host.mend(&disk.work)
        count("doctor")
      }
    case .resolve: resolve(client, &dice, action.faults)
    case .pull: pull(client, action.faults, &dice)
    case .pullFull: pull(client, full: true, action.faults, &dice)
    case .push: push(client, action.faults, &dice)
    case .requery: requery(client, &dice)
    case .loseRow: loseRow(&dice)
    case .backUp: backup = server.rows
    case .putBack: putBack()
    case .missing: push(client, missing: true, action.faults, &dice)
    case .snapshot:
      client.host.snapshot()
      client.savedKept = client.kept
      client.savedKnown = client.shown.known
    case .rollBack:
      if client.host.rollBack() {
        client.kept = client.savedKept
        client.shown.known = client.savedKnown
        client.removed.formUnion(client.back)
        client.shown.replaced = [:]
        count("rolled back")
      }
    case .loseJournal:
      client.host.loseJournal()
      // What a stopped pull was measured by stood there.
      client.guarded = nil
      client.shown.forgetRows()
    case .loseIndex: client.host.loseIndex()
    case .gitClone:
      let user = client.host.user
      for key in user.laidSides {
        forget(user.side(of: key).map { Token.all(in: $0) } ?? [], unless: tokensInItems(client))
      }
      client.host.gitClone()
      client.guarded = nil
      client.shown.forgetRows()
      count("cloned by git")
    }
  }

  private func discard(_ action: Plan.Action, _ client: Client<Host>, _ dice: inout SplitMix64) {
    guard let key = anyKey(client.host.user, &dice) else { return }
    givenUp.formUnion(tokens(of: key, client))
    client.touched.insert(key)
    client.moves = client.moves.filter { $0.key != key && $0.value != key }
    if action.verb == .rm {
      client.removed.insert(key)
      client.deleted.insert(key)
    }
    // Whoever takes away what a purge has noted has deleted the rest.
    let edits = action.verb == .purge && dice.once(in: 2)
    isGivingUp = edits || action.verb != .purge
    if edits {
      let all = conflicts(of: client) + client.host.user.items
      for key in all { givenUp.formUnion(tokens(of: key, client)) }
    }
    client.shown.isPurging = action.verb == .purge
    defer { (isGivingUp, client.shown.isPurging) = (false, false) }
    command(action.verb.rawValue, client, action.faults, &dice) { [self] disk in
      switch action.verb {
      case .rm: _ = try disk.remove(key)
      case .restore:
        // What the server isn't known to have is given up.
        if try disk.base(of: key).item == nil { client.deleted.insert(key) }
        if case .invalid = try disk.client(key) {
          count("restored what can't be read")
          // Its conflict is decided with it.
          if try disk.isInConflict(key) { client.shown.resolving[key] = (nil, nil) }
          _ = try disk.restore(key, settings: settings()) { try Host.discard(key, on: &$0.work) }
        } else if try !disk.isInConflict(key) && disk.attempt(of: key) == nil {
          // Of what is unknown a person is told to push first.
          _ = try disk.restore(key)
        }
      default:
        guard clients.count > 1 else { return }
        // Without a word that says so nothing is forgotten that only exists here.
        guard try edits || Survey(of: [table], on: disk).entries.isEmpty else { return }
        count(edits ? "purged edits too" : "purged")
        try disk.purge(table, edits: edits)
      }
    }
  }

  /// Renames an item by a command, mostly to an id that nobody has.
  private func move(_ action: Plan.Action, _ client: Client<Host>, _ dice: inout SplitMix64) {
    guard let key = anyKey(client.host.user, &dice) else { return }
    let ids = plan.world.items
    let name = dice.once(in: 3) ? "item-\(dice.below(ids))" : "mv-\(nextToken())"
    guard let new = (try? ItemID(Text(name))).map({ ItemKey(table, $0) }), new != key else {
      return
    }
    let former = client.moves
    // What a killed command hasn't done is no move.
    defer {
      let user = client.host.user
      if user.text(of: new) == nil, user.text(of: key) != nil { client.moves = former }
    }
    command("mv", client, action.faults, &dice) { [self] disk in
      guard case .item(let item, let digest) = try disk.client(key),
        try disk.client(new) == .absent,
        try !disk.isInConflict(key), try !disk.isInConflict(new),
        try disk.attempt(of: key) == nil, try disk.attempt(of: new) == nil,
        try disk.base(of: new).item == nil, try disk.moved(new) == nil
      else { return }
      for moved in [key, new] { client.touched.insert(moved) }
      made.insert(new)
      remade.insert(new)
      client.deleted.insert(key)
      client.removed.insert(key)
      client.shown.bringBack(Token.all(in: item), new)
      client.shown.known.insert(new)
      client.moves[key] = new
      client.moves[new] = nil
      let text = Self.text(item, new.id)
      if try disk.move(
        key, expecting: digest, to: FileChange(new, to: item, text: text, expecting: nil))
        == nil
      {
        count("moved by a command")
      }
    }
  }

  /// The tokens in an item's texts, which a command may put away where its user says so.
  private func tokens(of key: ItemKey, _ client: Client<Host>) -> Set<Int> {
    let user = client.host.user
    return [user.text(of: key), user.side(of: key)].reduce(into: []) { tokens, text in
      if let text { tokens.formUnion(Token.all(in: text)) }
    }
  }

  private func loseRow(_ dice: inout SplitMix64) {
    let keys = server.rows.keys.sorted()
    guard !keys.isEmpty else { return }
    let key = keys[dice.below(keys.count)]
    server.deleteForGood(key)
    lost.insert(key)
    note("row \(key) is lost")
  }

  private func putBack() {
    guard let backup else { return }
    let keys = Set(server.rows.keys).union(backup.keys).filter { server.rows[$0] != backup[$0] }
    guard !keys.isEmpty else { return }
    lost.formUnion(keys)
    server.putBack(backup)
    for client in clients { client.shown.replaced = [:] }
    count("put back")
    note("\(keys.count) rows are as they were")
  }

  /// Makes changes of what the server has lost: what it has in its stead is before its user's eyes.
  private func claim(_ client: Client<Host>, _ disk: inout Watched<Host.Work>) throws {
    let found = try LostRows(of: table, on: disk, from: &client.line)
    for row in found.past {
      let key = ItemKey(table, row.id)
      client.shown.note(row.item, key)
      client.shown.known.insert(key)
      guard try disk.base(of: key).item == nil else { continue }
      client.deleted.insert(key)
      client.removed.insert(key)
    }
    if !found.absent.isEmpty || !found.past.isEmpty { count("claimed") }
    client.settled = Set(try knownRows(disk).filter(isLost).map(\.id))
    try found.claim(on: &disk)
  }

  /// The rows that a client knows which have times.
  private func knownRows(_ disk: some Disk) throws -> [Row] {
    let ids = try disk.liveIDs(in: table) + disk.tombstoneIDs(in: table)
    let rows = try disk.arrivals(in: table).map(\.row)
    let others = Set(ids).subtracting(rows.map(\.id))
    return try (rows + others.compactMap { try disk.base(of: ItemKey(table, $0)).row })
      .filter { $0.updatedAt != nil && !$0.isGone }
  }

  /// Whether the server has no state of a row that is as new.
  private func isLost(_ row: Row) -> Bool {
    server.rows[ItemKey(table, row.id)].map { $0.isOlder(than: row) } ?? true
  }

  /// Runs one command, with recovery first.
  ///
  /// - Returns: Whether it came to its end, and nobody saved meanwhile.
  @discardableResult
  func command(
    _ name: String, _ client: Client<Host>, _ faults: [Plan.Fault], _ dice: inout SplitMix64,
    _ body: (inout Watched<Host.Work>) throws -> Void
  ) -> Bool {
    var step = Steps(faults, SplitMix64(seed: dice.next()))
    client.line.begin(
      Dictionary(
        faults.filter { $0.kind.place == .request }.map { ($0.at, $0.kind) },
        uniquingKeysWith: { $1 }),
      SplitMix64(seed: dice.next()))
    var isRecovering = true
    var isClean = false
    savedMeanwhile = [:]
    client.shown.afterReading = { [self] in
      guard step.isSavedAfterReading() else { return }
      client.host.meanwhile { user in
        step.didSave = true
        count("saved after a reading")
        save(client, &user, &step.random)
      }
    }
    defer {
      savedMeanwhile = nil
      client.shown.afterReading = nil
    }
    do {
      try client.host.run { [self] user in
        try before(&step, client, &user, isRecovering)
      } _: { [self] work in
        var disk = Watched(work: work, shown: client.shown)
        defer { work = disk.work }
        try countOpen(disk)
        let settings = settings(forcing: isCalm)
        tell(try Recovery.run([table], on: &disk, settings: settings), client)
        isRecovering = false
        try body(&disk)
      }
      isClean = !step.didSave && step.wasRefused == nil
    } catch is Killed {
      ended(name, client, step, isRecovering)
    } catch {
      if step.isDead {
        // What a dead program made of its last calls is nobody's to see.
        ended(name, client, step, isRecovering)
      } else {
        count("stop")
        note("\(client.number) \(name) stops: \(Self.words(of: error))")
        checkStop(error, name, client, faults)
      }
    }
    if step.wasRefused != nil, !step.losesPower, client.host.hasLostWrites {
      // Whoever is told that the disk failed starts the machine anew before they go on.
      losePower(client, step)
      note("\(client.number) starts the machine anew")
    }
    checkShown(client)
    if step.isDead || step.wasRefused != nil {
      // The next command tells what it finds on its way, and keeps what it doesn't put back.
      let there = tokensInItems(client)
      for text in client.host.leftovers {
        givenUp.formUnion(Token.all(in: text).subtracting(there))
      }
    }
    // Whose call was refused has left the rest to the next one.
    if !step.isDead, step.wasRefused == nil {
      for finding in client.host.findings() {
        fail("M: client \(client.number) after \(name): \(finding)")
      }
    }
    return isClean
  }

  /// Says what an error says, without the random names of temporary files.
  private static func words(of error: any Error) -> String {
    let parts = "\(error)".split(separator: "/", omittingEmptySubsequences: false)
    return parts.map { part in
      part.hasPrefix(".tmp-") ? ".tmp" + part.drop { $0 != ":" } : part
    }.joined(separator: "/")
  }

  private func ended(
    _ name: String, _ client: Client<Host>, _ step: Steps, _ isRecovering: Bool
  ) {
    count("killed")
    if isRecovering { count("killed while recovering") }
    if step.losesPower { losePower(client, step) }
    // Whoever was killed in the midst of a write has laid it, or not.
    for key in client.host.user.items {
      client.shown.laid[key] = client.host.user.text(of: key).map { Token.all(in: $0) }
    }
    unsee(client)
    note("\(client.number) \(name) killed\(step.losesPower ? ", power lost" : "")")
  }

  private func losePower(_ client: Client<Host>, _ step: Steps) {
    var random = step.random
    let unsafe = client.host.unsafeTexts
    client.host.losePower(&random)
    client.removed.formUnion(client.back)
    count("power lost")
    loseEdits(unsafe, client)
    // Sides whose record the power took away stay where they are, and doctor names them.
    let open = conflicts(of: client)
    for key in client.host.user.laidSides where !open.contains(key) {
      givenUp.formUnion(client.host.user.side(of: key).map { Token.all(in: $0) } ?? [])
    }
  }

  /// Of what an editor had left in memory, what the power loss took out of its place is nobody's fault,
  /// whatever else is left of it.
  private func loseEdits(_ texts: [[UInt8]], _ client: Client<Host>) {
    guard !texts.isEmpty else { return }
    let lost = texts.reduce(into: Set()) { $0.formUnion(Token.all(in: $1)) }
      .subtracting(tokensInItems(client)).subtracting(stored)
    note("lost with the power: \(lost.sorted())")
    for token in lost where client.kept.removeValue(forKey: token) != nil { count("edit lost") }
  }

  /// The tokens in a client's items.
  private func tokensInItems(_ client: Client<Host>) -> Set<Int> {
    client.host.user.items.reduce(into: []) { tokens, key in
      tokens.formUnion(client.host.user.text(of: key).map { Token.all(in: $0) } ?? [])
    }
  }

  /// What was never laid, or what a power loss took away again, its user has not seen, but for what
  /// was edited since.
  private func unsee(_ client: Client<Host>) {
    var there = tokensInItems(client)
    for text in client.host.kept { there.formUnion(Token.all(in: text)) }
    for (key, tokens) in client.shown.tokens {
      client.shown.tokens[key] = tokens.intersection(
        there.union(client.shown.overwritten[key] ?? []))
    }
  }

  /// The steps of one command, and what happens ahead of each.
  struct Steps {
    private var faults: [Int: [Plan.Fault.Kind]] = [:]
    private var number = 0
    private var readings: Set<Int> = []
    private var readingNumber = 0
    var random: SplitMix64
    /// Whether the program was killed.
    var isDead = false
    var losesPower = false
    /// Whether a user did something.
    var didSave = false
    /// Whether a call was refused.
    var wasRefused: Int32?

    init(_ all: [Plan.Fault], _ random: SplitMix64) {
      for fault in all where fault.kind.place == .step {
        faults[fault.at, default: []].append(fault.kind)
      }
      readings = Set(all.filter { $0.kind.place == .reading }.map(\.at))
      self.random = random
    }

    mutating func next() -> [Plan.Fault.Kind] {
      defer { number += 1 }
      return faults.isEmpty ? [] : faults[number] ?? []
    }

    /// Whether a user saves after this reading.
    mutating func isSavedAfterReading() -> Bool {
      defer { readingNumber += 1 }
      return !isDead && readings.contains(readingNumber)
    }
  }

  private func before(
    _ step: inout Steps, _ client: Client<Host>, _ user: inout Host.User, _ isRecovering: Bool
  ) throws {
    if step.isDead { throw Killed() }
    for kind in step.next() {
      switch kind {
      case .save:
        step.didSave = true
        save(client, &user, &step.random)
      case .delete:
        step.didSave = true
        delete(client, &user, &step.random)
      case .secondProcess:
        guard let isRefused = client.host.refusesSecondProcess() else { continue }
        count("second process")
        if !isRefused { fail("M: a second process was let in") }
      case .noSpace, .inputOutputError:
        let number: Int32 = kind == .noSpace ? 28 : 5
        step.wasRefused = number
        count("call refused")
        count("\(kind.rawValue) at \(client.host.call)")
        throw Refused(number: number)
      case .powerLoss:
        (step.isDead, step.losesPower) = (true, true)
        count("\(kind.rawValue) at \(client.host.call)")
        throw Killed()
      default:
        step.isDead = true
        count("\(kind.rawValue) at \(client.host.call)")
        throw Killed()
      }
    }
  }

  private func countOpen(_ disk: Watched<Host.Work>) throws {
    if try !disk.attempts(in: table).isEmpty { count("open attempt") }
    if try disk.arrivals(in: table).contains(where: \.isMine) { count("open answer") }
    if try !disk.state(of: table).left.isEmpty { count("items leaving") }
    if try !disk.arrivals(in: table).isEmpty { count("rows waiting") }
  }

  func tell(_ events: [Event], _ client: Client<Host>) {
    for event in events {
      count(event.what.name)
      note("  \(event.key) \(event.what.name)")
      if case .conflict(let conflict) = event.what {
        count("conflict \(conflict.kind.rawValue)")
        if plan.isSingle, !plan.forgets {
          fail("S: a conflict with a single client: \(event.key)")
        }
      }
      if event.what.isOfAnEdit, !plan.forgets, !client.touched.contains(event.key) {
        fail("S: \(event.what.name), but its user never touched \(event.key)")
      }
    }
  }

  func pull(
    _ client: Client<Host>, full: Bool = false, _ faults: [Plan.Fault], _ dice: inout SplitMix64
  ) {
    let all = client.feeds(of: table)
    // Now and then only one of the queries.
    let feeds = all.count > 1 && !isCalm && dice.once(in: 4) ? [all[0]] : all
    var reports = feeds.map { PullReport($0) }
    var live: Set<ItemID> = []
    var stop: Stop?
    var newest: Row?
    client.takesOlder = full && settings(forcing: isCalm).maxDelete != nil
    defer { client.takesOlder = false }
    let isClean = command(full ? "pull --full" : "pull", client, faults, &dice) { [self] disk in
      live = Set(try disk.liveIDs(in: table))
      if plan.tellsLosses, !client.shown.goesBack {
        // Where somebody has written it again, the server shows nothing of what else it lost.
        newest = try knownRows(disk).max { $0.isOlder(than: $1) }
        if let id = newest?.id, client.settled.contains(id) { newest = nil }
      }
      // Who is killed while taking the server's state may have taken it.
      if full { client.settled = Set(try knownRows(disk).filter(isLost).map(\.id)) }
      do {
        try Pull(settings: settings(forcing: isCalm)).run(
          feeds, isPart: feeds.count < all.count, full: full, on: &disk, from: &client.line,
          reports: &reports)
        if full { client.settled = Set(try knownRows(disk).filter(isLost).map(\.id)) }
      } catch let error as Stop {
        stop = error
        if case .unsafe = error { count("guard") }
        throw error
      }
    }
    // Elsewhere rows may go without a trace, and be hidden for a while.
    let isThere = newest.map { server.rows[ItemKey(table, $0.id)] != nil } ?? false
    if let newest, faults.allSatisfy({ $0.kind.place != .request }), !full, isLost(newest),
      isThere || plan.commitsInOrder
    {
      count("checked A")
      let isLate = reports.contains(where: \.isLate)
      if isLate { count("late") }
      if isLate && plan.commitsInOrder || !isLate && stop == nil && isClean {
        fail("A: client \(client.number) did not miss \(newest.id)")
      }
    }
    let events = reports.flatMap(\.events)
    tell(events, client)
    // However often it is asked, and whatever came meanwhile.
    let known = min(live.count, client.guarded ?? live.count)
    let removed = events.count { $0.what == .removed && live.contains($0.key.id) }
    checkGuard("pull", removed, of: known)
    if case .unsafe = stop { client.guarded = known } else { client.guarded = nil }
    let deleted = reports.reduce(0) { $0 + $1.counts[.removed, default: 0] }
    if stop != nil, deleted > 0, faults.allSatisfy({ $0.kind.place == .request }) {
      fail("G: a pull that stopped has deleted \(deleted)")
    }
  }

  /// A user pulls by other queries, and says so, or edits the settings.
  private func requery(_ client: Client<Host>, _ dice: inout SplitMix64) {
    let filters: [(Text, [Text])] = [("a", ["01", "02"]), ("b", ["12"])]
    client.queries = filters.compactMap { name, filters in
      dice.once(in: 2) ? (name, filters[dice.below(filters.count)]) : nil
    }
    note("\(client.number) pulls \(client.queries)")
    guard dice.once(in: 2) else { return }
    command("query", client, [], &dice) { [self] disk in
      try disk.append([.mayLeave(9)], to: table, durably: true)
    }
  }

  func push(
    _ client: Client<Host>, retrying: Set<ItemKey>? = nil, missing: Bool = false,
    _ faults: [Plan.Fault], _ dice: inout SplitMix64
  ) {
    var report = PushReport()
    var waiting = 0
    var live = 0
    var open: Set<ItemKey> = []
    let isClean = command("push", client, faults, &dice) { [self] disk in
      if missing { try claim(client, &disk) }
      // What was made by writes whose answers were lost counts as soon as that is known.
      let attempts = try disk.attempts(in: table)
      let made = attempts.filter { $0.kind == .insert || $0.kind == .undelete }
      live = try disk.liveIDs(in: table).count + made.count
      open = Set(attempts.map(\.key))
      client.line.dropped = try attempts.filter { try $0.next(disk.client($0.key)) != nil }
      client.line.sentDropped = []
      defer {
        // What its user has saved meanwhile may be in the file again.
        for key in client.line.sentDropped.sorted() where savedMeanwhile?[key] == nil {
          fail("D: what is in no file any more is sent: \(key)")
        }
      }
      let survey = try Survey(of: [table], on: disk)
      waiting = survey.pending(retrying).count + attempts.count
      do {
        try Push(settings: settings(forcing: isCalm), selection: retrying).run(
          [table], on: &disk, to: &client.line, report: &report)
      } catch Stop.unsafe(let danger) {
        count("guard")
        throw Stop.unsafe(danger)
      }
    }
    tell(report.events, client)
    let isAlone = !faults.contains { $0.kind == .elsewhere }
    checkPush(client, report, isClean && isAlone && retrying == nil)
    let sent = client.line.sent
    // A change that is refused with 409 or 412 is read, merged and sent again, once: nobody else
    // writes meanwhile. A delete that is undone since may be sent again, undeleted, and updated.
    if isClean, faults.isEmpty {
      count("checked W")
      if sent > 4 * waiting { fail("W: \(sent) writes for \(waiting) changes") }
    }
    // What an earlier push has sent was its affair.
    let deletes = report.events.filter {
      $0.what == .pushed(.delete) && !client.removed.contains($0.key) && !open.contains($0.key)
    }
    // What the push itself has brought to life may vanish in its midst.
    let made = report.events.count { $0.what == .pushed(.insert) || $0.what == .pushed(.undelete) }
    checkGuard("push", deletes.count, of: live + made)
    // Of files that vanish, half of three or more is the most.
    if plan.world.guards, !isCalm, open.isEmpty, made == 0, live >= 3,
      deletes.count > max(1, live / 2)
    {
      fail("G: a push deleted \(deletes.count) of \(live)")
    }
    // What it has made itself is known by the next pull, too.
    client.guarded = nil
  }

  /// Resolves one conflict, somehow; answers whether there was one.
  @discardableResult
  func resolve(
    _ client: Client<Host>, _ dice: inout SplitMix64, _ faults: [Plan.Fault] = []
  ) -> Bool {
    guard let key = firstConflict(client) else { return false }
    let choice = dice.below(4)
    let former = tokens(of: key, client)
    client.touched.insert(key)
    var hasTwoSides = false
    command("resolve", client, faults, &dice) { [self] disk in
      guard try disk.isInConflict(key) else { return }
      let conflict: Conflict
      do {
        conflict = try Resolve(settings: settings()).current(key, on: disk)
      } catch Resolve.Failure.twoClientSides {
        hasTwoSides = true
        return
      }
      let chosen: Choice
      switch choice {
      case 0: chosen = .client
      case 1:
        chosen = .server
        client.moves = client.moves.filter { $0.value != key }
        givenUp.formUnion(former.union(Token.all(in: conflict.client)))
        client.removed.insert(key)
      case 2:
        let id = try ItemID(Text("copy-\(nextToken())"))
        made.insert(ItemKey(table, id))
        for (former, new) in client.moves where new == key {
          client.moves[former] = ItemKey(table, id)
        }
        client.touched.insert(ItemKey(table, id))
        chosen = .both(id)
      default:
        var random = SplitMix64(seed: 1)
        let item = conflict.fields?.item() ?? conflict.client ?? edited(nil, &random).1
        chosen = .item(item)
        let there = former.union(Token.all(in: conflict.client))
        givenUp.formUnion(there.subtracting(Token.all(in: item)))
      }
      if conflict.client == nil { client.removed.insert(key) }
      client.shown.bringBack(Token.all(in: conflict.client), key)
      let comesBack =
        switch chosen {
        case .client: conflict.client != nil
        case .server, .both: conflict.server != nil
        case .item: true
        }
      if comesBack { client.shown.known.insert(key) }
      let resolution = chosen.resolution(of: conflict)
      client.shown.resolving[key] = (resolution.item, conflict.server)
      try Resolve(settings: settings()).settle(key, conflict, by: resolution, on: &disk)
      // Should the item that came back vanish, nobody has said so.
      if comesBack, client.removed.remove(key) != nil { client.back.insert(key) }
      count("resolved")
    }
    if hasTwoSides {
      count("two client sides")
      decide(client, key)
    }
    return true
  }

  private func firstConflict(_ client: Client<Host>) -> ItemKey? {
    conflicts(of: client).min()
  }

  /// Where file and client side both were edited, the user looks at both and keeps the file, or the
  /// side where there is no file.
  private func decide(_ client: Client<Host>, _ key: ItemKey) {
    var user = client.host.user
    var dice = SplitMix64(seed: 0)
    let side = user.side(of: key)
    let tokens = side.map { Token.all(in: $0) } ?? []
    if let file = user.text(of: key) {
      forget(tokens, unless: Token.all(in: file))
      user.saveSide(file, of: key)
    } else {
      user.save(side, as: key, &dice)
    }
    client.host.user = user
  }
}

extension Event.What {
  /// Whether it comes of an edit of the item's, here.
  fileprivate var isOfAnEdit: Bool {
    switch self {
    case .pushed, .alreadyThere, .found, .merged, .conflict, .rejected, .waits, .unknown, .cut:
      true
    case .added, .updated, .removed, .left, .conflictOver, .held: false
    }
  }

  /// What happened, in a word.
  fileprivate var name: String {
    switch self {
    case .pushed(let kind): "pushed \(kind)"
    case .alreadyThere(let kind): "already there \(kind)"
    case .found: "found"
    case .added: "added"
    case .updated: "updated"
    case .removed: "removed"
    case .left: "left"
    case .merged: "merged"
    case .conflict: "conflict"
    case .conflictOver: "conflict over"
    case .rejected: "rejected"
    case .waits: "waits"
    case .unknown: "unknown"
    case .cut: "cut"
    case .held: "held"
    }
  }
}
