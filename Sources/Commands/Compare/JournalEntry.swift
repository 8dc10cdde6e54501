import SyncEngine
import SyncModel
import Workspace

/// One line of `tsync journal`.
struct JournalEntry {
  enum State: String {
    case sent, rejected, conflict, pending, waiting
  }

  let key: ItemKey
  let state: State
  /// The operation's kind, or the conflict's letters.
  let kind: String
  /// The item as it was sent, or as it is now, or as its row that waits; for the title.
  let item: Item?
  /// The changed fields of an update, or the fields in conflict.
  var fields: [Text] = []
  /// The number of tries of a sent operation.
  var tries: Int?
  var rejection: Rejection?
  /// The stray file for which the delete waits.
  private var stray: String?
  /// The file, relative to `.todosync`, and its line, where there is one.
  private(set) var place: (file: String, line: Int?) = ("", nil)

  // MARK: Finding

  /// Returns the operations of unknown outcome, then all others in their order, then the rows that wait.
  static func all(_ survey: Survey, in session: Session) throws -> [JournalEntry] {
    let workspace = session.workspace
    let entries = try unsent(survey, in: session)
    let told = Set(entries.map(\.key))
    let waiting = try session.tables.flatMap { table in
      try workspace.waitingArrivals(in: table).compactMap { arrival -> JournalEntry? in
        let key = ItemKey(table, arrival.row.id)
        if try told.contains(key) && workspace.isInConflict(key) { return nil }
        let isNew = try workspace.base(of: ItemKey(table, arrival.id)).item == nil
        let kind: Operation.Kind = arrival.row.deleted ? .delete : isNew ? .insert : .update
        return JournalEntry(
          key: key, state: .waiting, kind: kind.rawValue, item: arrival.row.item)
      }
    }
    return try (entries + waiting).map { entry in
      var entry = entry
      let isRow = entry.state == .waiting
      let line =
        try entry.state == .pending ? nil : workspace.journalPlace(of: entry.key, isRow: isRow)
      entry.place = try line.map { ($0.file, $0.line) } ?? (session.place(of: entry.key), nil)
      return entry
    }
  }

  private static func unsent(_ survey: Survey, in session: Session) throws -> [JournalEntry] {
    var (sent, others): ([JournalEntry], [JournalEntry]) = ([], [])
    for entry in survey.entries {
      guard let key = entry.key else { continue }
      let item = try entry.client.item ?? session.workspace.base(of: key).row?.item
      let status = ItemStatus(entry, in: session)
      func add(
        _ state: State, _ kind: String, fields: [Text] = [], rejection: Rejection? = nil
      ) {
        others.append(
          JournalEntry(
            key: key, state: state, kind: kind, item: item, fields: fields, rejection: rejection))
      }
      switch entry.standing {
      case .invalid, .moved: break
      case .conflict: add(.conflict, status.letters, fields: status.fields)
      case .rejected(let operation, let rejection):
        add(.rejected, operation.kind.rawValue, rejection: rejection)
      case .pending(let operation), .behind(let operation, _):
        add(.pending, operation.kind.rawValue, fields: status.fields)
        others[others.count - 1].stray = entry.stray
      case .unknown(let attempt):
        sent.append(
          JournalEntry(
            key: key, state: .sent, kind: attempt.kind.rawValue, item: attempt.item ?? item,
            tries: attempt.tries))
        if let next = attempt.next(entry.client) { add(.pending, next.rawValue) }
      }
    }
    return sent + others
  }

  // MARK: Printing

  func row(_ names: ItemNames) -> [Line] {
    let row = [
      Line(state.rawValue, state.style), Line(kind), names.line(for: key),
      Table.title(names.title(of: item)),
    ]
    let remark = rejection?.refusal.sentence ?? fields.map(\.string).joined(separator: ", ")
    let line = place.line.map { "\(place.file):\($0)" }
    let wait = stray.map { _ in "waits" }
    let parts = [remark.utf8.isEmpty ? nil : remark, wait, line].compactMap(\.self)
    return parts.isEmpty ? row : row + [Line(parts.joined(separator: " · "))]
  }

  func json(_ names: ItemNames) -> JSONObject {
    var object = JSONObject(key, title: names.title(of: item))
    object.add(["state": state.rawValue, "kind": kind])
    if !fields.isEmpty { object.add(["fields": fields]) }
    object.add(["path": place.file])
    object.add(ifAny: ["line": place.line, "tries": tries, "stray": stray])
    object.add(rejection?.members ?? [:])
    return object
  }
}

extension JournalEntry.State {
  fileprivate var style: Line.Style {
    switch self {
    case .sent, .waiting: .yellow
    case .rejected, .conflict: .red
    case .pending: .green
    }
  }
}
