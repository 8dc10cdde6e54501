import SyncEngine
import SyncModel
import TestSupport

/// Some clients, a server, users who edit at any moment, a line that loses things and programs that
/// are killed: all of it drawn from one seed.
///
/// What the run must show is in ``failures`` when it doesn't: no byte lost (B), no update lost (L),
/// convergence (C), quiescence (Q), and with a single client no conflict (S). safety.md §4.2.
final class Simulation {
  /// What went wrong, in words; empty when nothing did.
  private(set) var failures: [String] = []
  /// Everything that happened, a line each: the same for the same seed.
  private(set) var trace: [String] = []
  /// How often rare states were reached.
  private(set) var counts: [String: Int] = [:]

  private var random: SplitMix64
  private let server = ModelServer()
  private var clients: [Client] = []
  private let table: TableName
  private var tokens = 0
  /// What was in rows when they were deleted.
  private var buried: Set<String> = []
  private var faults = ModelBackend.Faults()
  private var crashRate = 0
  private var saveRate = 0
  private var settings: Settings

  /// One client: its disk, its line, and what its user has done.
  private final class Client {
    let number: Int
    var disk = MemoryDisk()
    let shown: MemoryDisk.Shown
    var backend: ModelBackend
    /// What the user wrote and did not overwrite or delete: it must never be lost.
    var kept: [String: ItemKey] = [:]

    init(number: Int, backend: ModelBackend) {
      self.number = number
      self.backend = backend
      shown = disk.shown
    }
  }

  init(seed: UInt64, clients count: Int? = nil) throws {
    random = SplitMix64(seed: seed)
    table = try TableName("todoitem")
    let policies: [MergePolicy.Rule] = [.fields, .fields, .fields, .manual, .client, .server]
    settings = Settings(
      policies: [table: MergePolicy(policies[random.below(policies.count)])], maxDelete: .max)
    let clientCount = count ?? 1 + random.below(4)
    for number in 0..<clientCount {
      var backend = ModelBackend(to: server, client: number, seed: random.next())
      backend.pageSize = 1 + random.below(4)
      clients.append(Client(number: number, backend: backend))
    }
    // Each fault is off in half of the seeds, so that none hides another.
    func rate(_ times: Int) -> Int { random.once(in: 2) ? 0 : times }
    faults.lostRequest = rate(10)
    faults.lostReply = rate(8)
    faults.failure = rate(15)
    faults.failureAfterActing = rate(15)
    faults.lostPage = rate(10)
    faults.lostReading = rate(10)
    crashRate = rate(3)
    saveRate = rate(6)
    // Where an answer was lost, the server's own texts can't be told from somebody's edit, so that a
    // conflict with a single client is then right.
    server.rewriteRate = clientCount == 1 ? 0 : rate(3)
    server.tick = random.once(in: 3) ? 0 : 1
    server.onWrite = { [unowned self] in check($0) }
  }

  /// Lets everybody act, then calms down and checks.
  func run(actions: Int = 120) {
    for _ in 0..<actions {
      let client = clients[random.below(clients.count)]
      act(client)
      if !failures.isEmpty { return }
    }
    calmDown()
    audit()
  }

  private func note(_ line: String) { trace.append(line) }

  private func count(_ name: String) { counts[name, default: 0] += 1 }

  private func fail(_ line: String) {
    failures.append(line)
    note("FAILED \(line)")
  }

  // MARK: - Acting

  private func act(_ client: Client) {
    switch random.below(100) {
    case ..<38: userSaves(client, &client.disk)
    case ..<42: userDeletes(client, &client.disk)
    case ..<45:
      command("rm", client) { [self] disk in
        if let key = anyKey(disk) { _ = try disk.remove(key) }
      }
    case ..<47:
      command("restore", client) { [self] disk in
        if let key = anyKey(disk), disk.journal.conflicts[key] == nil { _ = try disk.restore(key) }
      }
    case ..<48:
      command("purge", client) { [self] disk in
        if clients.count > 1, random.once(in: 4) { try disk.purge(table) }
      }
    case ..<50:
      if let key = client.disk.sides.keys.sorted().first, client.disk.sides[key]?.client != nil {
        let (token, item) = edited(nil)
        forgetTokens(
          in: (try? client.disk.conflictClient(of: key).item) ?? nil, unlessIn: item, client)
        client.disk.editSide(item, of: key)
        if Self.tokens(of: item).contains(token) { client.kept[token] = key }
        note("\(client.number) edits side \(key) \(token)")
      }
    case ..<62: resolve(client)
    case ..<80: pull(client, full: random.once(in: 10))
    default: push(client)
    }
  }

