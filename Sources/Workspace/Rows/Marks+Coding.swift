import SyncEngine
import SyncModel

/// What commands were told of items, as lines of a log say it.
extension Marks {
  /// Returns the members of a line.
  static func object(_ id: ItemID, _ mark: Mark?) -> JSONObject {
    var object = JSONObject()
    switch mark {
    case nil: object.append("present", .string(id.text))
    case .undelete: object.append("undelete", .string(id.text))
    case .removed(let after, let time):
      object.append("removed", .string(id.text))
      if let after { object.append("after", .string(after.text)) }
      object.append("time", .integer(Int(time / 1_000)))
    }
    return object
  }

  /// Reads a line's members; `nil` where they say something else.
  static func mark(_ object: JSONObject) -> (id: ItemID, mark: Mark?)? {
    func id(_ name: Text) -> ItemID? { object[name]?.text.flatMap { try? ItemID($0) } }
    if let id = id("present") { return (id, nil) }
    if let id = id("undelete") { return (id, .undelete) }
    guard let removed = id("removed"), let time = object["time"]?.integer,
      (0..<1 << 53).contains(time), object["after"] == nil || id("after") != nil
    else { return nil }
    return (removed, .removed(after: id("after"), time: Int64(time) * 1_000))
  }
}
