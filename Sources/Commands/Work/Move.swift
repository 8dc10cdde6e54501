import SyncEngine
import SyncModel
import Workspace

/// The giving of another id.
///
/// The file gets its new name first, in one step: what is cut off after that is a file that was moved by
/// hand, which the same command finishes where the item's id stands in it.
struct Move {
  /// The file that holds the item now, by its name in the table's directory.
  let name: String
  /// The item that is to be no more; `nil` where there never was one.
  let old: ItemKey?
  /// The item that is to be.
  let target: ItemKey
  private let text: [UInt8]
  /// The file's text as it was found.
  private let foundText: [UInt8]
  /// What is wrong with the file where it is none of an item's, by its name or by the id in it.
  private let stray: InvalidItem?
  /// The item whose name the file has; `nil` where that is none.
  private let holder: ItemKey?
  /// Whether the file has the name already that belongs to the new id.
  private let isInPlace: Bool
  /// Whether the file lies where another item's belongs, which comes back.
  private let hidesHolder: Bool

  /// Finds what is to be moved.
  ///
  /// - Throws: ``Failure``, where it can't be.
  init(_ referent: Referent, to id: ItemID, _ inventory: Inventory, _ open: OpenWorkspace) throws {
    target = ItemKey(referent.table, id)
    var holder = referent.key
    var stray = referent.stray
    if let key = referent.key, !inventory.contains(key) || inventory.isAbsent(key) {
      // The file was moved by other means: it is where its id stands.
      let claimants = inventory.claimants(of: key)
      guard let first = claimants.first else { throw Failure.usage("\(key) has no file here") }
      guard claimants.count == 1 else {
        throw Failure.usage(
          "\(claimants.count) files contain the id \(key); give a path",
          hints: claimants.map { "  .todosync/\($0.place)" })
      }
      stray = first
      holder = try Self.key(first.fileName, referent.table)
    } else if let key = referent.key {
      stray = inventory.invalid(key)
    }
    name = try stray?.fileName ?? PathName.split(open.path(of: holder ?? target)).name
    if let stray, let holder, stray.claims == nil {
      throw Failure(invalid: try open.workspace.client(holder).invalid ?? stray, .usage)
    }
    let table = referent.table
    let claimed = stray?.claims.map { ItemKey(table, $0) }
    let former = try stray == nil ? holder : Self.item(saying: claimed, in: holder, inventory, open)
    // A file that comes back to the place of its id makes nothing new.
    old = stray != nil && former == target ? nil : former
    if let old, open.workspace.journal.conflicts[old] != nil {
      if let stray { throw Failure.moved(old, to: stray, isInConflict: true) }
      throw Failure.usage("\(old) is in conflict", hints: ["first: \(typed: "resolve", "\(old)")"])
    }
    guard let bytes = try open.workspace.text(named: name, in: target.table) else {
      throw Failure.usage("\(referent.table)/\(name) can't be read")
    }
    isInPlace = Text(name) == Text(PathName.split(try open.path(of: target)).name)
    (foundText, self.stray, self.holder) = (bytes, stray, holder)
    text = try Self.text(bytes, id, place: "\(referent.table)/\(name)")
    guard text.count <= ItemFile.limit else {
      throw Failure.usage("\(target) would be larger than \(ItemFile.limit >> 20) MiB")
    }
    if stray == nil, isInPlace { throw Failure.usage("\(target) has that id already") }
    let own = target
    let journal = open.workspace.journal
    if old != nil, let intent = journal.intents[target], intent.kind != .delete {
      throw Failure.usage(
        "the outcome of \(target) is unknown", hints: ["find it out first: \(typed: "push")"])
    }
    // What was moved may be moved back, also by the command.
    func successor(_ key: ItemKey) -> ItemKey? { journal.notes[key]?.note.successor }
    let isBack = stray == nil && holder != nil && successor(target) == holder
    let isFree = (isBack || stray != nil && former == target) && inventory.isAbsent(target)
    // So may be what was cut off half way back.
    let isHalfBack = former.map { successor(own) == $0 || successor($0) == own } ?? false
    let isTaken =
      try isInPlace
      ? former != target && !isHalfBack && open.workspace.isKnown(target) : !isFree
    if inventory.contains(target), isTaken {
      var hints: [Hint] = []
      if inventory.isAbsent(target), journal.notes[target]?.note.commanded == true {
        hints.append("not yet deleted on the server; to delete it: \(typed: "push")")
      }
      if let stray, isInPlace {
        // What lies in another item's place is given its own name, or goes.
        let words = former.map { ["mv", "\($0)", "\($0.id)"] } ?? ["restore", "\(target)"]
        hints.append("\(stray.place): \(typed: words)")
      }
      throw Failure.usage("\(target) already exists", hints: hints)
    }
    hidesHolder =
      try stray != nil
      && holder.map { holder in
        try holder != former && holder != own && open.workspace.isKnown(holder)
          && open.workspace.journal.notes[holder]?.note.commanded != true
      } == true
    if let holder, hidesHolder, open.workspace.journal.conflicts[holder] != nil {
      throw Failure.usage(
        "\(holder) is in conflict", hints: ["first: \(typed: "resolve", "\(holder)")"])
    }
  }

  /// Returns the item that a file was which isn't named as the id in it says; `nil` where it is a copy of
  /// one that is still there.
  private static func item(
    saying claimed: ItemKey?, in holder: ItemKey?, _ inventory: Inventory, _ open: OpenWorkspace
  ) throws -> ItemKey? {
    let journal = open.workspace.journal
    // What the server never had is an item too, where something was noted of it.
    func isOne(_ key: ItemKey) throws -> Bool {
      try open.workspace.isKnown(key) || journal.notes[key]?.note.kind == .insert
        || journal.isAwaited(key)
    }
    guard let claimed, try inventory.contains(claimed) || isOne(claimed) else {
      // No item has that id: it was the id in the file that was changed, not the file's name.
      return try holder.map(isOne) ?? false ? holder : claimed
    }
    guard try open.workspace.client(claimed) == .absent else { return nil }
    // One that has become another item, which is there, has only left a copy.
    let successor = journal.notes[claimed]?.note.successor
    return try successor.map { try $0 == holder || open.workspace.client($0) == .absent } ?? true
      ? claimed : nil
  }

