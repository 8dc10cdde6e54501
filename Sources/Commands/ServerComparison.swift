import SyncEngine
import SyncModel
import Workspace

/// The server's rows beside those of the base (safety.md §3.10, I16); nothing is changed by it.
struct ServerComparison {
  /// How a row differs.
  enum Difference: String {
    /// The base knows nothing of it.
    case new
    /// The server has another version, or another text of the same.
    case changed
    /// The server has an older one than the one seen before.
    case older
    /// The server has deleted it.
    case deleted
    /// The server has it again, and the base a tombstone.
    case undeleted
    /// The server has no trace of it.
    case gone
  }

  /// A row that differs.
  private struct Found {
    let id: ItemID
    let difference: Difference
    let way: Way
  }

  /// What brings a row that differs.
  private enum Way: Equatable {
    /// The next pull.
    case pull
    /// One that reads everything; another passes it over.
    case fullPull
    /// No pull and no push: each stops at it. A new clone.
    case clone
    /// No pull, before this is done.
    case obstacle(Hint)
  }

  /// Asks the workspace's server for all rows, and lists those that differ.
  ///
  /// - Throws: `Stop`, ``Failure``.
  static func run(at path: String, in context: Context) throws {
    context.output.begin("differences")
    // Without the lock, and without what a reader keeps at its end: not a byte is written.
    let open = try context.prepared(
      Workspace(at: path, for: .reading, clock: context.invocation.clock))
    var connection = try Connection(context, open)
    var ways: [Way] = []
    do {
      for table in open.tables {
        let differences = try differences(in: table, open.workspace, &connection.backend) {
          context.output.progress("\(table): \($0)\($1.map { " of \($0)" } ?? "")")
        }
        for found in differences { tell(found, ItemKey(table, found.id), context) }
        ways += differences.map(\.way)
      }
    } catch {
      if let signal = context.invocation.signal() { throw Failure.signal(signal) }
      throw connection.failure(error)
    }
    let words = ways.isEmpty ? "the server has the same rows" : "\(ways.count) differ on the server"
    let hints: [(way: Way, words: Hint)] = [
      (.clone, "\(typed: "clone", "URL", "DIR")"), (.fullPull, "\(typed: "pull", "--full")"),
      (.pull, "\(typed: "pull")"),
    ]
    let hint = hints.first { ways.contains($0.way) }?.words
    context.output.summary(Line(words), next: hint)
    if !ways.isEmpty { context.output.end(with: .conflicts) }
  }

  private static func differences(
    in table: TableName, _ disk: Workspace, _ backend: inout Connection.Line,
    progress: (Int, Int?) -> Void
  ) throws -> [Found] {
    let token = try disk.token(of: table)?.timestamp
    var found: [ItemID: Found?] = [:]
    var claims = Claims()
    try backend.pages(of: table, from: nil) { page in
      for row in page.rows {
        // Where a row comes twice, the later one is newer.
        let key = ItemKey(table, row.id)
        guard let difference = try difference(row, from: disk.base(of: key)) else {
          found[row.id] = .some(nil)
          continue
        }
        if try disk.isOlder(row, than: disk.newestRow(of: key), of: key) {
          found[row.id] = Found(id: row.id, difference: .older, way: .clone)
          continue
        }
        // A pull begins where the last one ended: what is older doesn't come with it.
        let isPassed = token.map { token in row.updatedAt.map { $0 < token } ?? true } ?? false
        let way = try obstacle(to: row, of: key, on: disk, &claims).map { Way.obstacle($0) }
        found[row.id] = Found(
          id: row.id, difference: difference, way: way ?? (isPassed ? .fullPull : .pull))
      }
      progress(found.count, page.total)
      return true
    }
    for id in try disk.liveIDs(in: table) where found[id] == nil {
      let way = try obstacle(to: .gone(id), of: ItemKey(table, id), on: disk, &claims)
      found[id] = Found(
        id: id, difference: .gone, way: way.map { Way.obstacle($0) } ?? .fullPull)
    }
    return found.values.compactMap(\.self).sorted { $0.id < $1.id }
  }

  private static func difference(_ row: Row, from base: Base) -> Difference? {
    switch base {
    case .neverSeen: row.deleted ? nil : .new
    case .tombstone: row.deleted ? nil : .undeleted
    case .row(let known): row.deleted ? .deleted : row == known ? nil : .changed
    }
  }

  /// Returns what must be done before any pull brings a row; `nil` where nothing must.
  private static func obstacle(
    to row: Row, of key: ItemKey, on disk: Workspace, _ claims: inout Claims
  ) throws -> Hint? {
    if disk.journal.conflicts[key]?.server == row { return "\(typed: "resolve", "\(key)")" }
    if disk.journal.intents[key] != nil { return "\(typed: "push")" }
    return try disk.obstacle(to: key, &claims).map { $0.hint ?? "mend \($0.place)" }
  }

  private static func tell(_ found: Found, _ key: ItemKey, _ context: Context) {
    let difference = found.difference
    var line = Line("server", .yellow)
    line.pad(to: 8)
    line.append("\(key): \(difference.words)")
    if case .obstacle(let way) = found.way { line.append(" · \(context.output.text(of: way))") }
    context.output.result(line)
    context.output.append(
      [
        "table": .string(key.table.text), "id": .string(key.id.text),
        "difference": .string(Text(difference.rawValue)),
      ], to: "differences")
  }
}

extension ServerComparison.Difference {
  /// What it means, for people.
  fileprivate var words: String {
    switch self {
    case .new: "is new there"
    case .changed: "was changed there"
    case .older: "is older there than the row seen before"
    case .deleted: "was deleted there"
    case .undeleted: "was brought back there"
    case .gone: "is not there, and was not deleted in a way that shows"
    }
  }
}
