import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct JournalCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Show what waits for the server or for you.")

  @OptionGroup var options: GlobalOptions

  mutating func run(in context: Context) throws {
    context.printer.page()
    context.printer.begin("operations")
    try context.open(for: .reading) { session in
      let workspace = session.workspace
      let survey = try session.survey()
      let told = survey.entries.filter { $0.group != .invalid }
      let keys = Set(told.compactMap(\.key))
      let waiting = try session.tables.flatMap { table in
        try workspace.waitingArrivals(in: table).map { (key: ItemKey(table, $0.row.id), $0) }
      }.filter { try !(keys.contains($0.key) && workspace.isInConflict($0.key)) }
      let names = try session.names(of: Array(keys) + waiting.map(\.key))
      var table = Table(widths: [8, 8, 0, Table.title.lowerBound])

      /// Adds a line: the state, the operation's kind or the conflict's letters, and what more is so of the change.
      func add(
        _ state: String, _ style: Line.Style, _ kind: String, _ key: ItemKey, _ item: Item?,
        fields: [Text] = [], tries: Int? = nil, rejection: Rejection? = nil, stray: String? = nil
      ) throws {
        let line =
          try state == "pending"
          ? nil : workspace.journalPlace(of: key, isRow: state == "waiting")
        let remark = rejection?.refusal.sentence ?? fields.map(\.string).joined(separator: ", ")
        let parts = [
          remark.utf8.isEmpty ? nil : remark, stray.map { _ in "waits" },
          line.map { "\($0.file):\($0.line)" },
        ].compactMap(\.self)
        let title = names.title(of: item)
        table.append(
          [Line(state, style), Line(kind), names.line(for: key), Table.title(title)]
            + (parts.isEmpty ? [] : [Line(parts.joined(separator: " · "))]))
        var object = JSONObject(key, title: title)
        object.add(["state": state, "kind": kind])
        if !fields.isEmpty { object.add(["fields": fields]) }
        object.add(["path": try line?.file ?? session.place(of: key)])
        object.add(ifAny: ["line": line?.line, "tries": tries, "stray": stray])
        object.add(rejection?.members ?? [:])
        context.printer.append(object, to: "operations")
      }

      for entry in told {
        guard let key = entry.key, case .unknown(let attempt) = entry.standing else { continue }
        let item = try attempt.item ?? entry.client.item ?? workspace.base(of: key).row?.item
        try add("sent", entry.style, attempt.kind.rawValue, key, item, tries: attempt.tries)
      }
      for entry in told {
        guard let key = entry.key else { continue }
        let item = try entry.client.item ?? workspace.base(of: key).row?.item
        switch entry.standing {
        case .conflict:
          try add("conflict", entry.style, entry.letters, key, item, fields: entry.fields)
        case .rejected(let operation, let rejection):
          try add("rejected", entry.style, operation.kind.rawValue, key, item, rejection: rejection)
        case .pending(let operation), .behind(let operation, _):
          try add(
            "pending", entry.style, operation.kind.rawValue, key, item, fields: entry.fields,
            stray: entry.stray)
        case .unknown(let attempt):
          guard let next = attempt.next(entry.client) else { continue }
          try add("pending", .green, next.rawValue, key, item)
        case .invalid, .moved: continue
        }
      }
      for (key, arrival) in waiting {
        let isNew = try workspace.base(of: ItemKey(key.table, arrival.id)).item == nil
        let kind: Operation.Kind = arrival.row.deleted ? .delete : isNew ? .insert : .update
        try add("waiting", .yellow, kind.rawValue, key, arrival.row.item)
      }
      table.lines.forEach(context.printer.result)
      context.printer.showInvalid(survey)
    }
  }
}
