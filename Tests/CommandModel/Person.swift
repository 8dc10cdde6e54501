import Commands
import Glibc
import SyncModel
import TestSupport

/// A command line that a person types, and what they mean by it.
struct CommandLine {
  /// The command's name and its arguments.
  var words: [String]
  /// The fields that it sets.
  var fields: [String] = []
  /// What was typed in it.
  var typed: Set<Int> = []
  /// Whether it takes back a pull, so that the former values go to the server.
  var isOfPull = false
  /// The program that it runs: the editor, or a tool for conflicts; it gives a status.
  var program: ((Program) -> Int32)?

  /// The command's name.
  var verb: String { words[0] }
  /// Whether it asks the server.
  var isRemote: Bool {
    ["push", "pull", "sync"].contains(verb) || words.contains("--push")
  }
  /// Whether it only looks.
  var isLooking: Bool { ["list", "diff", "show", "status", "journal"].contains(verb) }
  /// Whether there is a form of it that only says what it would do.
  var canBeRehearsed: Bool {
    ["rm", "restore", "resolve", "push", "pull", "sync"].contains(verb)
      && !words.contains("--push") && !words.contains("--tool")
  }
}

/// A person at a device in one step, who draws what to do.
struct Person {
  /// The ids that people choose; few, so that devices choose the same.
  static let ids = (1...9).map { "i\($0)" } + ["Upper", "upper", "with blank", "größe", "a.b"]
  /// The tables.
  static let tables = ["todoitem", "note"]
  /// The fields that people write.
  static let fields = ["text", "text", "text", "notes", "count", "tags", "due"]

  /// The device.
  let device: Device
  /// What the person draws from.
  var random: SplitMix64
  /// The numbers of what is typed next, and of the item that is made next.
  private var word: Int
  private var born: Int

  /// Puts a person at a device.
  init(at device: Device, in step: Plan.Step) {
    self.device = device
    random = SplitMix64(seed: step.seed ^ 0x5EED)
    word = 4_000_000 + step.number * 1_000
    born = 1_000 * (step.number + 1)
  }

  private mutating func pick<Element>(_ from: [Element]) -> Element {
    from[random.below(from.count)]
  }

  /// Something new to type.
  private mutating func newWord() -> Int {
    word += 1
    return word
  }

  /// A value of a field, as JSON.
  mutating func value(of field: String) -> JSON {
    let word = newWord()
    switch random.below(field == "text" ? 3 : 9) {
    case 0, 1, 8: return .string("say \(word)")
    case 2: return .string("line one\nline \(word)\n")
    case 3: return .integer(word)
    case 4: return .array([.string("\(word)"), .bool(true), .null, .integer(-1)])
    case 5: return .object(JSONObject([.init(name: "in", value: .array([.integer(word)]))]))
    case 6: return .string("ü\u{1F600} \"\\ \u{1} \(word)")
    default:
      return pick([.null, .bool(false), .integer(0), .string("")])
    }
  }

  /// An item as somebody writes it by hand.
  mutating func newItem(id: String?) -> JSONObject {
    var item = JSONObject()
    if let id { item.append("id", .string(id)) }
    item.append("text", value(of: "text"))
    if random.once(in: 2) { item.append("notes", value(of: "notes")) }
    item.append("born", newBorn())
    return item
  }

  /// The number of an item that is made.
  mutating func newBorn() -> JSON {
    born += 1
    return .integer(born)
  }

  /// A word for an item: mostly one that is there.
  private mutating func reference() -> String {
    let files = device.files()
    guard !files.isEmpty, !random.once(in: 8) else {
      return random.once(in: 4) ? pick(Self.ids) : "\(pick(Self.tables))/\(pick(Self.ids))"
    }
    let file = pick(files)
    switch random.below(10) {
    case 0: return file.id
    case 1: return file.path
    case 2: return String(file.id.prefix(4))
    case 3: return ":/\(typedWords(file.bytes).min().map(String.init) ?? "say")"
    default: return file.reference
    }
  }

  /// A word for an item that may have been removed.
  private mutating func removed() -> [String] {
    let here = Set(device.files().map(\.reference))
    let gone = Self.tables.flatMap { table in Self.ids.map { "\(table)/\($0)" } }
      .filter { !here.contains($0) }
    return random.once(in: 2) ? references() : [pick(gone)]
  }

  private mutating func references() -> [String] {
    (0..<pick([1, 1, 1, 2, 3])).map { _ in reference() }
  }

  /// A word that chooses items by what they say.
  private mutating func filter() -> String {
    pick([
      "text.has=40\(random.below(7))", "text.has=line", "notes.has=say", "complete=true",
      "born.lt=\(1_000 * random.below(60))",
    ])
  }

