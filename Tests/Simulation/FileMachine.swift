import SyncEngine
import SyncModel
import TestSupport
import Workspace

/// A machine with a real workspace, whose system calls a file system in memory answers: a program
/// can be killed, and the power lost, between any two calls.
class FileMachine: Machine {
  /// Whether names can be swapped in one call.
  class var swapsNames: Bool { true }

  private static let path = "/sim"
  private static let table = "todoitem"

  private var files = SimulatedFiles()
  private var saved: SimulatedFiles?
  private(set) var counts: [String: Int] = [:]
  private var commands = 0
  /// Whether a command has opened the workspace.
  private var isOpen = false

  required init(number: Int) throws {
    files.swapsNames = Self.swapsNames
    let tables = [try TableName(Text(Self.table))]
    try files.mounted {
      try Workspace.make(
        at: Self.path, settings: SettingsFile(place: "config.json", text: nil),
        state: WorkspaceState(), tables: tables)
    }
  }

  var user: FileUser {
    get { FileUser(files: files) }
    set {}
  }

  var call: String { files.call }

  func run(
    step: @escaping (inout FileUser) throws -> Void, _ body: (inout Workspace) throws -> Void
  ) throws {
    // Some commands follow at once upon what was saved, so that stamps alone don't tell.
    commands += 1
    if commands % 3 != 0 { files.wait(3_000_000_000) }
    let files = files
    files.beforeStep = {
      var user = FileUser(files: files)
      try step(&user)
    }
    files.tearsNext = commands % 2 == 0
    defer {
      isOpen = false
      files.beforeStep = nil
      files.endProcess()
    }
    try files.mounted {
      var workspace = try Workspace(
        at: Self.path, for: .writing(command: "sync", patience: 0),
        boot: files.boot, clock: { files.now })
      for notice in workspace.notices { count(notice) }
      isOpen = true
      do {
        try body(&workspace)
      } catch {
        _ = try? workspace.finish("sync")
        throw error
      }
      try workspace.finish("sync")
    }
  }

  private func count(_ notice: String) {
    for (words, name) in [
      ("that a crash left", "torn tail"), ("restored the text", "leftover put back"),
      ("an interrupted command left", "leftover kept"),
      ("is missing: a pull", "journal missing"),
    ] where notice.contains(words) {
      count(rare: name)
    }
  }

  private func count(rare name: String) { counts[name, default: 0] += 1 }

  func meanwhile(_ body: (inout FileUser) -> Void) {
    var user = FileUser(files: files)
    body(&user)
  }

  func refusesSecondProcess() -> Bool? {
    let files = files
    guard files.node(-1, ".todosync/lock")?.holder != nil else { return isOpen ? false : nil }
    let hook = files.beforeStep
    files.beforeStep = nil
    defer { files.beforeStep = hook }
    do {
      let other = try Workspace(
        at: Self.path, for: .writing(command: "other", patience: 0), clock: { files.now })
      return !other.isWriting
    } catch {
      guard case WorkspaceError.locked = error else { return nil }
      return true
    }
  }

  func look<Result>(_ body: (Workspace) throws -> Result) throws -> Result {
    let files = files
    return try files.mounted {
      try body(
        try Workspace(at: Self.path, for: .reading, boot: files.boot, clock: { files.now }))
    }
  }

  func losePower(_ random: inout SplitMix64) { files.losePower(&random) }

  var hasLostWrites: Bool { files.hasLostWrites }

  var unsafeTexts: [[UInt8]] { files.unsafeTexts }

  var leftovers: [[UInt8]] {
    // What lies in a directory of first items are rows of the server's.
    files.texts(below: ".todosync/trash").filter {
      $0.path.contains("/.tmp-") && $0.path.split(separator: "/").count == 3
    }.map(\.bytes)
  }

  var kept: [[UInt8]] {
    ["trash", "quarantine", "conflicts"].flatMap { files.texts(below: ".todosync/\($0)") }
      .map(\.bytes)
  }

  func findings() -> [String] {
    // To read everything after each command would take most of the time.
    guard commands % 5 == 0 else { return [] }
    do {
      return try examine() + look(unsound) + staleIndex()
    } catch {
      return ["\(error)"]
    }
  }

  private func examine() throws -> [String] {
    let files = files
    return try files.mounted { try Workspace.examine(at: Self.path, clock: { files.now }) }
      .faults.map { "\($0.place): \($0.fact)" }
  }

