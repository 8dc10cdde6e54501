package import SyncModel

/// A write that a client asks for.
package struct RowWrite: Equatable, Sendable {
  /// What is to be done.
  package enum Action: Equatable, Sendable {
    /// Make a row.
    case insert(JSONObject)
    /// Take over these members and keep the others.
    case merge(JSONObject)
    /// Keep these members only.
    case replace(JSONObject)
    /// Make it a tombstone.
    case delete
    /// Make a tombstone a row again.
    case undelete
  }

  /// The row's id.
  package var id: ItemID
  /// What is to be done.
  package var action: Action
  /// What the row must be like for it.
  package var precondition = Precondition()
  /// Whether merge and replace bring a tombstone back.
  package var revives = false
  /// Whether the client sees tombstones.
  package var includesDeleted = false
  /// How many bytes the client has sent.
  package var size = 0

  package init(_ action: Action, _ id: ItemID) {
    self.action = action
    self.id = id
  }
}

/// What became of a write.
package enum WriteOutcome: Hashable, Sendable {
  /// The row was made.
  case created(StoredRow)
  /// The row was written.
  case changed(StoredRow)
  /// The row was so already.
  case unchanged(StoredRow)
  /// There is a row, or a tombstone, with this id.
  case exists(StoredRow)
  /// The row isn't the one that the client means.
  case conflict(current: StoredRow)
  /// The row is a tombstone.
  case deleted(StoredRow)
  /// There is no such row.
  case missing
  /// The item would become larger than a store takes.
  case tooLarge
}

extension WriteOutcome {
  /// The row to be stored; `nil` where nothing is.
  package var stored: StoredRow? {
    switch self {
    case .created(let row), .changed(let row): row
    case .unchanged, .exists, .conflict, .deleted, .missing, .tooLarge: nil
    }
  }
}

extension RowWrite {
  /// Decides what becomes of this write; every store asks it inside its transaction.
  ///
  /// `current` is the row as it is stored now, tombstones included; `stamp` is what the row gets if
  /// it is written.
  ///
  /// - Throws: `StoreDamage` where the stored text is no JSON, whatever is to be done: no write may
  ///   hide that a copy must be put back.
  package func outcome(for current: StoredRow?, stamp: Stamp) throws -> WriteOutcome {
    let known = try current?.members()
    if case .insert(let members) = action {
      if let current { return .exists(current) }
      let row = StoredRow(
        id: id, createdAt: stamp.moment, updatedAt: stamp.moment, version: stamp.version,
        isDeleted: false, body: members.bodyText)
      return .created(row).limited(members)
    }
    guard let current, var members = known else { return .missing }
    let holds = precondition.verdict(on: current, reading: false) == .holds
    guard !current.isDeleted || revives || action == .undelete else {
      // If the client sees tombstones, a stale version is the first reason to refuse.
      return includesDeleted && !holds ? .conflict(current: current) : .deleted(current)
    }
    guard holds else { return .conflict(current: current) }
    var row = current
    switch action {
    case .insert, .delete: break
    case .merge(let changes):
      members = members.merged(with: changes.named(as: members))
      row.body = members.bodyText
    case .replace(let sent):
      members = sent.named(as: members)
      row.body = members.bodyText
    case .undelete: if !current.isDeleted { return .unchanged(current) }
    }
    row.isDeleted = action == .delete
    row.updatedAt = stamp.moment
    row.version = stamp.version
    // A tombstone is as large as its row was: what was taken once can be deleted.
    return action == .delete ? .changed(row) : WriteOutcome.changed(row).limited(members)
  }
}

extension WriteOutcome {
  /// Returns the same, unless the row is too large to be stored, with the members that it has: its
  /// whole text counts, since that is what clients take so much of.
  fileprivate func limited(_ members: JSONObject) -> WriteOutcome {
    guard members.members.count <= ServedLimits.members else { return .tooLarge }
    // What is around the body is less than this: most rows needn't be written to be measured.
    guard let row = stored, row.body.string.utf8.count > ServedLimits.item - 4_096,
      RowText(row).bytes.count > ServedLimits.item
    else { return self }
    return .tooLarge
  }
}

extension JSONObject {
  /// The object as the compact text that is stored.
  fileprivate var bodyText: Text {
    Text(decoding: JSON.object(self).encoded())
  }

  /// Returns the member of a name: the one that has it exactly, or else the first that has it in
  /// another letter case.
  func member(anyCase name: Text) -> Member? {
    members.first { $0.name == name } ?? members.first { $0.name.isEqual(anyCase: name.string) }
  }

  /// Returns the object with the names that another has for its members, letters' case aside.
  fileprivate func named(as other: JSONObject) -> JSONObject {
    let names = Dictionary(
      other.members.map { ($0.name.asciiLowercased, $0.name) },
      uniquingKeysWith: { first, _ in first })
    return JSONObject(
      members.map { Member(name: names[$0.name.asciiLowercased] ?? $0.name, value: $0.value) })
  }

  /// Returns the object with the members of another: known ones in their places, new ones last.
  ///
  /// A null stays: by it clients of the vendors' learn that a field was cleared.
  fileprivate func merged(with changes: JSONObject) -> JSONObject {
    var new = changes.byName()
    var result = members.map { member in
      JSONObject.Member(
        name: member.name, value: new.removeValue(forKey: member.name) ?? member.value)
    }
    result += changes.members.filter { new[$0.name] != nil }
    return JSONObject(result)
  }
}
