import CommandSupport
import Commands
import Glibc
import SyncModel
import Synchronization
import TestSupport

/// What doesn't hold in a history.
struct Finding: Error {
  /// The oracle that says so.
  let oracle: String
  /// What it saw.
  let message: String
}

/// A history: devices, their server, and what happens to them.
final class History {
  /// What happened, as lines that could be typed.
  private(set) var log: [String] = []
  /// The devices.
  private(set) var devices: [Device] = []
  /// The server.
  let server: Server
  /// Whether the rules leave every text where it is until somebody gives it up.
  let keepsTexts: Bool
  /// What was typed and isn't given up, with the line that typed it.
  private var live: [Int: String] = [:]
  /// The devices where nothing is merged: each changed field is in conflict.
  private var manual: Set<String> = []
  /// The numbers of items that may be there twice: they got another id, or both sides were kept.
  private var doubled: Set<Int> = []
  /// What each field of each row has held, and who had written it; the rows themselves are fields without
  /// a name.
  private var written: [String: [(value: JSON?, writer: String)]] = [:]
  /// Items whose deletes were found done: by whom isn't known.
  private var unsure: Set<String> = []
  /// What an undo or redo has done to the items that it has changed last, by their devices.
  private var undone: [String: [String: String]] = [:]
  /// Items that an undo or redo of a pull has brought back, by their devices.
  private var pulledBack: [String: Set<String>] = [:]
  private let plan: Plan
  /// How many commands were taken back or done again.
  static let undos = Atomic<Int>(0)
  /// How many of them after another device's changes.
  static let meetings = Atomic<Int>(0)
  /// Whether that is tried after each command, not after one in ten.
  private static let takesBack = getenv("TSYNC_UNDO") != nil
  /// How often another device has changed items between a command and its undo.
  private var met = 0
  private let directory = TemporaryDirectory(inMemory: true)
  private let tables: [TableName]

  /// Prepares one.
  init(_ plan: Plan) throws {
    self.plan = plan
    tables = try Person.tables.map { try TableName(Text($0)) }
    server = try Server(plan.server, tables: tables)
    keepsTexts = plan.rule != "client" && plan.rule != "server"
    for number in 0..<plan.devices {
      devices.append(Device(["anna", "ben", "cleo"][number], in: directory, server, tables))
    }
  }

  /// Plays it to its end.
  ///
  /// - Throws: ``Finding``.
  func play() throws {
    defer { try? server.end() }
    for device in devices { try start(device) }
    for step in plan.steps { try play(step) }
    try converge()
  }

  /// Makes an oracle's finding.
  func expect(
    _ condition: Bool, _ oracle: String, _ message: @autoclosure () -> String
  ) throws {
    guard !condition else { return }
    throw Finding(oracle: oracle, message: message())
  }

  private func start(_ device: Device) throws {
    let words =
      ["clone"] + tables.flatMap { ["-t", $0.text.string] } + [server.addresses[0], device.path]
    let outcome = run(words, at: device, seed: plan.seed)
    try expect(outcome.status == 0, "start", outcome.error)
    if let rule = plan.rule { _ = run(["config", "merge", rule], at: device, seed: 1) }
    if plan.rule == "manual" { manual.insert(device.name) }
    if let dialect = plan.dialect { _ = run(["config", "dialect", dialect], at: device, seed: 1) }
    guard device === devices[0] else { return }
    var person = Person(at: device, in: Plan.Step(number: Plan.length, seed: plan.seed))
    for id in Person.ids.prefix(4) {
      for table in tables {
        let path = ".todosync/items/\(table)/\(id).json"
        apply(HandWork(device, path, to: JSON.object(person.newItem(id: id)).encoded()), at: device)
      }
    }
    try expect(run(["push"], at: device, seed: 2).status == 0, "start", "nothing was pushed")
    try readRows(after: device)
  }

  /// Runs a command line that always goes well, or is looked at by the caller.
  private func run(
    _ words: [String], at device: Device, seed: UInt64, over line: Line? = nil,
    program: ((Program) -> Int32)? = nil, now: Int64? = nil
  ) -> Outcome {
    let outcome = device.run(words, over: line, seed: seed, at: now, program: program)
    note(words, device, outcome, line)
    return outcome
  }

