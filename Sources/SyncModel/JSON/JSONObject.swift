/// The members of a JSON object, in their order.
package struct JSONObject: Sendable {
  /// A name and its value.
  package struct Member: Equatable, Sendable {
    /// The name, unescaped.
    package var name: Text
    /// The value.
    package var value: JSON

    package init(name: Text, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The members in their order.
  package private(set) var members: [Member]

  /// Makes an object of members, in that order.
  package init(_ members: [Member] = []) {
    self.members = members
  }

  /// The first name that stands twice; `nil` where every name stands once.
  ///
  /// RFC 8259 §4 lets a parser accept them; items and rows refuse them, because which one counts
  /// is anybody's guess.
  package var duplicate: Text? {
    if members.count < Self.few {
      for (index, member) in members.enumerated()
      where members[..<index].contains(where: { $0.name == member.name }) {
        return member.name
      }
      return nil
    }
    var seen = Set<Text>(minimumCapacity: members.count)
    return members.first { !seen.insert($0.name).inserted }?.name
  }

  /// The value under a name: the last one where it stands twice; assigning `nil` removes it.
  package subscript(name: Text) -> JSON? {
    get { members.last { $0.name == name }?.value }
    set {
      guard let newValue else {
        members.removeAll { $0.name == name }
        return
      }
      if let index = members.lastIndex(where: { $0.name == name }) {
        members[index].value = newValue
      } else {
        members.append(Member(name: name, value: newValue))
      }
    }
  }

  /// Adds a member at the end without looking for the name.
  package mutating func append(_ name: Text, _ value: JSON) {
    members.append(Member(name: name, value: value))
  }

  /// Returns the values by name, for looking up many.
  package func byName() -> [Text: JSON] {
    Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  // Below this many members a look through the array is faster than hashing.
  private static let few = 12
}

extension JSONObject: Equatable {
  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.members.count == right.members.count else { return false }
    // Most pairs come from the same writer and have the same order.
    if zip(left.members, right.members).allSatisfy({ $0.name == $1.name }) {
      return zip(left.members, right.members).allSatisfy { $0.value == $1.value }
    }
    guard left.duplicate == nil, right.duplicate == nil else { return false }
    let values = right.byName()
    return left.members.allSatisfy { values[$0.name] == $0.value }
  }
}
