import SyncEngine
import SyncModel

extension Attempt {
  /// The members of its line.
  var object: JSONObject {
    var line = JSONObject()
    line.append("sent", .string(key.id.text))
    line.append("op", .string(kind.rawValue))
    if let version { line.append("version", .string(version.text)) }
    line.append("item", item: item)
    line.append("file", digest: digest)
    line.append("tries", .integer(tries))
    line.append("time", .integer(Int(time)))
    return line
  }

  /// Reads an attempt from the members of its line.
  ///
  /// - Throws: What is wrong with it.
  init(_ object: JSONObject, in table: TableName) throws(NameError) {
    let line = LineMembers(object: object)
    self.init(
      key: ItemKey(table, try ItemID(try line.text("sent"))), kind: try line.kind(),
      version: try line.version(), item: try line.item("item"), digest: try line.digest("file"),
      tries: try line.integer("tries"), time: Int64(try line.integer("time")))
  }
}

extension Rejection {
  /// What a line has as the status where the server said that it did the write.
  private static let done = 200

  /// The members of its line.
  func object(of id: ItemID) -> JSONObject {
    var line = JSONObject()
    line.append("refused", .string(id.text))
    line.append("ends", .string(id.text))
    line.append("op", .string(kind.rawValue))
    line.append("status", .integer(refusal.status ?? Self.done))
    line.append("words", .string(refusal.words))
    if refusal.passes { line.append("passes", true) }
    line.append("file", digest: digest)
    line.append("tries", .integer(tries))
    line.append("time", .integer(Int(time)))
    return line
  }

  /// Reads a refusal from the members of its line.
  ///
  /// - Throws: What is wrong with it.
  init(_ object: JSONObject) throws(NameError) {
    let line = LineMembers(object: object)
    let status = try line.integer("status")
    self.init(
      kind: try line.kind(),
      refusal: Refusal(
        status: status == Self.done ? nil : status, words: try line.text("words"),
        passes: object["passes"]?.boolean == true),
      digest: try line.digest("file"), tries: try line.integer("tries"),
      time: Int64(try line.integer("time")))
  }
}

extension Laid {
  /// The members of its line.
  func object(of id: ItemID) -> JSONObject {
    var line = JSONObject()
    line.append("conflict", .string(id.text))
    line.append("file", digest: file)
    line.append("server", digest: row)
    return line
  }

  /// Reads the sides of a conflict from the members of their line.
  ///
  /// - Throws: What is wrong with it.
  init(_ object: JSONObject) throws(NameError) {
    let line = LineMembers(object: object)
    self.init(file: try line.digest("file"), row: try line.digest("server"))
  }
}

extension JSONObject {
  fileprivate mutating func append(_ name: Text, digest: Digest?) {
    if let digest { append(name, .string(digest.description)) }
  }

  fileprivate mutating func append(_ name: Text, item: Item?) {
    if let item { append(name, .object(item.fields)) }
  }
}
