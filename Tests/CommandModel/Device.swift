import CommandSupport
import Commands
import Glibc
import Remote
import SyncModel
import SystemPackage
import TestSupport

/// What a command line came to.
struct Outcome {
  /// What it ended with; `nil` where the device died in the midst of it.
  var status: Int32?
  /// What it wrote.
  var output: String
  var error: String
  /// Whether the line to the server was disturbed.
  var isDisturbed = false

  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n").map(String.init) }
  /// The document that it wrote; `nil` where there is none.
  var document: JSONObject? { (try? JSON(parsing: Array(output.utf8)))?.object }
}

/// An item's file as it lies there.
struct ItemFile {
  /// Its path below the workspace.
  let path: String
  /// The table, and the id that belongs to its name.
  let table: TableName
  let id: String
  /// Its bytes.
  let bytes: [UInt8]

  /// The item, without its id and what is null; `nil` where it can't be one.
  var item: JSONObject? {
    guard let object = (try? JSON(parsing: bytes))?.object, object.duplicate == nil,
      object["id"]?.text.map({ $0.string == id }) ?? (object["id"] == nil)
    else { return nil }
    return JSONObject(object.members.filter { $0.name != "id" && !$0.value.isNull })
  }
  /// What names it on a command line.
  var reference: String { "\(table)/\(id)" }
}

/// A device: a person's workspace of the server's tables, and what they do there.
final class Device {
  /// Its name.
  let name: String
  /// The workspace.
  let path: String
  /// The words that were typed and lie in items and in conflicts here.
  private(set) var words: Set<Int> = []
  /// The addresses of its server.
  var addresses: [String] { server.addresses }
  private let server: Server
  private let home: String
  private let tables: [TableName]

  /// Names a device; its workspace isn't there yet.
  init(_ name: String, in directory: TemporaryDirectory, _ server: Server, _ tables: [TableName]) {
    self.name = name
    self.server = server
    self.tables = tables
    home = directory.path(of: "\(name)-home")
    path = directory.path(of: name)
    mkdir(home, 0o700)
  }

  /// Runs a command line; with a `line`, over that.
  func run(
    _ words: [String], over line: Line? = nil, seed: UInt64, at now: Int64? = nil,
    program: ((Program) -> Int32)? = nil
  ) -> Outcome {
    var random = SplitMix64(seed: seed)
    let line = line ?? Line(to: server, nil, seed: seed) { [path] in Tree(at: path) }
    var run = CommandRun(
      in: access(path, F_OK) == 0 ? path : home, home: home,
      variables: [("HOME", home), ("TZ", "UTC"), ("TSYNC_EDITOR", "editor")])
    if let now { run.invocation.clock = { now } }
    run.invocation.random = { random.next() }
    run.invocation.run = { asked throws(Errno) in Ending(status: program?(asked) ?? 1) }
    run.invocation.pause = { _ in }
    run.invocation.line = { line.transport($0) }
    let outcome = run(words)
    let files = line.filesAtDeath
    files?.restore(at: path)
    return Outcome(
      status: files == nil ? outcome.status : nil, output: outcome.output, error: outcome.error,
      isDisturbed: line.isDisturbed)
  }

  /// The items' files.
  func files() -> [ItemFile] {
    tables.flatMap { table in
      let directory = ".todosync/items/\(table)"
      return Files.names(in: "\(path)/\(directory)").compactMap { name -> ItemFile? in
        guard name.hasSuffix(".json"),
          let id = try? FileName.id(of: Text(String(name.dropLast(5)))),
          let bytes = Files.read("\(path)/\(directory)/\(name)")
        else { return nil }
        return ItemFile(
          path: "\(directory)/\(name)", table: table, id: id.text.string, bytes: bytes)
      }
    }
  }

  /// The open conflicts by the names of their items: the words of both sides.
  func conflicts() -> [String: Sight.Item] {
    var found: [String: Sight.Item] = [:]
    for table in tables {
      let directory = ".todosync/conflicts/\(table)"
      for name in Files.names(in: "\(path)/\(directory)") {
        let side = String(name.dropLast(5).split(separator: ".").last ?? "")
        guard ["client", "server", "base"].contains(side),
          let id = try? FileName.id(of: Text(String(name.dropLast(side.utf8.count + 6)))),
          let bytes = Files.read("\(path)/\(directory)/\(name)")
        else { continue }
        let object = (try? JSON(parsing: bytes))?.object
        let row = object?["deleted"] == true ? nil : object
        var item = found["\(table)/\(id)"] ?? Sight.Item()
        switch side {
        case "client":
          item.client = typedWords(bytes)
          item.clientSides = [row]
        case "server":
          item.server = typedWords(bytes)
          item.serverSide = row
        default: item.base = row
        }
        found["\(table)/\(id)"] = item
      }
    }
    return found
  }

  /// Looks anew which words lie here: in the items and in the sides of conflicts.
  func readWords() { words = Sight(self).words }
}

/// Returns the name of an item's file; `nil` where the id can't have one.
func fileName(of id: String) -> String? {
  (try? ItemID(Text(id))).flatMap(FileName.of).map { "\($0).json" }
}

/// The words of a text that somebody has typed: numbers from 4 000 000 up to 4 999 999.
func typedWords(_ bytes: [UInt8]) -> Set<Int> {
  var words: Set<Int> = []
  var (number, digits) = (0, 0)
  for byte in bytes {
    if byte >= 0x30, byte <= 0x39 {
      number = digits < 8 ? number * 10 + Int(byte - 0x30) : number
      digits += 1
    } else if digits > 0 {
      if digits == 7, number / 1_000_000 == 4 { words.insert(number) }
      (number, digits) = (0, 0)
    }
  }
  if digits == 7, number / 1_000_000 == 4 { words.insert(number) }
  return words
}
