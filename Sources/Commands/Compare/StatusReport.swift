import SyncEngine
import SyncModel
import Workspace

/// The output of `tsync status`, in each of its forms.
struct StatusReport {
  struct Entry {
    let entry: Survey.Entry
    let status: ItemStatus
    let title: String?
  }

  private let entries: [Entry]
  /// The number of a table's quarantined rows, and the path where they are kept.
  private let quarantined: [(table: TableName, count: Int, path: String)]
  private let names: ItemNames
  private let clock: (Int64) -> String

  var isEmpty: Bool { entries.isEmpty }

  /// Reports all entries of a survey, or only the chosen ones.
  init(
    _ survey: Survey, _ session: Session, _ context: Context, chosen: [Target]?
  ) throws {
    let keys = chosen.map { Set($0.compactMap(\.key)) }
    let places = Set(chosen?.compactMap { $0.misnamedFile.map { Text($0.place) } } ?? [])
    let wanted = survey.entries.filter { entry in
      guard let keys else { return true }
      if let key = entry.key { return keys.contains(key) }
      return entry.place.map { places.contains(Text($0)) } ?? false
    }
    let found = wanted.compactMap(\.key)
    names = try ItemNames(
      for: found, in: session.tables, on: session.workspace,
      titleField: session.configuration.titleField)
    let now = context.now
    clock = { Times.clock($0, now: now) }
    var entries: [Entry] = []
    var claims = Claims()
    for entry in wanted {
      entries.append(
        Entry(
          entry: entry, status: ItemStatus(entry, in: session, &claims),
          title: try Self.title(entry, names, session.workspace)))
    }
    self.entries = entries
    quarantined = try (chosen == nil ? session.tables : []).map { table in
      let found = try session.workspace.quarantined(in: table)
      return (table, found.count, found.path)
    }.filter { $0.count > 0 }
  }

  /// Returns the title of the item here, or else of the server's row, or of the base.
  private static func title(
    _ entry: Survey.Entry, _ names: ItemNames, _ workspace: Workspace
  ) throws -> String? {
    if let item = entry.client.item { return names.title(of: item) }
    if case .conflict(let conflict) = entry.standing, !conflict.server.deleted {
      return names.title(of: conflict.server.item)
    }
    return names.title(of: try entry.key.flatMap { try workspace.base(of: $0).row?.item })
  }

  // MARK: For people

  private static let headings: [(group: ItemStatus.Group, text: String, hint: Hint?)] = [
    (.conflict, "conflicts", "\(typed: "resolve")"),
    (.rejected, "rejected by the server", "edit, or \(typed: "restore", "REF")"),
    (.unknown, "outcome unknown", "\(typed: "push")"),
    (.invalid, "not valid", nil),
    (.pending, "to push", "\(typed: "push")"),
  ]

  func print(
    _ state: WorkspaceState, _ session: Session, to output: Output, now: Int64
  ) {
    output.result(Self.head(state, session.configuration, now: now))
    output.result("")
    if isEmpty { output.result("nothing to push") }
    let lines = lines(indented: true, output)
    for heading in Self.headings {
      let group = zip(entries, lines).filter { $0.0.status.group == heading.group }
      if group.isEmpty { continue }
      let isDoubtful = heading.group == .unknown && group.contains { $0.0.isDoubtful(state) }
      let look: Hint = "to look for the row: \(typed: "pull"); then \(typed: "help", "push")"
      let hint = (isDoubtful ? look : heading.hint).map(output.text)
      output.result(Line(heading.text, .bold).hinting(hint))
      for (_, line) in group { output.result(line) }
    }
    if !quarantined.isEmpty { output.result(Line("rows that could not be items", .bold)) }
    for (table, count, path) in quarantined {
      output.result(Line("  \(count) of \(table): \(path)"))
    }
  }

  func printShort(to output: Output) {
    lines(indented: false, output).forEach(output.result)
  }

  private static func head(
    _ state: WorkspaceState, _ configuration: Configuration, now: Int64
  ) -> Line {
    func ago(_ what: String, _ time: Timestamp?) -> String {
      guard let time else { return "never \(what)" }
      return "\(what) \(Times.ago(time.ticks / Timestamp.perSecond, now: now))"
    }
    let remote = configuration.remote?.string ?? "no remote"
    return Line("\(remote) · \(ago("pulled", state.pulled)) · \(ago("pushed", state.pushed))")
  }

  private func lines(indented: Bool, _ output: Output) -> [Line] {
    var table = Table(widths: [2, 0, Table.title.lowerBound])
    for entry in entries {
      let id = entry.entry.key.map(names.line) ?? Line("-")
      let letters = Line(entry.status.letters, entry.status.style)
      switch entry.entry.standing {
      case .invalid, .moved: table.append([letters, id, Line(entry.remark(clock, output.text))])
      default:
        let row = [letters, id, Table.title(entry.title)]
        let remark = entry.remark(clock, output.text)
        table.append(remark.utf8.isEmpty ? row : row + [Line(remark)])
      }
    }
    return table.lines.map { line in
      var whole = Line(indented ? "  " : "")
      whole.append(line)
      return whole
    }
  }

  // MARK: For programs

  /// Prints the stable form: letters, state, item, fields.
  func printPorcelain(end: UInt8, to output: Output) {
    output.record("# tsync.status 1", end: end)
    for entry in entries {
      let fields = entry.status.fields.map(PlainText.of).joined(separator: ",")
      output.record(
        "\(entry.status.letters) \(entry.status.group.rawValue) \(entry.plainKey) "
          + (fields.utf8.isEmpty ? "-" : fields), end: end)
    }
    for (table, count, path) in quarantined {
      output.record("# quarantined \(table) \(count) \(path)", end: end)
    }
  }

  func printJSON(_ state: WorkspaceState, _ session: Session, to output: Output) {
    output.set("remote", session.configuration.remote)
    output.set("pulled", state.pulled?.inSeconds)
    output.set("pushed", state.pushed?.inSeconds)
    output.begin("items")
    for entry in entries { output.append(entry.json, to: "items") }
    output.begin("quarantined")
    for (table, count, path) in quarantined {
      output.append(
        JSONObject(["table": table, "count": count, "path": path]), to: "quarantined")
    }
  }
}

extension ItemStatus {
  var style: Line.Style {
    switch group {
    case .conflict, .rejected, .invalid: .red
    case .unknown: .yellow
    case .pending: .green
    }
  }
}
