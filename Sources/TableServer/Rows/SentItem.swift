package import SyncModel

/// An item as a client sent it: the members, and what it said about system columns.
package struct SentItem: Equatable, Sendable {
  /// The id; `nil` where there is none, or an empty one.
  package let id: ItemID?
  /// The version.
  package let version: Text?
  /// Whether the client calls it deleted.
  package let isDeleted: Bool?
  /// The members that are the user's, in their order.
  package let members: JSONObject
  /// How many bytes the body has.
  package let size: Int

  /// Reads a body.
  ///
  /// - Throws: `TableError.badRequest`: no JSON, no object, a member twice, in any letter case, an
  ///   id that is none, or a member that no client may set.
  package init(_ body: [UInt8], _ dialect: ServedDialect) throws(TableError) {
    size = body.count
    let value: JSON
    do throws(JSONError) {
      value = try JSON(parsing: body, limits: .item)
    } catch {
      throw .badRequest("the body is not JSON: \(error)")
    }
    guard let object = value.object else { throw .badRequest("the body must be a JSON object") }
    if let name = value.duplicate {
      throw .badRequest("the member '\(name)' appears twice")
    }
    if let name = object.members.map(\.name).first(where: { Self.refuses($0, dialect) }) {
      throw .badRequest("only the server sets the member '\(name)': leave it out")
    }
    var names: [Text: Text] = [:]
    for name in object.members.map(\.name) {
      guard let first = names.updateValue(name, forKey: name.asciiLowercased) else { continue }
      throw .badRequest("the members '\(first)' and '\(name)' differ only in case")
    }
    id = try Self.id(object.member(anyCase: "id")?.value)
    version = object["version"]?.text
    isDeleted = object.member(anyCase: "deleted")?.value.boolean
    members = JSONObject(object.members.filter { RowColumn.named($0.name, prefix: "") == nil })
  }

  /// Whether a member makes the body no item: a system column with the prefix of 2014, whoever sends
  /// it; in a strict dialect whatever begins like one, or would stand beside one in the row's text.
  private static func refuses(_ name: Text, _ dialect: ServedDialect) -> Bool {
    guard dialect.isStrict else {
      return name.string.utf8.first == UInt8(ascii: "_")
        && RowColumn.named(name, prefix: "__").map { $0 != .id } ?? false
    }
    return name.string.utf8.starts(with: "__".utf8)
      || name != "id" && RowColumn.named(name, prefix: "") != nil
  }

  private static func id(_ value: JSON?) throws(TableError) -> ItemID? {
    switch value {
    case nil, .null: return nil
    case .string(let text) where text.isEmpty: return nil
    case .string(let text):
      do throws(NameError) { return try ItemID(text) } catch { throw .badRequest("\(error)") }
    default: throw .badRequest("the id must be a string")
    }
  }
}
