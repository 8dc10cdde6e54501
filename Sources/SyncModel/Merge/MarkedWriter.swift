/// The writing of a marked document.
enum MarkedWriter {
  /// Returns the merged item with the fields in conflict marked.
  ///
  /// A member is followed by its comma, so that a line is one member. After the last member that is
  /// there whichever sides are taken, commas go before the members instead.
  static func text(of merge: FieldMerge, _ id: ItemID) -> [UInt8] {
    let parts = parts(of: merge, id)
    let solid = parts.lastIndex(where: \.isSolid) ?? 0
    var text = Array("{\n".utf8)
    for (index, part) in parts.enumerated() {
      let comma: Comma = index < solid ? .after : index == solid ? .none : .before
      switch part {
      case .merged(let member): write(member, comma, into: &text)
      case .disputed(let field):
        writeMarked(
          [field.client, field.base, field.server].map { value in
            var side: [UInt8] = []
            if let value { write(.init(name: field.name, value: value), comma, into: &side) }
            return side
          }, into: &text)
      }
    }
    text += "}\n".utf8
    return text
  }

  /// Returns the sides of an item that one of them deleted, each whole.
  static func text(of conflict: Conflict, _ id: ItemID) -> [UInt8] {
    var text: [UInt8] = []
    // A base that never was is no side; a side that was deleted says so.
    let base = conflict.base.map { whole($0, id) } ?? []
    writeMarked([whole(conflict.revived, id), base, whole(conflict.server, id)], into: &text)
    return text
  }

  private enum Part {
    case merged(JSONObject.Member)
    case disputed(FieldMerge.Disputed)

    /// Whether a member is there whichever side is taken.
    var isSolid: Bool {
      switch self {
      case .merged: true
      case .disputed(let field): field.base != nil && field.client != nil && field.server != nil
      }
    }
  }

  private enum Comma { case before, after, none }

  private static func parts(of merge: FieldMerge, _ id: ItemID) -> [Part] {
    var disputed = Dictionary(
      merge.disputed.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var parts = merge.item.object(id: id).members.map { member in
      disputed.removeValue(forKey: member.name).map(Part.disputed) ?? .merged(member)
    }
    parts += merge.disputed.filter { disputed[$0.name] != nil }.map(Part.disputed)
    return parts
  }

  private static func write(
    _ member: JSONObject.Member, _ comma: Comma, into text: inout [UInt8]
  ) {
    text += (comma == .before ? ", " : "  ").utf8
    member.name.writeQuoted(into: &text)
    text += ": ".utf8
    member.value.write(into: &text, .indented(level: 1))
    text += (comma == .after ? ",\n" : "\n").utf8
  }

  private static func whole(_ item: Item?, _ id: ItemID) -> [UInt8] {
    var object = (item ?? Item(JSONObject())).object(id: id)
    if item == nil { object.append(SystemField.deleted.name, true) }
    return JSON.object(object).encoded(.indented()) + "\n".utf8
  }

  /// Writes the sides of client, base and server, each a number of whole lines, between marks.
  private static func writeMarked(_ sides: [[UInt8]], into text: inout [UInt8]) {
    for (mark, side) in zip(Mark.allCases, sides + [[]]) {
      text += "\(mark.rawValue)\n".utf8
      text += side
    }
  }
}
