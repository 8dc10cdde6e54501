import SyncEngine
import SyncModel
import Workspace

/// One line of `tsync journal`.
struct JournalEntry: Equatable {
  enum State: String {
    case done, sent, rejected, conflict, pending
  }

  let key: ItemKey
  let state: State
  /// The operation's kind, or the conflict's letters.
  let kind: String
  /// The item as it was sent, or as it is now; for the title.
  let item: Item?
  /// The changed fields of an update, or the fields in conflict.
  var fields: [Text] = []
  /// The server's answer, if it rejected the operation.
  var refusal: Refusal?
  /// The number of tries, and the time of the last one in seconds since 1970.
  var tries: Int?
  var last: Int64?

  // MARK: Finding

  /// Returns the operations that the server accepted, from the journal's records, in their order.
  static func past(_ records: [JournalRecord]) -> [JournalEntry] {
    var entries: [JournalEntry] = []
    var open: [ItemKey: Intent] = [:]
    for record in records {
      switch record {
      case .intent(let intent): open[intent.key] = intent
      case .result(let key, let row):
        guard let intent = open.removeValue(forKey: key) else { continue }
        var entry = JournalEntry(
          key: key, state: .done, kind: intent.kind.rawValue,
          item: intent.item ?? row.flatMap { $0.deleted ? nil : $0.item })
        entry.tries = intent.attempt
        entries.append(entry)
      case .rejected(let key, _), .conflict(let key, _): open[key] = nil
      case .closed(.intent(let key)), .closed(.operation(let key)): open[key] = nil
      default: break
      }
    }
    return entries
  }

  /// Returns the operations of unknown outcome, then all others in their order.
  static func waiting(_ survey: Survey, in session: Session) throws -> [JournalEntry] {
    var claims = Claims()
    let entries = try survey.entries.flatMap { entry -> [JournalEntry] in
      guard let key = entry.key else { return [] }
      let item = try entry.client.item ?? session.workspace.base(of: key).row?.item
      switch entry.standing {
      case .invalid, .moved: return []
      case .conflict:
        let status = ItemStatus(entry, in: session, &claims)
        return [
          JournalEntry(
            key: key, state: .conflict, kind: status.letters, item: item, fields: status.fields)
        ]
      case .unknown(let intent):
        // The server answered, but the command was interrupted before it applied the answer.
        let isAnswered = session.workspace.journal.results[key] != nil
        let sent = JournalEntry(
          key: key, state: .sent, kind: intent.kind.rawValue, item: intent.item ?? item,
          tries: intent.attempt)
        let next = intent.next(entry.client).map {
          JournalEntry(key: key, state: .pending, kind: $0.rawValue, item: item)
        }
        return [isAnswered ? nil : sent, next].compactMap { $0 }
      case .rejected(let operation, let rejection):
        return [
          JournalEntry(
            key: key, state: .rejected, kind: operation.kind.rawValue, item: item,
            refusal: rejection.refusal, tries: rejection.tries, last: rejection.time)
        ]
      case .pending(let operation), .waiting(let operation, _):
        return [
          JournalEntry(
            key: key, state: .pending, kind: operation.kind.rawValue, item: item,
            fields: operation.changedFields)
        ]
      }
    }
    return entries.filter { $0.state == .sent } + entries.filter { $0.state != .sent }
  }

  // MARK: Printing

  func row(_ names: ItemNames) -> [Line] {
    let row = [
      Line(state.rawValue, state.style), Line(kind), names.line(for: key),
      Table.title(names.title(of: item)),
    ]
    let remark = refusal?.sentence ?? fields.map(\.string).joined(separator: ", ")
    return remark.utf8.isEmpty ? row : row + [Line(remark)]
  }

  func json(_ names: ItemNames) -> JSONObject {
    var object = JSONObject(key, title: names.title(of: item))
    object.add(["state": state.rawValue, "kind": kind])
    if !fields.isEmpty { object.add(["fields": fields]) }
    object.add(ifAny: [
      "answer": refusal?.status, "message": refusal?.words, "tries": tries,
      "last": last.map(Timestamp.text),
    ])
    return object
  }
}

extension JournalEntry.State {
  fileprivate var style: Line.Style {
    switch self {
    case .done: .dim
    case .sent: .yellow
    case .rejected, .conflict: .red
    case .pending: .green
    }
  }
}

extension JournalRecord {
  /// The record's item; `nil` if the record is about a table.
  var key: ItemKey? {
    switch self {
    case .noted(let key, _), .result(let key, _), .rejected(let key, _), .conflict(let key, _),
      .resolve(let key, _):
      key
    case .intent(let intent): intent.key
    case .closed(.operation(let key)), .closed(.intent(let key)), .closed(.conflict(let key)),
      .closed(.resolution(let key)):
      key
    case .purge, .stopped, .closed(.purge), .closed(.stop): nil
    }
  }
}
