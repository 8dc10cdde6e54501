import SyncModel
import TestSupport

extension Outcome {
  /// What was done to one item.
  struct Item {
    var table: String
    var id: String
    var did: String
    var how: String?
    /// Whether it had been done before.
    var isFound = false
    /// Its name on a command line.
    var name: String { "\(table)/\(id)" }
  }

  /// What was done, item by item; that of a pull first, then that of a push.
  var items: [Item] { document.map(Self.items) ?? [] }

  /// What the pull of a sync came to.
  var pull: Outcome {
    let part = document?["pull"].map { String(decoding: $0.encoded(), as: UTF8.self) } ?? ""
    return Outcome(status: status, output: part, error: error)
  }

  private static func items(of document: JSONObject) -> [Item] {
    let parts = ["pull", "push"].compactMap { document[Text($0)]?.object }
    let own = (document["items"]?.elements ?? []).compactMap(\.object).map { item in
      func text(_ name: Text) -> String? { item[name]?.text?.string }
      return Item(
        table: text("table") ?? "", id: text("id") ?? "", did: text("did") ?? "", how: text("how"),
        isFound: item["alreadyThere"] == true)
    }
    return own + parts.flatMap(items)
  }
}

extension Line.Fault {
  /// Whether the device dies of it.
  var isDeath: Bool { self == .killedBefore || self == .killedAfter }
}

extension Server {
  /// The words that were typed and lie in rows.
  var words: Set<Int> {
    var words: Set<Int> = []
    for rows in rows.values {
      for row in rows.values { words.formUnion(typedWords(JSON.object(row).encoded())) }
    }
    return words
  }
}

extension History {
  /// The exit status is one that the command's page knows, and says what the items say.
  func checkStatus(_ outcome: Outcome, of command: CommandLine) throws {
    guard let status = outcome.status else { return }
    let page = Pages.statuses(of: command.verb == "redo" ? "undo" : command.verb)
    let pushed = command.words.contains("--push") ? Pages.statuses(of: "push") : []
    try expect(
      page.contains(status) || pushed.contains(status), "exit status",
      "\(status) isn't in the table of tsync-\(command.verb)(1)")
    let words = Set(outcome.items.map(\.did))
    if !outcome.isDisturbed {
      try expect(
        ![4, 7, 8].contains(status) && (status != 5 || words.contains("unknown")), "exit status",
        "\(status), and nothing was in the way: \(outcome.error)")
    }
    guard ["push", "pull", "sync"].contains(command.verb) else { return }
    func says(_ word: String, _ statuses: [Int32]) throws {
      guard words.contains(word) else { return }
      try expect(statuses.contains(status), "exit status", "\(status), with an item \(word)")
    }
    let graver: [Int32] = [8, 6, 4, 7, 5]
    try says("unknown", graver)
    try says("rejected", graver + [3])
    try says("held", graver + [3])
    try says("conflict", graver + [3, 1])
    guard command.verb == "push", status == 1 else { return }
    try expect(words.contains("conflict"), "exit status", "1, without a conflict")
  }

  /// What a rehearsal said is what the command did.
  func check(
    _ foretold: Outcome, foretells outcome: Outcome, of command: CommandLine,
    but unsure: Set<String>
  ) throws {
    let oracle = "-n foretells"
    if command.verb == "push" {
      // Which rows there are, of which files have vanished, is known once all outcomes are.
      let isSure = foretold.status != 6 || outcome.status == 6 || !unsure.isEmpty
      try expect(isSure, oracle, "push: a stop that didn't come")
      guard foretold.status != 6, outcome.status != 6 else { return }
      func names(_ outcome: Outcome, _ words: String...) -> Set<String> {
        Set(outcome.items.filter { words.isEmpty || words.contains($0.did) }.map(\.name))
      }
      let others = names(foretold).symmetricDifference(names(outcome)).subtracting(unsure)
      try expect(others.isEmpty, oracle, "push: \(others.sorted())")
      let deleted = names(outcome, "deleted").subtracting(names(foretold, "would delete"))
      return try expect(
        deleted.isSubset(of: unsure), oracle, "push deleted \(deleted.sorted())")
    }
    // A rehearsal applies no rows that wait, and looks at the tables behind the one that stops a pull.
    guard !outcome.error.contains("applied rows that had been waiting") else { return }
    guard foretold.document?["error"] == nil || outcome.document?["error"] == nil else { return }
    let isSync = command.verb == "sync"
    let (foretold, outcome) = isSync ? (foretold.pull, outcome.pull) : (foretold, outcome)
    let said = foretold.items.map { "\(Self.done(by: $0.did)) \($0.name) \($0.how ?? "")" }
    // What resolve brings back where an item is given up that another one had become isn't foretold.
    let items = outcome.items.filter { command.verb != "resolve" || $0.did != "restored" }
    let done = items.map { "\($0.did) \($0.name) \($0.how ?? "")" }
    try expect(said == done, oracle, "\(said) and then \(done)")
    guard !isSync else { return }
    try expect(
      foretold.status == outcome.status, oracle,
      "status \(foretold.status ?? -1) and then \(outcome.status ?? -1)")
  }