  private static func key(_ name: String, _ table: TableName) throws -> ItemKey? {
    let stem = name.utf8.dropLast(FileName.suffix.bytes.count)
    let id = try? FileName.id(of: Text(String(decoding: stem, as: UTF8.self)))
    return id.map { ItemKey(table, $0) }
  }

  /// Returns a file's text with another id in it, where there was one.
  private static func text(_ bytes: [UInt8], _ id: ItemID, place: String) throws -> [UInt8] {
    do throws(JSONError) {
      let edit = try JSONEdit(bytes, limits: .item)
      if let duplicate = edit.duplicate { throw duplicate }
      return edit.object[Item.idField] == nil
        ? bytes : edit.setting([(Item.idField, .string(id.text))])
    } catch {
      throw Failure.usage("\(place):\(error)")
    }
  }

  /// Does it.
  ///
  /// - Returns: The item under its new id.
  func run(on open: inout OpenWorkspace) throws -> Item {
    if !isInPlace, !hidesHolder {
      // A text without an id doesn't tell what it was, should the rest be cut off.
      if let old, stray == nil, text == foundText, try open.workspace.isKnown(old) {
        try open.workspace.append([.noted(old, note(of: old, on: open))], durably: true)
      }
      guard try open.workspace.rename(name, to: target) else {
        throw Failure(
          .rejected, "\(target.table)/\(name) was changed meanwhile", hints: ["try again"])
      }
      // No power loss may leave the file under both names.
      try open.workspace.settle()
    }
    // From here on the item is the new one, whatever cuts this off.
    if !hidesHolder { try noteSuccessor(&open) }
    let expected = hidesHolder ? nil : Digest(of: foundText)
    guard
      try text == foundText && expected != nil
        || open.workspace.write(text: text, to: target, expecting: expected) != .changedMeanwhile
    else { throw Failure(.rejected, "\(target) was changed meanwhile", hints: ["try again"]) }
    let (item, _) = try open.item(target)
    try open.workspace.settle()
    try open.note([(target, item)])
    if hidesHolder {
      try noteSuccessor(&open)
      try bringBackHolder(&open)
    }
    if let old, try open.workspace.client(old) == .absent {
      // That is what `tsync restore` brings back, and says that there was an item of that id.
      if try stray == nil || open.workspace.isKnown(old) {
        // Nobody can tell an id that was edited from another file's text in the item's place.
        if stray != nil, holder == old, let former = try open.workspace.base(of: old).item,
          former != item
        {
          try open.workspace.keep(former, of: old)
        }
        try open.workspace.keep(item, of: old)
      }
    } else if let old, stray == nil {
      throw Failure(.rejected, "\(old) was changed meanwhile, and stays beside \(target)")
    }
    try open.workspace.settle()
    return item
  }

  /// Puts the item back in whose place the file lay.
  private func bringBackHolder(_ open: inout OpenWorkspace) throws {
    guard let stray, let holder else { return }
    let isSame = try open.workspace.text(named: name, in: target.table).map { $0 == foundText }
    guard
      try isSame != false
        && open.workspace.restore(
          holder,
          discarding: { workspace in
            _ = try workspace.discard(stray, of: holder, in: holder.table)
          })
    else {
      throw Failure(.rejected, "\(stray.place) was changed meanwhile, and stays beside \(target)")
    }
  }

  /// Notes that the item, whose file is gone, is deleted when the server has had the new one, and so is
  /// what waits for it itself.
  private func noteSuccessor(_ open: inout OpenWorkspace) throws {
    let journal = open.workspace.journal
    var records: [JournalRecord] = []
    if journal.notes[target]?.note.commanded == true, journal.intents[target] == nil {
      // Should the file vanish later, nobody has said so.
      records.append(.closed(.operation(target)))
    }
    guard let old else { return try append(records, &open) }
    records += journal.following(old, to: target)
    // Of a file that was moved by hand another one may lie in its place.
    if try !open.workspace.isKnown(old) {
      if journal.notes[old] != nil { records.append(.closed(.operation(old))) }
    } else if try open.workspace.client(old) == .absent {
      // What was noted of it before would have its delete sent before the new row.
      if journal.intents[old] == nil { records.append(.closed(.operation(old))) }
      records.append(.noted(old, try note(of: old, on: open)))
    }
    try append(records, &open)
  }

  /// Returns the note that the old item's row is deleted once the server has had the new one from here,
  /// which it has already where an item comes back as it was.
  private func note(of old: ItemKey, on open: OpenWorkspace) throws -> Note {
    let base = try open.workspace.base(of: target).item
    let item = try? ItemFile.item(in: text, as: target, place: "")
    // While a delete of it is open, nobody knows what the server has.
    let isThere = base != nil && base == item && open.workspace.journal.intents[target] == nil
    return Note(kind: .delete, commanded: true, successor: target, hasArrived: isThere)
  }

  private func append(_ records: [JournalRecord], _ open: inout OpenWorkspace) throws {
    if !records.isEmpty { try open.workspace.append(records, durably: true) }
  }
}

extension ClientState {
  /// What is wrong with it; `nil` where nothing is.
  fileprivate var invalid: InvalidItem? {
    guard case .invalid(let invalid) = self else { return nil }
    return invalid
  }
}