  /// Says which open writes there mustn't be.
  private func unsound(_ workspace: Workspace) throws -> [String] {
    try workspace.attempts(in: TableName(Text(Self.table))).flatMap { attempt in
      let isGuarded = (attempt.kind == .insert) == (attempt.version == nil)
      return
        (isGuarded && (attempt.kind == .delete || attempt.item != nil)
        ? [] : ["the open write of \(attempt.key) may not be sent"])
        + (try workspace.isInConflict(attempt.key)
          ? ["\(attempt.key) is in conflict, and a write of it is open"] : [])
    }
  }

  /// Says whether the index knows something else than the files say.
  private func staleIndex() throws -> [String] {
    let table = try TableName(Text(Self.table))
    func seen(_ workspace: Workspace) throws -> ([Candidate], [ItemID], DeltaToken?) {
      (
        try workspace.candidates(in: table), try workspace.liveIDs(in: table).sorted(),
        try workspace.token(of: Feed(table))
      )
    }
    let known = try look(seen)
    let bare = files.copy()
    bare.save(nil, ".todosync/index", inPlace: false)
    let truth = try bare.mounted {
      try seen(
        try Workspace(at: Self.path, for: .reading, boot: bare.boot, clock: { bare.now }))
    }
    return known == truth ? [] : ["the index does not match the files"]
  }

  static func mend(_ work: inout Workspace) throws { try work.mend([try TableName(Text(table))]) }

  func mend() -> [String] {
    let files = files
    defer { files.endProcess() }
    do {
      try files.mounted {
        _ = try Workspace.mendFiles(at: Self.path, command: "doctor", clock: { files.now })
        var workspace = try Workspace(
          at: Self.path, for: .writing(command: "doctor", patience: 0), boot: files.boot,
          clock: { files.now })
        try Self.mend(&workspace)
        try workspace.finish("doctor")
      }
      return try examine() + look(unsound) + staleIndex()
    } catch {
      return ["\(error)"]
    }
  }

  static func discard(_ key: ItemKey, on work: inout Work) throws {
    guard case .invalid(let invalid) = try work.client(key) else { return }
    _ = try work.discard(invalid, of: key, in: key.table)
  }

  func snapshot() { saved = files.copy() }

  func rollBack() -> Bool {
    guard let saved else { return false }
    files = saved.copy()
    return true
  }

  func loseJournal() { files.save(nil, ".todosync/journal/\(Self.table).jsonl", inPlace: false) }

  func loseIndex() {
    for name in ["index"] { files.save(nil, ".todosync/\(name)", inPlace: false) }
  }

  func gitClone() {
    for name in ["journal", "conflicts", "index", "state.json"] {
      files.save(nil, ".todosync/\(name)", inPlace: false)
    }
  }
}

/// A machine whose file system can't swap names in one call, as NFS.
final class PlainMachine: FileMachine {
  override class var swapsNames: Bool { false }
}

/// What the user of a ``FileMachine`` does.
struct FileUser: Hands {
  let files: SimulatedFiles

  private static let items = ".todosync/items/todoitem"
  private static let conflicts = ".todosync/conflicts/todoitem"
  private static let clientSide = ".client.json"

  var items: [ItemKey] { keys(below: Self.items, ".json") }
  var laidSides: [ItemKey] { keys(below: Self.conflicts, Self.clientSide) }

  private func keys(below path: String, _ suffix: String) -> [ItemKey] {
    guard let table = try? TableName("todoitem"), let directory = files.node(-1, path) else {
      return []
    }
    return directory.entries.keys.filter { $0.hasSuffix(suffix) }.compactMap { name in
      (try? ItemID(Text(String(name.dropLast(suffix.count))))).map { ItemKey(table, $0) }
    }.sorted()
  }

  func text(of key: ItemKey) -> [UInt8]? { files.node(-1, "\(Self.items)/\(key.id).json")?.bytes }

  func side(of key: ItemKey) -> [UInt8]? {
    files.node(-1, "\(Self.conflicts)/\(key.id)\(Self.clientSide)")?.bytes
  }

  mutating func save(_ text: [UInt8]?, as key: ItemKey, _ dice: inout SplitMix64) {
    let inPlace = dice.once(in: 2)
    files.wait([0, 1_000_000, 3_000_000_000][dice.below(3)])
    // A copy of the dice, so that what follows is drawn as it always was.
    var other = dice
    let isSynchronised = other.once(in: 2)
    files.save(
      text, "\(Self.items)/\(key.id).json", inPlace: inPlace, isSynchronised: isSynchronised)
  }

  mutating func saveSide(_ text: [UInt8]?, of key: ItemKey) {
    files.save(text, "\(Self.conflicts)/\(key.id)\(Self.clientSide)", inPlace: false)
  }
}
