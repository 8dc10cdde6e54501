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

  /// Reads a body.
  ///
  /// - Throws: `TableError.badRequest`: no JSON, no object, a member twice, or an id that is none.
  package init(_ body: [UInt8]) throws(TableError) {
    let value: JSON
    do throws(JSONError) {
      value = try JSON(parsing: body, limits: .item)
    } catch {
      throw .badRequest("the body is no JSON: \(error)")
    }
    guard let object = value.object else { throw .badRequest("the body must be a JSON object") }
    if let name = value.duplicate {
      throw .badRequest("the member '\(name)' is there twice")
    }
    id = try Self.id(object["id"])
    version = object["version"]?.text
    isDeleted = object["deleted"]?.boolean
    members = JSONObject(
      object.members.filter {
        !["id", "createdAt", "updatedAt", "version", "deleted"].contains($0.name)
      })
  }

  private static func id(_ value: JSON?) throws(TableError) -> ItemID? {
    switch value {
    case nil, .null: return nil
    case .string(let text) where text.isEmpty: return nil
    case .string(let text):
      do throws(NameError) { return try ItemID(text) } catch { throw .badRequest("\(error)") }
    default: throw .badRequest("the id must be a text")
    }
  }
}
