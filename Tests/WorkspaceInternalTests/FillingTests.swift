import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// A first pull of many rows on real files, whose items another thread makes.
@Suite struct FillingTests {
  private let server = ModelServer()
  private let table: TableName

  init() throws {
    table = try TableName("todoitem")
    for number in 0..<2_000 {
      let text = Text("\(number) \(String(repeating: "x", count: number % 200))")
      try store("id\(number)", Item(JSONObject([.init(name: "text", value: .string(text))])))
    }
    try store("id7", nil)
  }

  private func store(_ id: String, _ item: Item?) throws {
    let key = ItemKey(table, try ItemID(Text(id)))
    _ = server.store(item, key, by: 2, over: server.rows[key])
  }

  @Test("they are as the ordinary way makes them, and what is known of them is, too")
  func equalsOrdinary() throws {
    let (together, ordinary) = (try Pulled(server, table), try Pulled(server, table, mode: 0o755))
    #expect(together.isReplaced && !ordinary.isReplaced)
    #expect(together.files.count == 1_999)
    #expect(together.files == ordinary.files)
    #expect(together.modes == [0o600] && together.mode == 0o700)
    #expect(together.report == ordinary.report)
    #expect(together.report.counts[.added] == 1_999)
    #expect(together.digests == ordinary.digests)
    #expect(together.digests.count == 1_999)
    #expect(together.first == ordinary.first)
    #expect(together.staged == [])
    #expect(together.candidates == [] && ordinary.candidates == [])
  }

  @Test("a brief report counts the same", arguments: [true, false])
  func brief(isBrief: Bool) throws {
    let pulled = try Pulled(server, table, isBrief: isBrief)
    #expect(pulled.report.counts[.added] == 1_999)
    #expect(pulled.report.events.count == (isBrief ? 0 : 1_999))
  }

  @Test("each query's report counts what it has brought first")
  func queries() throws {
    let feeds = ["02", "13"].map { (parts: Text) in Feed(table, query: parts, filter: parts) }
    let (together, ordinary) = (
      try Pulled(server, table, feeds: feeds), try Pulled(server, table, mode: 0o755, feeds: feeds)
    )
    #expect(together.isReplaced)
    #expect(together.reports == ordinary.reports)
    #expect(together.reports.reduce(0) { $0 + $1.counts[.added, default: 0] } == 1_999)
    #expect(together.files == ordinary.files)
  }

  @Test("what a filling begins that is never ended is removed by the next who writes")
  func leftover() throws {
    let playground = try Playground()
    var workspace: Workspace? = try playground.open()
    #expect(try workspace?.fill(Array(server.rows.values), of: playground.table) == true)
    workspace = nil
    #expect(playground.staged.count == 1)
    #expect(playground.directory.names(in: ".todosync/trash/\(playground.staged[0])").count > 0)
    _ = try playground.open()
    #expect(playground.staged == [])
    #expect(playground.directory.names(in: ".todosync/items/todoitem") == [])
  }

  @Test("where somebody has removed what was made, nothing is put anywhere")
  func removedMeanwhile() throws {
    let playground = try Playground()
    var workspace = try playground.open()
    let rows = Array(server.rows.values.filter { !$0.deleted }.prefix(3))
    try workspace.append(rows.map { .arrived(Arrival($0)) }, to: playground.table, durably: true)
    for row in rows { #expect(try workspace.fill([row], of: playground.table)) }
    let made = ".todosync/trash/\(playground.staged[0])"
    let name = try #require(playground.directory.names(in: made).first)
    remove(playground.directory.path(of: "\(made)/\(name)"))
    #expect(try !workspace.endFill(of: playground.table))
    #expect(playground.staged == [])
    #expect(playground.directory.names(in: ".todosync/items/todoitem") == [])
  }

  @Test("items without arrivals, and arrivals without items, are put nowhere")
  func mismatch() throws {
    let rows = Array(server.rows.values.filter { !$0.deleted }.prefix(3))
    for (arrived, filled) in [(rows, Array(rows[..<2])), (Array(rows[..<2]), rows)] {
      let playground = try Playground()
      var workspace = try playground.open()
      try workspace.append(
        arrived.map { .arrived(Arrival($0)) }, to: playground.table, durably: true)
      #expect(try workspace.fill(filled, of: playground.table))
      #expect(try !workspace.endFill(of: playground.table))
      #expect(playground.staged == [])
      #expect(playground.directory.names(in: ".todosync/items/todoitem") == [])
    }
  }
}

/// What a first pull of a fresh workspace has made.
private struct Pulled {
  var files: [String: [UInt8]] = [:]
  var modes: Set<mode_t> = []
  let mode: mode_t
  let isReplaced: Bool
  var reports: [PullReport]
  var digests: [ItemID: Digest] = [:]
  let first: [TableName: Int]
  let staged: [String]
  let candidates: [Candidate]

  var report: PullReport { reports[0] }

  /// Pulls into a directory with these permissions; those that tsync gives make it no ordinary one.
  init(
    _ server: ModelServer, _ table: TableName, mode: mode_t = 0o700, isBrief: Bool = false,
    feeds: [Feed]? = nil
  ) throws {
    let playground = try Playground()
    let place = "\(playground.directory.path)/.todosync/items/todoitem"
    chmod(place, mode)
    let before = Self.status(place)
    let feeds = feeds ?? [Feed(table)]
    reports = feeds.map { PullReport($0, isBrief: isBrief) }
    var workspace = try playground.open()
    var line = ModelBackend(to: server, client: 1)
    line.pageSize = 300
    try Pull(settings: Settings(now: 7)).run(
      feeds, on: &workspace, from: &line, reports: &reports)
    let log = try workspace.rows.log(of: table)
    for id in try log.ids(.live) { digests[id] = id.withBytes(log.rows.entry(of:))?.digest }
    try workspace.finish("pull", status: 0)
    first = try workspace.commands().first?.first ?? [:]
    staged = playground.staged
    candidates = try workspace.candidates(in: table)
    let after = Self.status(place)
    isReplaced = before.st_ino != after.st_ino
    self.mode = after.st_mode & 0o7777
    for name in Files.names(in: place) {
      files[name] = Files.read("\(place)/\(name)")
      modes.insert(Self.status("\(place)/\(name)").st_mode & 0o7777)
    }
  }

  private static func status(_ path: String) -> stat {
    var status = stat()
    lstat(path, &status)
    return status
  }
}