  private func note(_ words: [String], _ device: Device, _ outcome: Outcome, _ line: Line?) {
    let quoted = words.map { word in
      let plain = word.utf8.allSatisfy { byte in
        byte > 0x2A && byte < 0x7B && byte != 0x3B && byte != 0x3C && byte != 0x3E && byte != 0x5C
      }
      return plain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
    let fault = line.flatMap { $0.isDisturbed ? $0.plan : nil }.map {
      "  # \($0.fault) at request \($0.request)\($0.lasts ? " and from there on" : "")"
    }
    let end = outcome.status.map { " => \($0)" } ?? " => killed"
    log.append("\(device.name)$ tsync \(quoted.joined(separator: " "))\(fault ?? "")  #\(end)")
    for text in (outcome.output + outcome.error).split(separator: "\n") {
      log.append("    \(text)")
    }
  }

  private func play(_ step: Plan.Step) throws {
    var random = SplitMix64(seed: step.seed)
    let device = devices[random.below(devices.count)]
    var person = Person(at: device, in: step)
    for _ in 0..<[0, 0, 0, 1, 2][random.below(5)] {
      guard let work = person.workByHand(isMessy: plan.isMessy) else { continue }
      apply(work, at: device)
    }
    try perform(person.command(), at: device, &random)
  }

  private func apply(_ work: HandWork, at device: Device) {
    if work.target != nil, let born = work.newBorn(at: device) { doubled.insert(born) }
    let name = work.path.dropFirst(".todosync/items/".count).dropLast(".json".count)
    // A file that is made or removed by hand is no more what an undo has left.
    if (Files.read("\(device.path)/\(work.path)") == nil) != (work.bytes == nil) {
      undone[device.name]?[String(name)] = nil
    }
    work.apply(to: device)
    log.append("\(device.name)$ \(work.line)")
    for word in work.lost { live[word] = nil }
    for word in work.typed { live[word] = log.last }
    device.readWords()
  }

  private func perform(
    _ command: CommandLine, at device: Device, _ random: inout SplitMix64
  ) throws {
    let seed = random.next()
    guard !command.isLooking else { return try look(command.words, at: device, seed: seed) }
    let plan = command.isRemote && random.once(in: 4) ? fault(&random, command) : nil
    let sample = Self.takesBack ? 8 : random.below(10)
    var (foretold, told): (Outcome?, Outcome?)
    var unsure: Set<String> = []
    let now = CommandRun.realTime()
    if plan == nil, command.canBeRehearsed, sample < 3 {
      if command.verb == "push" { unsure = self.unsure(at: device) }
      foretold = try rehearse(command.words + ["-n", "--json"], at: device, seed: seed)
    }
    let line = Line(to: server, plan, seed: seed) { Tree(at: device.path) }
    if sample == 9, command.program == nil, line.plan?.fault.isDeath != true {
      let before = Tree(at: device.path)
      told = run(command.words, at: device, seed: seed, over: line, now: now)
      before.restore(at: device.path)
      line.replay()
    }
    let items = sample == 8 ? items(at: device) : [:]
    let open = Set(device.conflicts().keys)
    let (before, rows) = (Sight(device), server.rows)
    let outcome = run(
      command.words + ["--json"], at: device, seed: seed, over: line, program: command.program,
      now: now)
    // Who has resolved a conflict has decided so.
    if command.verb == "resolve" { for name in open { undone[device.name]?[name] = nil } }
    // A request may have come through before the device died of it.
    if line.requests > 0 || outcome.status == nil { try readRows(after: device) }
    try expect(outcome.document != nil || outcome.status == nil, "JSON agrees", "no document")
    try checkStatus(outcome, of: command)
    if let foretold { try check(foretold, foretells: outcome, of: command, but: unsure) }
    if let told { try check(told, says: outcome) }
    settle(command, before, Sight(device), rows, outcome)
    device.readWords()
    try checkTexts()
    try checkRows()
    if outcome.status != nil { try checkExchange(command, at: device, outcome) }
    // Rows that were applied first are not the command's.
    if sample == 8, outcome.status == 0, !outcome.error.contains("applied rows"),
      !outcome.error.contains("completed an interrupted")
    {
      try checkUndo(of: command, from: items, but: open, at: device, seed: seed, &random)
    }
    if sample == 7, random.once(in: 2) { try checkPending(at: device) }
  }

  private func fault(_ random: inout SplitMix64, _ command: CommandLine) -> Line.Plan {
    let faults = Line.Fault.allCases.filter { command.verb != "resolve" || !$0.isDeath }
    return Line.Plan(
      fault: faults[random.below(faults.count)], request: random.below(5),
      lasts: random.once(in: 4))
  }

  /// The items at a device, by what names them; files that can't be items are left out.
  private func items(at device: Device) -> [String: JSONObject] {
    Dictionary(
      device.files().compactMap { file in file.item.map { (file.reference, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// Undo gives the items that were before a command and redo those after it, but what another device has
  /// changed since; then all is as if nobody had looked.
  private func checkUndo(
    of command: CommandLine, from before: [String: JSONObject], but open: Set<String>,
    at device: Device, seed: UInt64, _ random: inout SplitMix64
  ) throws {
    let verbs = ["set", "done", "rm", "new", "edit", "restore", "mv"]
    let after = items(at: device)
    // What was sent is taken back in place of what was changed.
    guard verbs.contains(command.verb), !command.words.contains("--push"), after != before else {
      return
    }
    let newest = device.run(["log", "--limit", "1", "--json"], seed: seed).document
    let number = newest?["commands"]?.elements?.first?.object?["number"]
    let hasMet = random.once(in: 2)
    if hasMet { try meet(at: device, &random) }
    let met = items(at: device)
    // Where nothing of it can be taken back, an earlier command is.
    guard device.run(["undo", "-n", "--json"], seed: seed).document?["wouldUndo"] == number else {
      return
    }
    let tree = Tree(at: device.path)
    var isMoved = false
    func check(_ verb: String, gives old: [String: JSONObject], from new: [String: JSONObject])
      throws
    {
      let here = items(at: device)
      let outcome = run([verb, "--json"], at: device, seed: seed)
      // A row that waited for a safety stop comes first.
      isMoved = isMoved || outcome.error.contains("applied rows that had been waiting")
      if isMoved { return }
      let left = Set(outcome.items.filter { $0.did == "left" }.map(\.name))
      let now = items(at: device)
      // Of a conflict, which restore settles too, only what was decided is taken back.
      for name in Set(here.keys).union(old.keys).union(now.keys).subtracting(open).sorted() {
        let expected = Self.undone(old[name], from: new[name], to: here[name], seen: now[name])
        if left.contains(name), expected != old[name] || now[name] == here[name] { continue }
        // What another has sent since comes in place of what was there before.
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        let row = hasMet ? try server.row(parts[0], parts[1]) : nil
        if let row, let seen = now[name], verb == "undo" {
          let fields = Change(from: expected.map { Item($0) }, to: Item(seen)).fields
          if fields.allSatisfy({ $0.new == row[$0.name] }) { continue }
        }
        try expect(now[name] == expected, "\(verb) takes back", "\(name) is another than before")
        let isLost = expected != old[name] && expected == here[name] && old[name] != new[name]
        try expect(!isLost, "\(verb) takes back", "\(name) was left, and isn't named")
      }
      Self.undos.add(1, ordering: .relaxed)
      if hasMet { Self.meetings.add(1, ordering: .relaxed) }
    }
    try check("undo", gives: before, from: after)
    // A rename is typed again.
    if command.verb != "mv" { try check("redo", gives: met, from: items(at: device)) }
    tree.restore(at: device.path)
  }

  /// What is left of an item where a change of it is taken back, and its fields were changed since.
  private static func undone(
    _ old: JSONObject?, from new: JSONObject?, to now: JSONObject?, seen: JSONObject?
  ) -> JSONObject? {
    if new == now { return old }
    guard let old, let new, var now else { return now }
    for name in Set((old.members + new.members).map(\.name)) where old[name] != new[name] {
      if now[name] == new[name] {
        now[name] = old[name]
      } else if now[name]?.object != nil || now[name]?.text?.string.contains("\n") == true {
        // The lines of a text and the members of an object are merged.
        now[name] = seen?[name]
      }
    }
    return now
  }

  /// Another device changes some items, and this one pulls them.
  private func meet(at device: Device, _ random: inout SplitMix64) throws {
    guard let other = devices.first(where: { $0 !== device }) else { return }
    met += 1
    let step = Plan.Step(number: Plan.length + met, seed: random.next())
    var person = Person(at: other, in: step)
    for _ in 0..<4 {
      if let work = person.workByHand(isMessy: false) { apply(work, at: other) }
    }
    _ = try give(["push"], at: other, seed: step.seed)
    _ = try give(["pull"], at: device, seed: step.seed)
  }

  /// Runs a command that changes nothing, and makes sure of that.
  private func rehearse(_ words: [String], at device: Device, seed: UInt64) throws -> Outcome {
    let before = Tree(at: device.path)
    let outcome = run(words, at: device, seed: seed)
    let changed = before.differences(to: Tree(at: device.path))
    try expect(changed.isEmpty, "changes nothing", "\(words): \(changed)")
    return outcome
  }

  /// Runs a command that only looks, in both of its forms.
  private func look(_ words: [String], at device: Device, seed: UInt64) throws {
    let now = CommandRun.realTime()
    let before = Tree(at: device.path)
    let told = run(words, at: device, seed: seed, now: now)
    let outcome = run(words + ["--json"], at: device, seed: seed, now: now)
    let changed = before.differences(to: Tree(at: device.path))
    try expect(changed.isEmpty, "changes nothing", "\(words): \(changed)")
    try expect(outcome.document != nil, "JSON agrees", "no document: \(outcome.output)")
    try checkStatus(outcome, of: CommandLine(words: words))
    try check(told, says: outcome)
  }

  /// Notes what was typed by a command line, and what was given up.
  private func settle(
    _ command: CommandLine, _ before: Sight, _ after: Sight,
    _ rows: [TableName: [String: JSONObject]], _ outcome: Outcome
  ) {
    let isManual = manual.contains(after.device.name)
    for item in outcome.items where item.isFound && item.did == "deleted" {
      unsure.insert(item.name)
    }
    let isUndo = ["undo", "redo"].contains(command.verb)
    // Undo of a resolve sends the side that was not taken, as its page says.
    let isOfResolve = isUndo && name(ofUndone: outcome, at: after.device).hasPrefix("resolve")
    for item in outcome.items where !["push", "pull", "sync"].contains(command.verb) {
      if isUndo, item.did == "left" { continue }
      // Undo of a pull brings back what was there before it, as its page says; so do later undos of that item.
      if isUndo, command.isOfPull { pulledBack[after.device.name, default: []].insert(item.name) }
      let isJudged =
        isUndo && !isOfResolve && pulledBack[after.device.name]?.contains(item.name) != true
      undone[after.device.name, default: [:]][item.name] = isJudged ? item.did : nil
    }
    var lost: Set<Int> = []
    for item in outcome.items {
      let new = after.item(item.name)
      var old = before.item(item.name)
      // So has a command that first applies a row that waited.
      let hasNewRow =
        command.words.contains("--push")
        || outcome.error.contains("applied rows that had been waiting")
      if hasNewRow, let table = try? TableName(Text(item.table)) {
        // The push has asked for the newest row, and the same answer goes for that.
        let words = rows[table]?[item.id].map { typedWords(JSON.object($0).encoded()) } ?? []
        old.server.formUnion(words)
        if item.how == "client" { lost.formUnion(words.subtracting(new.client)) }
        if item.how == "server" { lost.formUnion(old.client.subtracting(new.client)) }
      }
      switch (command.verb, item.did) {
      case ("set", "changed"), ("edit", "changed"):
        for field in command.fields { lost.formUnion(before.words(of: field, item.name)) }
        if hasNewRow { lost.formUnion(old.server.subtracting(new.client)) }
        lost.subtract(command.typed)
      case ("rm", "removed"): lost.formUnion(hasNewRow ? old.client.union(old.server) : old.client)
      case ("undo", _), ("redo", _):
        lost.formUnion(old.client.subtracting(new.client))
        doubled.formUnion(old.born.union(new.born))
      case ("restore", _): lost.formUnion(old.client.subtracting(new.client))
      case ("resolve", "resolved"):
        switch item.how {
        case "client": lost.formUnion(old.lost(isClient: false, isManual: isManual))
        case "server": lost.formUnion(old.lost(isClient: true, isManual: isManual))
        case "both": doubled.formUnion(old.born)
        default: lost.formUnion(old.client.union(old.server).subtracting(new.client))
        }
      case ("mv", _): doubled.formUnion(new.born)
      default: break
      }
    }
    if command.verb == "config", outcome.status == 0 {
      if command.words.last == "manual" {
        manual.insert(after.device.name)
      } else {
        manual.remove(after.device.name)
      }
    }
    if command.words.contains("--discard"), outcome.status == 0 {
      lost.formUnion(before.words.subtracting(after.words))
    }
    for word in lost { live[word] = nil }
    guard outcome.items.contains(where: { ["added", "changed"].contains($0.did) }) else { return }
    for word in command.typed { live[word] = command.words.joined(separator: " ") }
  }

  /// Returns the words of the command that an undo or redo has taken back or done again.
  private func name(ofUndone outcome: Outcome, at device: Device) -> String {
    let number = outcome.document?["undone"] ?? outcome.document?["redone"]
    let log = device.run(["log", "--json"], seed: 0).document?["commands"]?.elements ?? []
    let command = log.compactMap(\.object).first { $0["number"] == number }
    return command?["command"]?.text?.string ?? ""
  }

  /// Reads the rows that a device's command has left, and notes who has written what: after an undo, nothing
  /// that another device has written is overwritten by what stood there before it.
  private func readRows(after device: Device) throws {
    let before = server.rows
    try server.readRows()
    for (table, rows) in server.rows {
      let former = before[table] ?? [:]
      for id in Set(rows.keys).union(former.keys) where rows[id] != former[id] {
        let name = "\(table)/\(id)"
        let did = undone[device.name]?.removeValue(forKey: name)
        var fields = Change(
          from: former[id].map { Item($0) }, to: rows[id].map { Item($0) }
        ).fields.map { ($0.name.string, $0.old, $0.new) }
        if rows[id] == nil { fields = [] }
        let (was, isThere) = (former[id] != nil, rows[id] != nil)
        if was != isThere { fields.append(("", .bool(was), .bool(isThere))) }
        for (field, old, new) in fields {
          let place = "\(name) \(field)"
          let log = written[place] ?? []
          written[place, default: []].append((new, device.name))
          // Another rule decides for the client's or the server's side.
          guard let did, keepsTexts, let last = log.last, last.value == old,
            last.writer != device.name, !log.dropLast().contains(where: { $0.value == old }),
            !unsure.contains(name),
            field.isEmpty
              ? did == (isThere ? "restored" : "removed")
              // What comes back whole has what was pending, too: a person may have chosen an old value.
              : did != "restored" && !typedWords(new?.encoded() ?? []).isEmpty
          else { continue }
          try expect(
            !log.dropLast().contains { $0.value == new }, "undo overwrites nobody",
            "\(place): what \(last.writer) has written became what stood there before it")
        }
      }
    }
  }

  /// No typed text is lost.
  private func checkTexts() throws {
    guard keepsTexts else { return }
    var present = Set(server.words)
    for device in devices { present.formUnion(device.words) }
    for (word, line) in live where !present.contains(word) {
      throw Finding(oracle: "no typed text lost", message: "\(word) is gone, which came by \(line)")
    }
  }

  /// No row is there twice.
  private func checkRows() throws {
    var seen: [Int: String] = [:]
    for (table, rows) in server.rows {
      for (id, row) in rows {
        guard let born = row["born"]?.integer, !doubled.contains(born) else { continue }
        let other = seen.updateValue("\(table)/\(id)", forKey: born)
        try expect(other == nil, "no row twice", "\(table)/\(id) is \(other ?? "") once more")
      }
    }
  }

  /// When everything is mended and resolved, all devices hold what the server holds.
  private func converge() throws {
    log.append("# the end: everything is mended, resolved and exchanged")
    for device in devices { mend(device) }
    for round in 0..<10 {
      for device in devices {
        let seed = plan.seed &+ UInt64(round)
        _ = try give(["pull", "--max-delete", "1000"], at: device, seed: seed)
        if !device.conflicts().isEmpty {
          let side = round % 2 == 0 ? "--client" : "--server"
          _ = try give(["resolve", "-a", side], at: device, seed: seed)
        }
        let push = try give(["push", "--max-delete", "1000"], at: device, seed: seed)
        // What push proposes where a row waits for what it has become, and that isn't here any more.
        if round > 1, push.items.isEmpty, push.status == 3 {
          for name in unsure(at: device) {
            _ = try give(["restore", name], at: device, seed: seed)
          }
        }
        for item in push.items where item.did == "rejected" {
          guard try give(["push", item.name], at: device, seed: seed).status != 0 else { continue }
          _ = try give(["restore", item.name], at: device, seed: seed)
        }
      }
      if difference == nil { break }
    }
    try expect(difference == nil, "devices converge", difference ?? "")
    for device in devices {
      let status = device.run(["status", "--porcelain"], seed: 0)
      let lines = status.lines.filter { !$0.hasPrefix("#") }
      try expect(lines.isEmpty, "devices converge", "\(device.name) has \(lines)")
      let doctor = device.run(["doctor"], seed: 0)
      try expect(doctor.status == 0, "devices converge", "\(device.name): \(doctor.output)")
    }
  }

  /// An item that is another at a device than at the server, or in conflict; `nil` where there is none.
  private var difference: String? {
    for device in devices {
      if let name = device.conflicts().keys.first {
        return "\(device.name) has a conflict, \(name)"
      }
      let files = device.files()
      for (table, rows) in server.rows {
        let here = Dictionary(
          files.filter { $0.table == table }.map { ($0.id, $0.item) }, uniquingKeysWith: { $1 })
        for id in Set(rows.keys).union(here.keys) where here[id] != .some(rows[id]) {
          return "\(table)/\(id) is another at \(device.name) than at the server"
        }
      }
    }
    return nil
  }

  /// Gives a command line in the end, and looks whether all texts are there.
  private func give(_ words: [String], at device: Device, seed: UInt64) throws -> Outcome {
    let (before, rows) = (Sight(device), server.rows)
    let outcome = run(words + ["--json"], at: device, seed: seed)
    try readRows(after: device)
    settle(CommandLine(words: words), before, Sight(device), rows, outcome)
    device.readWords()
    try checkTexts()
    try checkRows()
    return outcome
  }

  /// Puts right by hand what was moved and broken.
  private func mend(_ device: Device) {
    let status = device.run(["status", "--json"], seed: 0)
    let items = status.document?["items"]?.elements ?? []
    for case .object(let item) in items where item["state"]?.text == "invalid" {
      guard let place = item["path"]?.text?.string else { continue }
      let path = "\(device.path)/.todosync/\(place.replacing(".todosync/", with: ""))"
      guard let file = device.files().first(where: { "\(device.path)/\($0.path)" == path }) else {
        continue
      }
      let work: HandWork
      if let object = (try? JSON(parsing: file.bytes))?.object,
        let name = object["id"]?.text.flatMap({ fileName(of: $0.string) }),
        Files.read("\(device.path)/.todosync/items/\(file.table)/\(name)") == nil
      {
        work = HandWork(device, file.path, movedTo: ".todosync/items/\(file.table)/\(name)")
      } else {
        let words = typedWords(file.bytes).sorted().map(String.init).joined(separator: " ")
        work = HandWork(
          device, file.path,
          to: JSON.object(JSONObject([.init(name: "text", value: .string(words))])).encoded())
      }
      apply(work, at: device)
    }
  }
}

/// What lies at a device at one moment.
struct Sight {
  /// One item: its words here and in its conflict, those of the server's side, and its number.
  struct Item {
    var client: Set<Int> = []
    var server: Set<Int> = []
    var born: Set<Int> = []
    /// What may be the client's side: the file and the copy in the conflict; `nil` where deleted.
    var clientSides: [JSONObject?] = []
    /// The other two sides of the conflict; `nil` where deleted, or absent.
    var serverSide: JSONObject?
    var base: JSONObject?

    /// The words that a side loses where the other one wins in the fields in conflict.
    func lost(isClient: Bool, isManual: Bool) -> Set<Int> {
      var words: Set<Int> = []
      for client in clientSides {
        let (loser, winner) = isClient ? (client, serverSide) : (serverSide, client)
        for member in loser?.members ?? [] where winner?[member.name] != member.value {
          // What only the loser has changed is merged.
          if !isManual, let winner, let base, winner[member.name] == base[member.name] { continue }
          words.formUnion(typedWords(member.value.encoded()))
        }
      }
      return words
    }
  }

  /// Where it lies.
  let device: Device
  private let files: [ItemFile]
  private let conflicts: [String: Item]

  /// Looks.
  init(_ device: Device) {
    self.device = device
    files = device.files()
    conflicts = device.conflicts()
  }

  /// An item by its name, table/id.
  func item(_ name: String) -> Item {
    var item = conflicts[name] ?? Item()
    // Whoever has removed the file has decided so.
    if !files.contains(where: { $0.reference == name }) { item.clientSides.append(nil) }
    for file in files where file.reference == name {
      item.client.formUnion(typedWords(file.bytes))
      item.clientSides.append(file.item)
      if let born = file.item?["born"]?.integer { item.born.insert(born) }
    }
    return item
  }

  /// The words in a field of an item's file.
  func words(of field: String, _ name: String) -> Set<Int> {
    guard let file = files.first(where: { $0.reference == name }),
      let value = file.item?[Text(field)]
    else { return [] }
    return typedWords(value.encoded())
  }

  /// All words here.
  var words: Set<Int> {
    var words: Set<Int> = []
    for file in files { words.formUnion(typedWords(file.bytes)) }
    for conflict in conflicts.values { words.formUnion(conflict.client.union(conflict.server)) }
    return words
  }
}