  private func anyKey(_ disk: MemoryDisk) -> ItemKey? {
    let keys = disk.files.keys.sorted()
    return keys.isEmpty ? nil : keys[random.below(keys.count)]
  }

  private func edited(_ item: Item?) -> (String, Item) {
    tokens += 1
    let token = "t\(tokens)"
    let names: [Text] = ["text", "note", "due"]
    var item = item ?? Item(JSONObject())
    item.fields[names[random.below(names.count)]] = .string(token)
    if random.once(in: 12) { item.fields[names[random.below(names.count)]] = nil }
    return (token, item)
  }

  /// A user saves: a new item, a field of one that is there, or one that was deleted.
  private func userSaves(_ client: Client, _ disk: inout MemoryDisk) {
    let id = "item-\(random.below(6))" + (random.once(in: 3) ? "-\(client.number)" : "")
    guard let itemID = try? ItemID(Text(id)) else { return }
    var key = ItemKey(table, itemID)
    if random.once(in: 2), let any = anyKey(disk) { key = any }
    let old = try? disk.client(key).item
    let (token, item) = edited(old ?? nil)
    forgetTokens(in: old ?? nil, unlessIn: item, client)
    disk.save(item, as: key)
    if item.values.values.contains(.string(token)) { client.kept[token] = key }
    note("\(client.number) saves \(key) \(Self.shown(item))")
  }

  private func userDeletes(_ client: Client, _ disk: inout MemoryDisk) {
    guard let key = anyKey(disk) else { return }
    forgetTokens(in: (try? disk.client(key).item) ?? nil, unlessIn: nil, client)
    disk.save(nil as Item?, as: key)
    note("\(client.number) deletes \(key)")
  }

  /// What its user overwrites or deletes is the user's own loss.
  private func forgetTokens(in old: Item?, unlessIn new: Item?, _ client: Client) {
    for token in Self.tokens(of: old).subtracting(Self.tokens(of: new)) {
      for other in clients { other.kept[token] = nil }
    }
  }

  private static func tokens(of item: Item?) -> Set<String> {
    Set(item?.values.values.compactMap { $0.text?.string } ?? [])
  }

  private static func shown(_ item: Item) -> String {
    String(decoding: JSON.object(item.fields).encoded(), as: UTF8.self)
  }

  // MARK: - Commands

  /// Runs one command with recovery first; it may be killed at any step, and its user may save.
  private func command(
    _ name: String, _ client: Client, _ body: (inout MemoryDisk) throws -> Void
  ) {
    var left = crashRate > 0 && random.once(in: crashRate) ? random.below(25) : Int.max
    let saves = saveRate > 0 && random.once(in: 2)
    client.disk.beforeStep = { [unowned self] disk in
      if left == 0 { throw MemoryDisk.Crash() }
      left -= 1
      if saves, random.once(in: saveRate) { userSaves(client, &disk) }
    }
    do {
      let recovered = try Recovery.run([table], on: &client.disk, settings: settings)
      tell(recovered, client)
      try body(&client.disk)
      note("\(client.number) \(name)")
    } catch is MemoryDisk.Crash {
      count("crash")
      let power = random.once(in: 2)
      if power { client.disk.losePower(&random) }
      note("\(client.number) \(name) killed\(power ? ", power lost" : "")")
    } catch {
      count("stop")
      note("\(client.number) \(name) stops: \(error)")
    }
    client.disk.beforeStep = nil
  }

  private func tell(_ events: [Event], _ client: Client) {
    for event in events {
      count(String("\(event.what)".prefix { $0 != "(" }))
      note("  \(event.key) \(event.what)")
      if case .conflict(let conflict) = event.what {
        count(conflict.kind.rawValue)
        if clients.count == 1 { fail("S: a conflict with a single client: \(event.key)") }
      }
    }
  }

  private func pull(_ client: Client, full: Bool = false) {
    var report = PullReport(table: table)
    command("pull", client) { disk in
      try Pull(settings: settings).run(
        table, full: full, on: &disk, from: &client.backend, report: &report)
    }
    tell(report.events, client)
  }

  private func push(_ client: Client, retrying: Set<ItemKey>? = nil) {
    client.backend.faults = faults
    var report = PushReport()
    command("push", client) { disk in
      try Push(settings: settings, selection: retrying).run(
        [table], on: &disk, to: &client.backend, report: &report)
    }
    tell(report.events, client)
  }

