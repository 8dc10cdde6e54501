import SyncEngine
import SyncModel

/// The journal's lines, one a record; tsync-log-format(5) documents each member.
extension JournalRecord {
  /// The members of the record's line.
  var object: JSONObject {
    var line = JSONObject()
    switch self {
    case .conflict(let key, let conflict):
      line.start("conflict", key)
      line.append("kind", .string(conflict.kind.rawValue))
      line.append("fields", .array(conflict.fields.map(JSON.string)))
      line.append("file", digest: conflict.digest)
      line.append("row", row: conflict.server)
      line.append("base", item: conflict.origin)
    case .closed(let key): line.start("closed", key)
    }
    return line
  }

  /// Reads a record from the members of a line.
  ///
  /// - Throws: What is wrong with it; a kind of record that is not known, too.
  init(_ object: JSONObject) throws(NameError) {
    let line = JournalLine(object: object)
    switch try line.text("t") {
    case "conflict": self = .conflict(try line.key(), try line.conflict())
    case "closed": self = .closed(try line.key())
    case let other: throw NameError("unknown kind of record '\(other)'")
    }
  }
}

extension JSONObject {
  fileprivate mutating func start(_ type: Text, _ key: ItemKey) {
    append("t", .string(type))
    append("table", .string(key.table.text))
    append("id", .string(key.id.text))
  }

  mutating func append(_ name: Text, digest: Digest?) {
    if let digest { append(name, .string(digest.description)) }
  }

  mutating func append(_ name: Text, item: Item?) {
    if let item { append(name, .object(item.fields)) }
  }

  fileprivate mutating func append(_ name: Text, row: Row?) {
    guard let row else { return }
    append(name, (try? JSON(parsing: row.text)) ?? .object(row.item.object(id: row.id)))
  }
}