  /// The items of which no push can be foretold: the outcome of their last write is unknown, or may be
  /// behind a file that isn't valid now; or their rows wait for what they have become.
  func unsure(at device: Device) -> Set<String> {
    let items = device.run(["status", "--json"], seed: 0).document?["items"]?.elements ?? []
    return Set(
      items.compactMap(\.object).filter { item in
        item["state"]?.text == "unknown" || item["state"]?.text == "invalid"
          || item["successor"] != nil
      }.map { "\($0["table"]?.text?.string ?? "")/\($0["id"]?.text?.string ?? "")" })
  }

  /// What was done, of what would be done.
  private static func done(by words: String) -> String {
    guard words.hasPrefix("would ") else { return words }
    let verb = String(words.dropFirst(6))
    let others = [
      "conflict": "conflict", "hold": "held", "keep": "kept", "drop": "dropped", "add": "new",
      "be new": "new",
    ]
    return others[verb] ?? (verb.hasSuffix("e") ? "\(verb)d" : "\(verb)ed")
  }

  /// The lines say what the document says.
  func check(_ told: Outcome, says outcome: Outcome) throws {
    let oracle = "JSON agrees"
    try expect(
      told.status == outcome.status, oracle,
      "status \(told.status ?? -1), and with --json \(outcome.status ?? -1)")
    let schema = outcome.document?["schema"]?.text?.string ?? ""
    var items = outcome.items
    func count(_ member: Text, _ lines: [String]) throws {
      let count = outcome.document?[member]?.elements?.count
      try expect(count == lines.count, oracle, "\(schema): \(count ?? -1) and \(lines)")
    }
    switch schema {
    case "tsync.list/1": return try count("items", told.lines)
    case "tsync.journal/1": return try count("operations", told.lines)
    case "tsync.status/1":
      // The form for people has headings.
      guard told.output.hasPrefix("#") else { return }
      return try count("items", told.lines.filter { !$0.hasPrefix("#") })
    case "tsync.pull/1": items = items.filter { !["new", "changed"].contains($0.did) }
    case "tsync.new/1", "tsync.set/1", "tsync.edit/1", "tsync.done/1", "tsync.rm/1", "tsync.mv/1",
      "tsync.restore/1", "tsync.resolve/1", "tsync.push/1":
      break
    // These are told in another form, or by their failure alone.
    default: return
    }
    // The line may break at another request.
    guard outcome.document?["error"] == nil else { return }
    // What each of several pushes did is told in lines, and in the document once.
    guard outcome.document?["push"] == nil else { return }
    // Where nothing is done for any, one line may say so.
    guard !items.isEmpty || told.lines != ["nothing changed"] else { return }
    try expect(items.count == told.lines.count, oracle, "\(items.count) items and \(told.lines)")
    // What waits is in the order in which files were saved, and the model has put them back between.
    var lines = told.lines
    // An id of hexadecimal digits may be cut short in a line: those lines are what is left.
    func isShort(_ id: String) -> Bool {
      id.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 || $0 == 0x2D }
    }
    // One id may be part of another: the longest first.
    let longest = items.sorted { $0.id.utf8.count > $1.id.utf8.count }
    for item in longest.filter({ !isShort($0.id) }) + longest.filter({ isShort($0.id) }) {
      let index = lines.firstIndex { line in
        line.hasPrefix("\(item.did) ") && (isShort(item.id) || line.contains(item.id))
      }
      try expect(index != nil, oracle, "\(item.did) \(item.name), and \(told.lines)")
      if let index { lines.remove(at: index) }
    }
  }

  /// Once an exchange has gone well, both sides hold the same.
  func checkExchange(_ command: CommandLine, at device: Device, _ outcome: Outcome) throws {
    guard ["push", "pull", "sync"].contains(command.verb) else { return }
    let isWhole =
      outcome.status == 0
      && !command.words.dropFirst().contains {
        $0 == "-t" || !$0.hasPrefix("-") && $0 != "9"
      }
    let files = Dictionary(
      device.files().map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
    // A failure may have come between two writes of an item.
    let hasFailed = outcome.document?["error"] != nil
    let sent = command.verb == "pull" || hasFailed ? [] : outcome.items
    for item in sent where ["created", "updated", "undeleted"].contains(item.did) {
      guard sent.last(where: { $0.name == item.name })?.did == item.did else { continue }
      // The file may have been moved or broken since that was sent.
      guard let file = files[item.name]?.item else { continue }
      let row = try server.row(item.table, item.id)
      try expect(row == file, "pushed", "\(item.name) is another there")
    }
    for item in sent where item.did == "deleted" && files[item.name] == nil {
      try expect(
        try server.row(item.table, item.id) == nil, "pushed", "\(item.name) is still there")
    }
    guard isWhole else { return }
    let status = device.run(["status", "--porcelain"], seed: 0)
    let lines = status.lines.filter { !$0.hasPrefix("#") }
    if command.verb != "pull" {
      try expect(lines.isEmpty, "all is exchanged", "\(lines)")
    }
    guard command.verb != "push" else { return }
    let pending = Set(
      lines.compactMap { line in
        line.split(separator: " ").dropFirst(2).first.map(String.init)
      })
    var names = Set(files.keys)
    for (table, rows) in server.rows { names.formUnion(rows.keys.map { "\(table)/\($0)" }) }
    for name in names.sorted() where !pending.contains(Self.escaped(name)) {
      let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
      let row = try server.row(parts[0], parts[1])
      try expect(row == files[name]?.item, "all is exchanged", "\(name) isn't what the server has")
    }
  }

  /// A name as status --porcelain writes it.
  private static func escaped(_ name: String) -> String {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard let file = fileName(of: parts[1]) else { return name }
    return "\(parts[0])/\(file.dropLast(5))"
  }

  /// What status calls pending is what push would send.
  func checkPending(at device: Device) throws {
    let oracle = "status agrees with push -n"
    let status = device.run(["status", "--json"], seed: 0)
    let push = device.run(["push", "-n", "--json"], seed: 0)
    guard let document = status.document else {
      throw Finding(oracle: "JSON agrees", message: "no document: \(status.output)")
    }
    // What waits comes first in a push.
    guard push.status != 6, !status.error.contains("newer row"),
      !status.error.contains("the server has deleted")
    else { return }
    // So can what is held, and an edit whose delete waits for a safety stop.
    let held = Set(
      push.items.filter { $0.did == "would hold" || $0.did.hasSuffix("conflict") }.map(\.name))
    let letters = ["A": "would create", "M": "would update", "D": "would delete"]
    var (pending, unsure): (Set<String>, Set<String>) = ([], [])
    for item in (document["items"]?.elements ?? []).compactMap(\.object) {
      let name = "\(item["table"]?.text?.string ?? "")/\(item["id"]?.text?.string ?? "")"
      guard item["state"]?.text == "pending", item["successor"] == nil, item["stray"] == nil,
        !held.contains(name)
      else {
        unsure.insert(name)
        continue
      }
      let letter = item["here"]?.text?.string.filter { $0 != " " } ?? ""
      pending.insert("\(letters[letter] ?? letter) \(name)")
    }
    let listed = Set(
      push.items.filter { !unsure.contains($0.name) && $0.did.hasPrefix("would") }.map {
        "\($0.did.replacing("undelete", with: "create")) \($0.name)"
      })
    try expect(
      pending == listed, oracle, "\(pending.symmetricDifference(listed).sorted())")
  }
}

/// The exit statuses of the pages.
enum Pages {
  private static let directory = #filePath.replacing(
    "Tests/CommandModel/Oracles.swift", with: "man")

  /// The statuses that a command's page knows.
  static func statuses(of command: String) -> Set<Int32> { known[command] ?? [] }

  private static let known: [String: Set<Int32>] = {
    var known: [String: Set<Int32>] = [:]
    for name in Files.names(in: directory) where name.hasPrefix("tsync-") && name.hasSuffix(".1") {
      let text = String(decoding: Files.read("\(directory)/\(name)") ?? [], as: UTF8.self)
      let section = text.split(separator: "\n").drop { !$0.hasPrefix(".Sh EXIT STATUS") }
        .dropFirst()
        .prefix { !$0.hasPrefix(".Sh") }
      let statuses = section.filter { $0.hasPrefix(".It ") }.flatMap { line in
        line.split { !$0.isNumber }.compactMap { Int32($0) }
      }
      known[String(name.dropFirst(6).dropLast(2))] = Set(statuses)
    }
    return known
  }()
}
