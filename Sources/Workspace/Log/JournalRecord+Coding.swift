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
    case .resolve(let key, let resolution):
      line.start("resolve", key)
      line.append("item", item: resolution.item)
      line.append("file", digest: resolution.digest)
      line.append("row", row: resolution.server)
      if let copy = resolution.copy { line.append("copy", key: copy) }
      line.append("client", item: resolution.client)
    case .purge(let table):
      line.append("t", "purge")
      line.append("table", .string(table.text))
    case .closed(let subject):
      line.append("t", "closed")
      line.append("of", .string(subject.name))
      line.append("table", .string(subject.table.text))
      if let id = subject.id { line.append("id", .string(id.text)) }
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
    case "resolve": self = .resolve(try line.key(), try line.resolution())
    case "purge": self = .purge(try TableName(try line.text("table")))
    case "closed": self = .closed(try line.subject())
    case let other: throw NameError("unknown kind of record '\(other)'")
    }
  }
}

extension JournalRecord.Subject {
  /// What the record's member `of` says.
  fileprivate var name: Text {
    switch self {
    case .conflict: "conflict"
    case .resolution: "resolution"
    case .purge: "purge"
    }
  }

  fileprivate var table: TableName {
    switch self {
    case .conflict(let key), .resolution(let key): key.table
    case .purge(let table): table
    }
  }

  fileprivate var id: ItemID? {
    switch self {
    case .conflict(let key), .resolution(let key): key.id
    case .purge: nil
    }
  }
}

extension JSONObject {
  fileprivate mutating func start(_ type: Text, _ key: ItemKey) {
    append("t", .string(type))
    append("table", .string(key.table.text))
    append("id", .string(key.id.text))
  }

  fileprivate mutating func append(_ name: Text, key: ItemKey) {
    append(name, ["table": .string(key.table.text), "id": .string(key.id.text)])
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
