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
    /// Whether the next pull passes it over unless it reads everything.
    let needsFullPull: Bool
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
    var (count, isPullEnough) = (0, true)
    do {
      for table in open.tables {
        let differences = try differences(in: table, open.workspace, &connection.backend) {
          context.output.progress("\(table): \($0)\($1.map { " of \($0)" } ?? "")")
        }
        for found in differences { tell(found.difference, ItemKey(table, found.id), context) }
        count += differences.count
        isPullEnough = isPullEnough && !differences.contains(where: \.needsFullPull)
      }
    } catch {
      if let signal = context.invocation.signal() { throw Failure.signal(signal) }
      throw connection.failure(error)
    }
    context.output.summary(
      Line(count == 0 ? "the server has the same rows" : "\(count) differ on the server"),
      hint: count == 0 ? nil : isPullEnough ? "tsync pull" : "tsync pull --full")
    if count > 0 { context.output.end(with: .conflicts) }
  }

  private static func differences(
    in table: TableName, _ disk: Workspace, _ backend: inout Connection.Line,
    progress: (Int, Int?) -> Void
  ) throws -> [Found] {
    let token = try disk.token(of: table)?.timestamp
    var found: [ItemID: Found?] = [:]
    try backend.pages(of: table, from: nil) { page in
      for row in page.rows {
        // Where a row comes twice, the later one is newer.
        let difference = try difference(row, from: disk.base(of: ItemKey(table, row.id)))
        // A pull begins where the last one ended: what is older doesn't come with it.
        let isOlder = token.map { token in row.updatedAt.map { $0 < token } ?? true } ?? false
        found[row.id] = .some(
          difference.map { Found(id: row.id, difference: $0, needsFullPull: isOlder) })
      }
      progress(found.count, page.total)
      return true
    }
    for id in try disk.liveIDs(in: table) where found[id] == nil {
      found[id] = Found(id: id, difference: .gone, needsFullPull: true)
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

  private static func tell(_ difference: Difference, _ key: ItemKey, _ context: Context) {
    var line = Line("server", .yellow)
    line.pad(to: 8)
    line.append("\(key): \(difference.words)")
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
    case .deleted: "was deleted there"
    case .undeleted: "was brought back there"
    case .gone: "is not there, and was not deleted in a way that shows"
    }
  }
}
