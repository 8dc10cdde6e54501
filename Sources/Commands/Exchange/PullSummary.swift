import SyncEngine
import SyncModel

/// The output of a pull, table by table.
struct PullSummary {
  private let context: Context
  private let tables: [TableName]
  private let titleField: Text?
  private var summaries: [JSON] = []
  private var items: [JSON] = []
  private(set) var conflictKeys: Set<ItemKey> = []
  /// The files that keep rows from being applied.
  private var obstacles: [InvalidItem] = []
  private let isPreview: Bool

  init(_ context: Context, _ tables: [TableName], _ titleField: Text?, isPreview: Bool = false) {
    self.context = context
    self.tables = tables
    self.titleField = titleField
    self.isPreview = isPreview
  }

  /// Prints the result of pulling a table, even if it failed half way.
  mutating func show(
    _ report: PullReport, isWhole: Bool, _ nanoseconds: Int64, on disk: some Disk
  ) throws {
    var claims = Claims()
    for row in try disk.incoming(in: report.table) {
      let obstacle = try disk.obstacle(to: ItemKey(report.table, row.id), &claims)
      if let obstacle { obstacles.append(obstacle) }
    }
    if let twin = report.twin {
      context.output.warn(
        "the server listed \(ItemKey(report.table, twin)) twice; used the later row")
    }
    guard isWhole || !report.isEmpty else { return }
    context.output.summary(heading(report), next: "\(Self.seconds(nanoseconds))")
    try showItems(report, on: disk)
    summaries.append(report.json)
    if !report.refused.isEmpty { context.output.end(with: .rejected) }
    conflictKeys.formUnion(report.conflicts.map(\.key))
  }

  private func heading(_ report: PullReport) -> Line {
    let width = tables.map { $0.description.utf8.count }.max() ?? 0
    var line = Line("\(report.table)")
    line.pad(to: width + 2)
    line.append(report.words)
    return line
  }

  private mutating func showItems(_ report: PullReport, on disk: some RowDisk) throws {
    let names = try ItemNames(
      for: report.events.map(\.key), in: tables, on: disk, titleField: titleField)
    for event in report.events {
      guard var outcome = Outcome(pulled: event, title: names.title(of: event.item)) else {
        continue
      }
      let isShown = outcome.isNotable || context.options.verbose
      if isPreview { outcome = outcome.asPreview }
      if context.options.json { items.append(outcome.json) }
      if isShown { context.output.result(outcome.line(names)) }
    }
    for row in report.refused { show(row, of: report.table) }
  }

  private mutating func show(_ row: RefusedRow, of table: TableName) {
    let verb = isPreview ? "would quarantine" : "quarantined"
    var line = Line("\(verb) ")
    line.append(row.id?.string ?? "(no id)", .cyan)
    line.append("  \(row.reason)")
    context.output.result(line)
    let members = JSONObject([
      "table": table, "id": row.id, "title": JSON.null, "did": verb, "message": row.reason,
    ])
    items.append(members.json)
  }

  /// Prints the work that is left for a person: files in the way of rows, and conflicts.
  func end() {
    for invalid in obstacles { context.output.show(invalid) }
    let conflicts = conflictKeys.count
    guard conflicts > 0 else { return }
    context.output.end(with: .conflicts)
    let words = conflicts == 1 ? "1 conflict" : "\(conflicts) conflicts"
    context.output.summary(Line(words), next: "\(typed: "resolve")")
  }

  var isEmpty: Bool { summaries.isEmpty }

  /// The members of `tsync.pull/1`.
  var json: JSONObject {
    JSONObject(["tables": summaries, "items": items])
  }

  private static func seconds(_ nanoseconds: Int64) -> String {
    let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}

extension PullReport {
  /// The summary, such as `1 new, 2 changed`.
  fileprivate var words: String {
    var parts = [(added, "new"), (updated, "changed"), (removed, "deleted")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let conflicts = conflicts.count
    if conflicts > 0 { parts.append(conflicts == 1 ? "1 conflict" : "\(conflicts) conflicts") }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }

  fileprivate var json: JSON {
    JSONObject([
      "table": table, "new": added, "changed": updated, "deleted": removed,
      "conflicts": conflicts.count,
    ]).json
  }
}
