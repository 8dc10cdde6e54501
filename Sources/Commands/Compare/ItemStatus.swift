import SyncEngine
import SyncModel

/// The status of one item, in the words and letters of `tsync status`.
struct ItemStatus {
  /// The groups, the most urgent first.
  enum Group: String {
    case conflict, rejected, unknown, invalid, pending
  }

  let entry: Survey.Entry
  let group: Group
  /// Two letters: the change here, and the change on the server.
  private(set) var letters: String
  /// The fields that differ or are in conflict.
  private(set) var fields: [Text] = []

  /// Takes a conflict as the item's file has it.
  init(_ entry: Survey.Entry) {
    self.entry = entry
    switch entry.standing {
    case .conflict(let conflict):
      (group, letters, fields) = (.conflict, conflict.letters, conflict.names)
    case .rejected(let operation, _):
      (group, letters, fields) = (.rejected, "R ", operation.updatedFields)
    case .unknown: (group, letters) = (.unknown, "? ")
    case .invalid, .moved: (group, letters) = (.invalid, "!!")
    case .pending(let operation), .behind(let operation, _):
      (group, letters, fields) = (.pending, "\(operation.letter) ", operation.updatedFields)
    }
  }

  /// Takes a conflict as it is to be resolved, by the rule of its table.
  init(_ entry: Survey.Entry, in session: Session) {
    self.init(entry)
    // If a side can't be read, or two client sides were edited, it is as the item's file has it.
    guard group == .conflict, let key = entry.key else { return }
    let isPlain = session.settings.policy(of: key.table) == MergePolicy()
    if isPlain, (try? session.workspace.editedSide(of: key)) == nil { return }
    guard let now = try? session.conflict(key) else { return }
    letters = now.letters
    fields = now.names
  }

  /// The letter of the change here.
  var here: String { String(letters.prefix(1)) }
  /// The letter of the change on the server; empty if there is none.
  var there: String { letters.last == " " ? "" : String(letters.suffix(1)) }
}

extension Operation {
  fileprivate var letter: String {
    switch kind {
    case .insert, .undelete: "A"
    case .update: "M"
    case .delete: "D"
    }
  }

  /// The fields that an update changes; none for other operations.
  var updatedFields: [Text] { kind == .update ? change.names : [] }
}
