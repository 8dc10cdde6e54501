import SyncEngine
import SyncModel
import Workspace

// The status of one item, in the words and letters of `tsync status`.
extension Survey.Entry {
  var style: Line.Style {
    switch group {
    case .conflict, .rejected, .invalid: .red
    case .unknown: .yellow
    case .pending: .green
    }
  }

  /// The text behind the title.
  func remark(_ context: Context) -> String {
    switch standing {
    case .conflict, .pending:
      let names = fields.map(\.string).joined(separator: ", ")
      guard let passed else { return names }
      return names.isEmpty ? passed.sentence : "\(names) · \(passed.sentence)"
    case .behind(_, let successor): return "waits for \(successor.id)"
    case .rejected(let operation, let rejection):
      let kind = operation.kind == .delete ? "delete · " : ""
      let tries = rejection.tries == 1 ? "1 try" : "\(rejection.tries) tries"
      let last = Times.clock(rejection.time, now: context.now)
      return "\(kind)\(rejection.sentence) · \(tries), last \(last)"
    case .unknown(let attempt):
      return attempt.kind.rawValue + (attempt.tries == 1 ? "" : " · \(attempt.tries) tries")
    case .invalid(let invalid):
      let ways = [invalid.comparison, invalid.hint].compactMap { $0.map { " · \($0)" as Hint } }
      return context.printer.text(of: ways.reduce(invalid.sentence) { "\($0)\($1)" })
    case .moved(let place): return context.printer.text(of: "renamed to \(place: place)")
    }
  }

  /// Whether it is an insert of unknown outcome into a table for which the server makes ids.
  func isDoubtful(_ state: WorkspaceState) -> Bool {
    guard case .unknown(let attempt) = standing, attempt.kind == .insert else { return false }
    return state.tables[attempt.key.table]?.makesIDs == true
  }

  /// Table and id as in file names, without blanks; the name of a file that has no id.
  var plainKey: String {
    guard let key else {
      let name = Text(PathName.split(invalid?.place ?? "").name)
      return [table.text, name].map(FileName.escaped).joined(separator: "/")
    }
    return "\(key.table)/\(FileName.of(key.id)?.string ?? FileName.escaped(key.id.text))"
  }

  func json(_ title: String?) -> JSONObject {
    var object = JSONObject([
      "table": table, "id": key?.id, "title": title, "here": String(letters.prefix(1)),
      "there": letters.last == " " ? "" : String(letters.suffix(1)), "state": "\(group)",
      "fields": fields,
    ])
    switch standing {
    case .invalid(let invalid):
      object.add(["path": invalid.place])
      object.add(ifAny: ["line": invalid.line, "column": invalid.column])
      object.add(["message": invalid.message])
    case .moved(let place): object.add(["path": place, "message": "moved"])
    case .rejected(_, let rejection): object.add(rejection.members)
    case .unknown(let attempt): object.add(["tries": attempt.tries])
    case .behind(_, let successor): object.add(["successor": successor.id])
    case .conflict, .pending: break
    }
    object.add(ifAny: ["stray": stray])
    if isOutside { object.add(["outside": true]) }
    return object
  }
}

extension Rejection {
  /// The members for a JSON document.
  var members: KeyValuePairs<Text, any JSONValue> {
    [
      "answer": refusal.answer, "message": refusal.words, "tries": tries,
      "last": Timestamp(ticks: time * Timestamp.perSecond).inSeconds,
    ]
  }
}

extension Timestamp {
  /// The instant in UTC to the second, as in JSON output: `2026-11-21T10:15:00Z`.
  var inSeconds: String { String(Timestamp(ticks: ticks).text.string.prefix { $0 != "." }) + "Z" }
}