  private func resolve(_ client: Client) {
    guard let key = client.disk.journal.conflicts.keys.sorted().first else { return }
    command("resolve \(key)", client) { [self] disk in
      guard disk.journal.conflicts[key] != nil else { return }
      let conflict: Conflict
      do {
        conflict = try Resolve.current(key, on: disk)
      } catch Resolve.Failure.twoClientSides {
        count("twoClientSides")
        // The user looks at both and keeps the file, or the side where there is no file.
        let side = try disk.conflictClient(of: key).item
        if let item = try disk.client(key).item {
          forgetTokens(in: side, unlessIn: item, client)
          disk.editSide(item, of: key)
        } else {
          disk.save(side, as: key)
        }
        return
      }
      let choice: Choice
      switch random.below(4) {
      case 0: choice = .client
      case 1: choice = .server
      case 2:
        tokens += 1
        choice = .both(try ItemID(Text("copy-\(tokens)")))
      default: choice = .item(conflict.fields?.item ?? conflict.client ?? edited(nil).1)
      }
      try Resolve(settings: settings).settle(key, conflict, by: choice, on: &disk)
      count("resolved")
    }
  }

  // MARK: - Properties

  /// L: whoever replaces a value has had it before his eyes, or has written it himself.
  private func check(_ write: ModelServer.Write) {
    guard let old = write.old else { return }
    if write.new == nil { buried.formUnion(Self.tokens(of: old)) }
    let client = clients[write.client]
    let replaced = Self.tokens(of: old).subtracting(Self.tokens(of: write.new))
    guard !replaced.isEmpty else { return }
    var seen = Set(client.shown.items[write.key, default: []].flatMap { Self.tokens(of: $0) })
    seen.formUnion(
      server.writes.filter { $0.client == write.client && $0.key == write.key }
        .flatMap { Self.tokens(of: $0.new) })
    // What somebody deleted and an undelete brought back has been given up before.
    for token in replaced.subtracting(seen).subtracting(buried).sorted() {
      fail("L: client \(write.client) replaced \(token) of \(write.key) without having seen it")
    }
  }

  /// The faults stop, the users mend what was refused and settle every conflict.
  private func calmDown() {
    (crashRate, saveRate) = (0, 0)
    faults = ModelBackend.Faults()
    note("calm")
    for _ in 0..<12 {
      for client in clients {
        push(client)
        push(client, retrying: Set(client.disk.journal.rejections.keys))
        for _ in 0..<40 where !client.disk.journal.conflicts.isEmpty { resolve(client) }
        push(client)
        pull(client)
      }
      if isQuiet { break }
    }
    let attempts = server.attempts
    for client in clients {
      push(client)
      pull(client)
    }
    if server.attempts != attempts { fail("Q: a push with nothing to do sent something") }
  }

  private var isQuiet: Bool {
    let live = server.rows.filter { !$0.value.deleted }.mapValues(\.item)
    return clients.allSatisfy { client in
      let survey = try? Survey(of: [table], on: client.disk)
      return client.disk.journal.isQuiet && survey?.entries.isEmpty == true
        && items(of: client) == live
    }
  }

  private func items(of client: Client) -> [ItemKey: Item] {
    client.disk.files.keys.reduce(into: [:]) { items, key in
      items[key] = (try? client.disk.client(key).item) ?? nil
    }
  }

  private func audit() {
    let live = server.rows.filter { !$0.value.deleted }.mapValues(\.item)
    for client in clients {
      if items(of: client) != live { fail("C: client \(client.number) differs from the server") }
      if !client.disk.journal.isQuiet || !client.disk.journal.conflicts.isEmpty {
        fail("Q: client \(client.number) has something open")
      }
    }
    var found = Set(server.history.flatMap { Self.tokens(of: $0) })
    for client in clients {
      let sides = client.disk.sides.values.compactMap(\.client)
      let texts = client.disk.trash + client.disk.files.values.map(\.bytes) + sides
      for text in texts {
        guard let object = try? JSON(parsing: text).object else { continue }
        found.formUnion(Self.tokens(of: Item(object)))
      }
    }
    for client in clients {
      for (token, key) in client.kept.sorted(by: { $0.key < $1.key })
      where !found.contains(token) {
        fail("B: \(token) of \(key), saved at client \(client.number), is nowhere")
      }
    }
  }
}
