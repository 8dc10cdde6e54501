import SyncEngine

@testable import SyncModel
@testable import Workspace

/// The reading and rewriting of an item's file.
///
/// An input is the file's text, a byte 0, and a JSON object that the item is to become.
enum ItemFileTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let text = Array(parts[0])
    let item = try read(text)
    if let edit = try? JSONEdit(text, limits: .item) {
      try outline(edit, text)
      try ensure(
        (edit.duplicate == nil) == (JSON.object(edit.object).duplicate == nil), "duplicates")
    }
    guard parts.count == 2,
      let wanted = try? JSON(parsing: Array(parts[1]), limits: .item).object,
      JSON.object(wanted).duplicate == nil
    else { return }
    try set(wanted, in: text)
    if let item { try rewrite(text, item, as: Item(wanted)) }
  }

  /// Reads a file's text, and makes sure that the item survives being written anew.
  private static func read(_ text: [UInt8]) throws(Finding) -> Item? {
    guard let table = try? TableName("t"), let id = try? ItemID("a") else { return nil }
    let key = ItemKey(table, id)
    let item: Item
    do throws(InvalidItem) {
      item = try ItemFile.item(in: text, as: key, place: "t/a.json")
    } catch {
      try ensure((error.line == nil) == (error.column == nil), "half a place: \(error)")
      return nil
    }
    let body = Array(text.dropFirst(text.starts(with: mark) ? mark.count : 0))
    let measures = JSONRecogniser.measures(of: body)
    try ensure((measures?.depth ?? 99) <= JSONLimits.item.depth, "no JSON, or too deep")
    let written = ItemFile.text(of: item, id: id)
    let again = try? ItemFile.item(in: written, as: key, place: "t/a.json")
    try ensure(again == item, "another item once written: \(shown(written))")
    try ensure(ItemFile.text(of: item, id: id) == written, "written in two ways")
    return item
  }

  /// Makes sure that the outline of a text names the members that the parser found.
  private static func outline(_ edit: JSONEdit, _ text: [UInt8]) throws(Finding) {
    guard let start = text.firstIndex(of: UInt8(ascii: "{")) else { return }
    let outline = JSONOutline(of: text, at: start)
    try ensure(outline.members.count == edit.object.members.count, "members of the outline")
    for (place, member) in zip(outline.members, edit.object.members) {
      let name = (try? JSON(parsing: text[place.name]))?.text
      try ensure(name == member.name, "the outline has \(shown(text[place.name]))")
      let value = try? JSON(parsing: text[place.value])
      try ensure(value == member.value, "the outline has \(shown(text[place.value]))")
    }
  }

  /// Sets members one by one, in texts with duplicates as well.
  private static func set(_ wanted: JSONObject, in text: [UInt8]) throws(Finding) {
    guard let edit = try? JSONEdit(text) else { return }
    let values = wanted.members.map { member -> (name: Text, value: JSON?) in
      (member.name, member.value.isNull ? nil : member.value)
    }
    let result = edit.setting(values)
    guard let object = try? JSONEdit(result).object else {
      throw Finding(description: "set to no JSON: \(shown(result))")
    }
    for (name, value) in values {
      try ensure(object[name] == value, "'\(name)' was not set: \(shown(result))")
    }
    let own = edit.object.byName().map { (name: $0.key, value: Optional($0.value)) }
    try ensure(edit.setting(own) == text, "members set to their own values have changed")
  }

  /// Rewrites a text, and makes sure that it means what it should, and is otherwise as it was.
  private static func rewrite(_ text: [UInt8], _ item: Item, as wanted: Item) throws(Finding) {
    guard let id = try? ItemID("a"), let old = try? JSONEdit(text).object else { return }
    let result = ItemFile.rewritten(text, as: wanted, id: id)
    guard let new = try? JSONEdit(result, limits: .item).object else {
      throw Finding(description: "rewritten as no JSON: \(shown(result))")
    }
    try ensure(Item(new) == wanted, "rewritten as another item: \(shown(result))")
    try ensure(new[Item.idField] == old[Item.idField], "the id was rewritten")
    for field in SystemField.allCases {
      try ensure(new[field.name] == old[field.name], "\(field) was rewritten")
    }
    if item == wanted { try ensure(result == text, "rewritten for nothing: \(shown(result))") }
    guard let start = text.firstIndex(of: UInt8(ascii: "{")) else { return }
    try ensure(result.starts(with: text[..<start]), "what stands before the object has changed")
    let end = JSONOutline(of: text, at: start).end + 1
    try ensure(
      result.reversed().starts(with: text[end...].reversed()), "what follows the object has changed"
    )
    try keeps(Version(text, start, old), Version(result, start, new))
    let back = ItemFile.rewritten(result, as: item, id: id)
    try ensure((try? JSONEdit(back)).map { Item($0.object) } == item, "not rewritten back")
  }

  /// An object in a text.
  private struct Version {
    let text: [UInt8]
    let outline: JSONOutline
    let object: JSONObject

    init(_ text: [UInt8], _ start: Int, _ object: JSONObject) {
      self.text = text
      self.object = object
      outline = JSONOutline(of: text, at: start)
    }

    /// Returns the place of a member.
    func place(of name: Text) -> JSONOutline.Member? {
      object.members.firstIndex { $0.name == name }.map { outline.members[$0] }
    }
  }

  /// Makes sure that the members of an object whose meaning is the same have the same bytes, in the
  /// same order.
  private static func keeps(_ old: Version, _ new: Version) throws(Finding) {
    let survivors = old.object.members.filter { new.object[$0.name] != nil }.map(\.name)
    let prefix = new.object.members.prefix(survivors.count).map(\.name)
    try ensure(prefix == survivors, "another order: \(shown(new.text))")
    for member in old.object.members {
      guard let place = old.place(of: member.name), let newPlace = new.place(of: member.name),
        let value = new.object[member.name]
      else { continue }
      if value == member.value {
        let bytes = old.text[place.name.lowerBound..<place.value.upperBound]
        let newBytes = new.text[newPlace.name.lowerBound..<newPlace.value.upperBound]
        try ensure(bytes == newBytes, "\(shown(bytes)) became \(shown(newBytes))")
      } else if let inner = member.value.object, let newInner = value.object {
        try keeps(
          Version(old.text, place.value.lowerBound, inner),
          Version(new.text, newPlace.value.lowerBound, newInner))
      }
    }
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