  private mutating func table() -> [String] {
    random.once(in: 8) ? ["-t", pick(Self.tables)] : []
  }

  /// Draws a command line.
  mutating func command() -> CommandLine {
    switch random.below(100) {
    case 0..<9: return new()
    case 9..<21: return set()
    case 21..<24:
      return CommandLine(words: ["done"] + (random.once(in: 3) ? ["-u"] : []) + references())
    case 24..<28: return edit()
    case 28..<34:
      let choice = random.once(in: 4) ? ["-y", filter()] : references()
      return CommandLine(words: ["rm"] + table() + choice)
    case 34..<36:
      return CommandLine(words: ["mv", reference(), pick(Self.ids + ["n\(born)"])])
    case 36..<41:
      let choice =
        random.once(in: 4) ? ["-a"] : random.once(in: 4) ? ["-y", filter()] : removed()
      return CommandLine(words: ["restore"] + table() + choice)
    case 41:
      return CommandLine(words: ["purge"] + (random.once(in: 3) ? ["--discard"] : []) + table())
    case 42..<52: return resolve()
    case 52..<66:
      let named = random.once(in: 6) ? references() : []
      let limit = random.once(in: 4) ? ["--max-delete", "9"] : []
      return CommandLine(words: ["push"] + table() + limit + named)
    case 66..<79:
      let full = random.once(in: 8) ? ["--full"] : []
      let limit = random.once(in: 4) ? ["--max-delete", "9"] : []
      return CommandLine(words: ["pull"] + table() + full + limit)
    case 79..<84: return CommandLine(words: ["sync"] + table())
    case 84: return CommandLine(words: ["config", "merge", pick(["fields", "manual"])])
    case 85: return CommandLine(words: ["remote", "set", pick(device.addresses)])
    case 86: return CommandLine(words: ["doctor", "--fix"])
    case 87..<89: return CommandLine(words: ["list", "-a"] + table())
    case 89: return undo()
    case 90:
      return CommandLine(words: ["diff"] + pick([[], ["--server"], ["--conflict"], ["-p"]]))
    case 91..<94: return CommandLine(words: ["show"] + references())
    case 94: return CommandLine(words: ["journal"])
    case 95..<97: return CommandLine(words: ["undo"])
    case 97: return CommandLine(words: ["redo"])
    default: return CommandLine(words: ["status"] + pick([[], ["-s"], ["--porcelain"]]))
    }
  }

  /// Takes back a command by its number.
  private mutating func undo() -> CommandLine {
    let log = device.run(["log", "--limit", "12", "--json"], seed: 0).document
    let commands = (log?["commands"]?.elements ?? []).compactMap(\.object)
    guard !commands.isEmpty else { return CommandLine(words: ["undo"]) }
    let command = pick(commands)
    var line = CommandLine(words: ["undo", "\(command["number"]?.integer ?? 0)"])
    let name = command["command"]?.text?.string ?? ""
    line.isOfPull = name.hasPrefix("pull") || name.hasPrefix("clone")
    return line
  }

  private mutating func new() -> CommandLine {
    var words = ["new"] + (random.once(in: 2) ? ["-t", pick(Self.tables)] : [])
    if !random.once(in: 4) { words += ["-s", "id=\(pick(Self.ids))"] }
    words += ["-s", "born:=\(text(newBorn()))"]
    if random.once(in: 2) { words += ["-s", "notes:=\(text(value(of: "notes")))"] }
    words.append("say \(newWord())")
    return CommandLine(words: words, typed: typedWords(Array(words.joined(separator: " ").utf8)))
  }

  private mutating func set() -> CommandLine {
    let field = pick(Self.fields)
    let value = value(of: field)
    let words = typedWords(value.encoded())
    var line = CommandLine(
      words: ["set"] + table() + (random.once(in: 6) ? ["-y", "--where", filter()] : references()),
      fields: [field], typed: words)
    if random.once(in: 5) {
      line.typed = []
      line.words += ["--unset", field]
    } else {
      line.words.append("\(field):=\(text(value))")
    }
    return line
  }

  private mutating func edit() -> CommandLine {
    let field = pick(Self.fields)
    let value = value(of: field)
    let reference = reference()
    let fails = random.once(in: 6)
    return CommandLine(
      words: ["edit", reference], fields: [field], typed: fails ? [] : typedWords(value.encoded())
    ) { program in
      guard let path = program.arguments.last, let bytes = Files.read(path),
        var item = (try? JSON(parsing: bytes))?.object, !fails
      else { return 1 }
      item[Text(field)] = value
      Files.write(JSON.object(item).encoded(.indented()), to: path)
      return 0
    }
  }

