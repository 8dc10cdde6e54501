import SyncEngine
import SyncModel

/// How one item stands, in the words and letters of `tsync status`.
struct Standing: Equatable {
  /// The groups, in the order in which they ask for attention.
  enum Group: String, CaseIterable {
    case conflict, rejected, unknown, invalid, pending
  }

  /// The group, whose name programs are told.
  let group: Group
  /// What happened here, and what happened there: two letters.
  let letters: String
  /// The fields that differ or are in conflict.
  let fields: [Text]

  /// Reads a survey's entry; of a conflict, what it was when it was laid down.
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

  /// Reads a survey's entry; of a conflict, what it now is.
  init(_ entry: Survey.Entry, in open: OpenWorkspace, _ claims: inout Claims) {
    self.init(entry)
    // Where a side can't be read, or two were edited, it is as it was.
    guard case .conflict = entry.standing, let key = entry.key,
      let now = try? open.conflict(key, &claims)
    else { return }
    let isNothing = now.client == nil && now.server == nil
    self.init(.conflict, isNothing ? "DD" : now.kind.rawValue, now.names)
  }

  private init(_ group: Group, _ letters: String, _ fields: [Text]) {
    self.group = group
    self.letters = letters
    self.fields = fields
  }

  /// The letter for here; empty where nothing happened.
  var here: String { String(decoding: letters.utf8.prefix(1), as: UTF8.self) }
  /// The letter for there; empty where nothing happened.
  var there: String {
    letters.utf8.last == 0x20 ? "" : String(decoding: letters.utf8.suffix(1), as: UTF8.self)
  }
}

extension Operation {
  /// What happened to the item here.
  var letter: String {
    switch kind {
    case .insert, .undelete: "A"
    case .update: "M"
    case .delete: "D"
    }
  }

  /// The fields that an update changes; all others change none or all.
  var changedFields: [Text] { kind == .update ? change.names : [] }
}
