import SyncModel

/// The JSON document that a command prints at its end with `--json`.
struct Document {
  private enum Value {
    case single(JSON)
    case list([JSON])

    var json: JSON {
      switch self {
      case .single(let value): value
      case .list(let elements): .array(elements)
      }
    }
  }

  /// The name and version of the layout, such as `tsync.list/1`.
  let schema: String
  private var members: [(name: Text, value: Value)] = []

  init(schema: String) {
    self.schema = schema
  }

  mutating func set(_ name: Text, _ value: JSON) { put(name, .single(value)) }

  /// Adds a list, which may stay empty.
  mutating func begin(_ list: Text) { put(list, .list([])) }

  private mutating func put(_ name: Text, _ value: Value) {
    if let index = members.firstIndex(where: { $0.name == name }) {
      members[index].value = value
    } else {
      members.append((name, value))
    }
  }

  /// Adds an element to a list, which it begins if needed.
  mutating func append(_ element: JSON, to list: Text) {
    guard let index = members.firstIndex(where: { $0.name == list }),
      case .list(var elements) = members[index].value
    else { return put(list, .list([element])) }
    // Without this copy, the array is moved and not copied for each element.
    members[index].value = .list([])
    elements.append(element)
    members[index].value = .list(elements)
  }

  /// Returns the text with the error, if there is one; `nil` if there is nothing to print.
  func text(error: JSON?) -> [UInt8]? {
    guard !members.isEmpty || error != nil else { return nil }
    let isEmpty = members.allSatisfy { if case .list([]) = $0.value { true } else { false } }
    var object = JSONObject()
    if let error, isEmpty {
      object.add(["schema": "tsync.error/1", "error": error])
    } else {
      object.add(["schema": schema])
      for member in members { object.append(member.name, member.value.json) }
      object.add(ifAny: ["error": error])
    }
    return JSON.object(object).encoded(.compactASCII) + [0x0A]
  }
}
