/// The fields of a row, without the id and the system fields.
///
/// Two items are equal when they mean the same; at the top level a field that is `null` and one
/// that is absent are the same.
package struct Item: Sendable {
  /// The name of the member that holds the id.
  package static let idField: Text = "id"

  /// The fields in their order.
  package var fields: JSONObject

  /// Takes an object's members as fields, leaving out the id and the system fields.
  package init(_ object: JSONObject) {
    let members = object.members.filter {
      $0.name != Self.idField && !SystemField.contains($0.name)
    }
    // Many are kept for long: a copy has no more room than it needs.
    fields = JSONObject(members.map { $0 })
  }

  /// The field's value; `nil` where it is absent or `null`.
  package subscript(name: Text) -> JSON? {
    get { fields[name].flatMap { $0.isNull ? nil : $0 } }
    set { fields[name] = newValue }
  }

  /// Returns the item as an object with its id first; fields that are `null` are left out on demand.
  package func object(id: ItemID, omittingNulls: Bool = false) -> JSONObject {
    var object = JSONObject([.init(name: Self.idField, value: .string(id.text))])
    for member in fields.members where !(omittingNulls && member.value.isNull) {
      object.append(member.name, member.value)
    }
    return object
  }

  /// Whether every field is `null`, or there is none.
  package var isEmpty: Bool { fields.members.allSatisfy(\.value.isNull) }

  private var hasNulls: Bool { fields.members.contains(where: \.value.isNull) }

  /// The fields that are not `null`, by name.
  package var values: [Text: JSON] {
    Dictionary(
      fields.members.compactMap { $0.value.isNull ? nil : ($0.name, $0.value) },
      uniquingKeysWith: { $1 })
  }
}

extension Item: Equatable {
  package static func == (left: Item, right: Item) -> Bool {
    left.fields == right.fields
      || (left.hasNulls || right.hasNulls) && left.values == right.values
  }
}
