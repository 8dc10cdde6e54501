import SyncEngine
import SyncModel

/// The status of one item, in the words and letters of `tsync status`.
struct ItemStatus: Equatable {
  /// The groups, the most urgent first.
  enum Group: String, CaseIterable {
    case conflict, rejected, unknown, invalid, pending
  }

  let group: Group
  /// Two letters: the change here, and the change on the server.
  let letters: String
  /// The fields that differ or are in conflict.
  let fields: [Text]

  /// Takes a conflict as it was when it was found.
  init(_ entry: Survey.Entry) {
    switch entry.standing {
    case .conflict(let conflict):
      self.init(.conflict, conflict.kind.rawValue, conflict.fields)
    case .rejected(let operation, _): self.init(.rejected, "R ", operation.changedFields)
    case .unknown: self.init(.unknown, "? ", [])
    case .invalid, .moved: self.init(.invalid, "!!", [])
    case .pending(let operation), .waiting(let operation, _):
      self.init(.pending, "\(operation.letter) ", operation.changedFields)
    }
  }

  /// Takes a conflict as it is now.
  init(_ entry: Survey.Entry, in session: Session, _ claims: inout Claims) {
    self.init(entry)
    // If a side can't be read, or two client sides were edited, it stays as it was found.
    guard case .conflict = entry.standing, let key = entry.key,
      let now = try? session.conflict(key, &claims)
    else { return }
    let isNothing = now.client == nil && now.server == nil
    self.init(.conflict, isNothing ? "DD" : now.kind.rawValue, now.names)
  }

  private init(_ group: Group, _ letters: String, _ fields: [Text]) {
    self.group = group
    self.letters = letters
    self.fields = fields
  }

  /// The letter of the change here; empty if there is none.
  var here: String { String(decoding: letters.utf8.prefix(1), as: UTF8.self) }
  /// The letter of the change on the server; empty if there is none.
  var there: String {
    letters.utf8.last == 0x20 ? "" : String(decoding: letters.utf8.suffix(1), as: UTF8.self)
  }
}

extension Operation {
  var letter: String {
    switch kind {
    case .insert, .undelete: "A"
    case .update: "M"
    case .delete: "D"
    }
  }

  /// The fields that an update changes; none for other operations.
  var changedFields: [Text] { kind == .update ? change.names : [] }
}
