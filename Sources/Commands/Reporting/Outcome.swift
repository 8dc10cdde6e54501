import SyncEngine
import SyncModel

/// The result of a command for one item: a line for people, an object for programs.
///
/// ```
///   updated 7f3a  Buy oat milk (merged notes: server)
///   ───┬─── ─┬──  ────┬─────── ──────────┬──────────
///    verb    id     title              remark
/// ```
struct Outcome: Equatable {
  /// The word: `added`, `changed`, `would remove`.
  var verb: String
  var key: ItemKey
  /// The id that the server gave the new item; `nil` if it kept the item's own.
  var newID: ItemID?
  var title: String?
  var fields: [Text] = []
  /// The text in parentheses behind the title; by default the fields.
  var remark: String?
  /// The text instead of the title.
  var words: String?
  /// Further members of the object for programs.
  var members = JSONObject()
  /// What it counts as in a pull or push; `nil` in other commands.
  var kind: Event.Kind?

  func line(_ names: ItemNames) -> Line {
    var line = Line(verb)
    line.append(" ")
    line.append(names.line(for: key))
    if let newID { line.append(" as \(newID)") }
    line.append("  ")
    line.append(words ?? ItemNames.shown(title))
    let remark = self.remark ?? fields.map(\.string).joined(separator: ", ")
    if !remark.utf8.isEmpty { line.append(" (\(remark))") }
    return line
  }

  /// Whether it needs nobody.
  var isWell: Bool {
    kind.map { $0.isTaken || $0 == .pushed || $0 == .found } ?? Self.wellDone.contains(verb)
  }

  private static let wellDone: Set = [
    "added", "changed", "done", "removed", "renamed", "resolved", "restored", "undone",
  ]

  /// The object for programs (tsync(1), JSON output).
  var json: JSON {
    var object = JSONObject(key, title: title)
    object.add(["did": verb])
    if !fields.isEmpty { object.add(["fields": fields]) }
    object.add(ifAny: ["newId": newID])
    for member in members.members { object.append(member.name, member.value) }
    return .object(object)
  }
}

extension Printer {
  /// Prints an outcome: a line or, with `--json`, an element of `items`.
  func show(_ outcome: Outcome, _ names: ItemNames) {
    append(outcome, to: "items")
    item(outcome.line(names), isWell: outcome.isWell)
  }

  /// Prints what was done to a file that is no item.
  func show(_ verb: String, _ file: InvalidItem, in table: TableName) {
    append(JSONObject(["table": table, "path": file.place, "did": verb]), to: "items")
    item(Line("\(verb) \(text(of: "\(place: file.place)"))"), isWell: !verb.hasPrefix("would"))
  }
}

/// Returns a number with its noun: `1 item`, `2 items`.
func counted(_ count: Int, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
