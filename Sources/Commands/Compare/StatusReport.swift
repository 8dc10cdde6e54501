import SyncEngine
import SyncModel
import Workspace

/// The output of `tsync status`, in each of its forms.
struct StatusReport {
  private typealias Entry = (status: Survey.Entry, title: String?)

  private let entries: [Entry]
  /// Those that get lines for people: deletes that wait have one together.
  private var listed: [Entry] { entries.filter { $0.status.stray == nil } }
  /// The number of a table's quarantined rows, and the path where they are kept.
  private let quarantined: [(table: TableName, count: Int, path: String)]
  /// The tables that have rows and no directory.
  private let missing: [(table: TableName, items: Int)]
  private let names: ItemNames
  private let state: WorkspaceState
  private let session: Session
  private var printer: Printer { session.context.printer }

  var isEmpty: Bool { entries.isEmpty && missing.isEmpty }

  /// Reports all entries of a survey, or only the chosen ones.
  init(_ survey: Survey, _ state: WorkspaceState, _ session: Session, chosen: [Target]?) throws {
    let keys = Set(chosen?.compactMap(\.key) ?? [])
    missing = try session.missingDirectories()
    let lost = Set(missing.map(\.table))
    let wanted = survey.entries.filter { entry in
      if case .pending = entry.standing, lost.contains(entry.table) { return false }
      guard let chosen else { return true }
      if let key = entry.key { return keys.contains(key) }
      return chosen.contains { $0.misnamedFile == entry.invalid }
    }
    let names = try session.names(of: wanted.compactMap(\.key))
    entries = try wanted.map { ($0, try Self.title($0, names, session.workspace)) }
    quarantined = try (chosen == nil ? session.tables : []).map { table in
      let found = try session.workspace.quarantined(in: table)
      return (table, found.count, found.path)
    }.filter { $0.count > 0 }
    (self.names, self.state, self.session) = (names, state, session)
  }

  /// Returns the title of the item here, or else of the server's row, or of the base.
  private static func title(
    _ entry: Survey.Entry, _ names: ItemNames, _ workspace: Workspace
  ) throws -> String? {
    var item = entry.client.item
    if case .conflict(let conflict) = entry.standing { item = item ?? conflict.server }
    let row = try entry.key.flatMap { try workspace.base(of: $0).row }
    return names.title(of: item ?? row?.item)
  }

  // MARK: For people

  private static let headings: [(group: Survey.Group, text: String, hint: Hint?)] = [
    (.conflict, "conflicts", "\(typed: "resolve")"),
    (.rejected, "rejected by the server", "edit, or \(typed: "restore", "REF")"),
    (.unknown, "outcome unknown", "\(typed: "push"), edit, or \(typed: "restore", "REF")"),
    (.invalid, "not valid", nil),
    (.pending, "to push", "\(typed: "push")"),
  ]

  func print() {
    let remote = session.configuration.remote?.string ?? "no remote"
    printer.result(
      Line("\(remote) · \(ago("pulled", state.pulled)) · \(ago("pushed", state.pushed))"))
    printer.result("")
    if isEmpty { printer.result("nothing to push") }
    if !missing.isEmpty {
      let hint =
        session.context.options.quiet ? nil : printer.text(of: "\(typed: "restore", "--missing")")
      printer.result(Line("missing", .bold).hinting(hint))
    }
    missingLines(indent: "  ").forEach(printer.result)
    let lines = lines(indent: "  ")
    for heading in Self.headings {
      let group = zip(listed, lines).filter { $0.0.status.group == heading.group }
      if group.isEmpty { continue }
      let isDoubtful = group.contains { $0.0.status.isDoubtful(state) }
      let look: Hint = "to look for the row: \(typed: "pull"); then \(typed: "help", "push")"
      let next = session.context.options.quiet ? nil : isDoubtful ? look : heading.hint
      let hint = next.map(printer.text)
      printer.result(Line(heading.text, .bold).hinting(hint))
      for (_, line) in group { printer.result(line) }
    }
    if !quarantined.isEmpty { printer.result(Line("rows that could not be items", .bold)) }
    for (table, count, path) in quarantined {
      printer.result(Line("  \(count) of \(table): \(printer.text(of: "\(file: path)"))"))
    }
  }

  func printShort() { (missingLines() + lines()).forEach(printer.result) }

  private func missingLines(indent: String = "") -> [Line] {
    missing.map { table, items in
      var line = Line(indent)
      line.append("!!", .red)
      let fact: Hint = "  \(place: "items/\(table)") is missing (\(counted(items, "item")))"
      line.append(printer.text(of: fact))
      return line
    }
  }

  private func ago(_ what: String, _ time: Timestamp?) -> String {
    guard let time else { return "never \(what)" }
    return "\(what) \(Times.ago(time.ticks / Timestamp.perSecond, now: session.context.now))"
  }

  private func lines(indent: String = "") -> [Line] {
    var table = Table(widths: [2, 0, Table.title.lowerBound])
    for (status, title) in listed {
      var row = [
        Line(status.letters, status.style), status.key.map(names.line) ?? Line("-"),
      ]
      if status.group != .invalid { row.append(Table.title(title)) }
      let remark = [status.remark(session.context), status.isOutside ? "outside the queries" : ""]
        .filter { !$0.isEmpty }.joined(separator: " · ")
      if !remark.utf8.isEmpty { row.append(Line(remark)) }
      table.append(row)
    }
    return table.lines.map { line in
      var whole = Line(indent)
      whole.append(line)
      return whole
    }
  }

  // MARK: For programs

  /// Prints the stable form: letters, state, item, fields.
  func printPorcelain(end: UInt8) {
    printer.record("# tsync.status 1", end: end)
    for (table, _) in missing { printer.record("!! missing \(table) -", end: end) }
    for (status, _) in entries {
      let fields = status.fields.map(FileName.escaped).joined(separator: ",")
      printer.record(
        "\(status.letters) \(status.group) \(status.plainKey) "
          + (fields.utf8.isEmpty ? "-" : fields), end: end)
    }
    for (table, count, path) in quarantined {
      printer.record("# quarantined \(table) \(count) \(path)", end: end)
    }
  }

  func printJSON() {
    printer.set("remote", session.configuration.remote)
    printer.set("pulled", state.pulled?.inSeconds)
    printer.set("pushed", state.pushed?.inSeconds)
    printer.begin("missing")
    for (table, items) in missing {
      printer.append(JSONObject(["table": table, "items": items]), to: "missing")
    }
    printer.begin("items")
    for (status, title) in entries { printer.append(status.json(title), to: "items") }
    printer.begin("quarantined")
    for (table, count, path) in quarantined {
      printer.append(
        JSONObject(["table": table, "count": count, "path": path]), to: "quarantined")
    }
  }
}