  private mutating func resolve() -> CommandLine {
    var line = CommandLine(words: ["resolve"])
    let open = device.conflicts().keys.sorted()
    let named = open.isEmpty || random.once(in: 4) ? references() : [pick(open)]
    let all = random.once(in: 2) ? ["-a"] : named
    switch random.below(7) {
    case 0, 1: line.words += ["--client"] + all
    case 2, 3: line.words += ["--server"] + all
    case 4: line.words += ["--both"] + all
    case 5: line.words += ["-f", "\(pick(Self.fields))=\(pick(["client", "server"]))"] + all
    default:
      line.words += ["--tool", "merge"] + all
      line.program = Self.takeClient
    }
    if random.once(in: 4) { line.words.append("--push") }
    return line
  }

  /// Takes the client's side in the merged document, as an editor's user would.
  private static func takeClient(_ program: Program) -> Int32 {
    guard let path = program.environment["RESULT"], let bytes = Files.read(path) else { return 1 }
    var (isDropping, kept): (Bool, [Substring]) = (false, [])
    for line in String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("|||") { isDropping = true }
      if !isDropping, !line.hasPrefix("<<<") { kept.append(line) }
      if line.hasPrefix(">>>") { isDropping = false }
    }
    Files.write(Array(kept.joined(separator: "\n").utf8), to: path)
    return 0
  }

  private func text(_ value: JSON) -> String { String(decoding: value.encoded(), as: UTF8.self) }

  /// Does something to the files by hand, and says what; `nil` where there is nothing to do it to.
  mutating func workByHand(isMessy: Bool) -> HandWork? {
    let files = device.files()
    let isNew = files.isEmpty || random.once(in: 4)
    if isNew {
      let id = pick(Self.ids)
      guard let name = fileName(of: id) else { return nil }
      let path = ".todosync/items/\(pick(Self.tables))/\(name)"
      let before = Files.read("\(device.path)/\(path)")
      guard before == nil else { return nil }
      let item = newItem(id: random.once(in: 2) ? id : nil)
      return HandWork(device, path, to: JSON.object(item).encoded(.indented()))
    }
    let file = pick(files)
    switch random.below(isMessy ? 8 : 6) {
    case 0: return HandWork(device, file.path, to: nil)
    case 6: return HandWork(device, file.path, to: Array(file.bytes.dropLast(2 + random.below(3))))
    case 7:
      let path = file.path.replacing(".json", with: "-moved.json")
      guard Files.read("\(device.path)/\(path)") == nil else { return nil }
      return HandWork(device, file.path, movedTo: path)
    default:
      guard var item = (try? JSON(parsing: file.bytes))?.object, item.duplicate == nil else {
        return nil
      }
      let field = pick(Self.fields)
      item[Text(field)] = random.once(in: 5) ? nil : value(of: field)
      return HandWork(
        device, file.path,
        to: JSON.object(item).encoded(random.once(in: 2) ? .indented() : .compact))
    }
  }
}

/// What a person does to a file without tsync.
struct HandWork {
  /// The file, what it holds then, and where it goes.
  let path: String
  let bytes: [UInt8]?
  let target: String?
  /// What was given up by it, and what was typed.
  let lost: Set<Int>
  let typed: Set<Int>

  init(_ device: Device, _ path: String, to bytes: [UInt8]?) {
    self.path = path
    self.bytes = bytes
    target = nil
    let before = typedWords(Files.read("\(device.path)/\(path)") ?? [])
    let after = typedWords(bytes ?? [])
    lost = before.subtracting(after)
    typed = after.subtracting(before)
  }

  init(_ device: Device, _ path: String, movedTo target: String) {
    self.path = path
    self.target = target
    (bytes, lost, typed) = (nil, [], [])
  }

  /// The number of the item whose file is moved; `nil` where the file says its id, which it keeps.
  func newBorn(at device: Device) -> Int? {
    let item = Files.read("\(device.path)/\(path)").flatMap { try? JSON(parsing: $0) }?.object
    return item?["id"] == nil ? item?["born"]?.integer : nil
  }

  /// Does it.
  func apply(to device: Device) {
    let full = "\(device.path)/\(path)"
    if let target {
      rename(full, "\(device.path)/\(target)")
    } else if let bytes {
      Files.write(bytes, to: full)
    } else {
      unlink(full)
    }
  }

  /// A line that says it.
  var line: String {
    if let target { return "mv '\(path)' '\(target)'" }
    guard let bytes else { return "rm '\(path)'" }
    return "cat > '\(path)' <<'E'\n\(String(decoding: bytes, as: UTF8.self))\nE"
  }
}
