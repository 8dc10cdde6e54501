/// The writing of a marked document.
enum MarkedWriter {
  /// Returns the merged item with what is in conflict marked.
  ///
  /// A member is followed by its comma, but for the last one; whoever takes lines away need not mind
  /// them.
  static func text(of merge: FieldMerge, _ id: ItemID) -> [UInt8] {
    let text = JSON.string(id.text)
    let values = Sides<JSON?>(base: text, client: text, server: text)
    let name = MergeTree.Member(name: Item.idField, tree: MergeTree(values))
    var document = Array("{\n".utf8)
    write(.members([name] + merge.fields), level: 1, into: &document)
    return document + "}\n".utf8
  }

  /// Returns the sides of an item that one of them deleted, each whole.
  static func text(of conflict: Conflict, _ id: ItemID) -> [UInt8] {
    // A base that never was is no side; a side that was deleted says so.
    let sides = Sides(
      base: conflict.base.map { whole($0, id) } ?? [], client: whole(conflict.revived, id),
      server: whole(conflict.server, id))
    var text: [UInt8] = []
    writeMarked(into: &text) { $1 += sides[$0] }
    return text
  }

  private static func whole(_ item: Item?, _ id: ItemID) -> [UInt8] {
    var object = (item ?? Item(JSONObject())).object(id: id)
    if item == nil { object.append(SystemField.deleted.name, true) }
    return TextBlock.blocks(in: JSON.object(object).encoded(.indented()) + "\n".utf8)
  }

  /// Writes the members of an object, or the elements of a list.
  private static func write(_ parts: MergeTree.Parts, level: Int, into text: inout [UInt8]) {
    let indentation = [UInt8](repeating: 0x20, count: 2 * level)
    let shown = parts.members.filter { member in
      member.tree.isDisputed || member.tree.merged(taking: .client) != nil
    }
    for (index, member) in shown.enumerated() {
      let end = Array((index < shown.count - 1 ? ",\n" : "\n").utf8)
      var head = indentation
      if case .members = parts {
        member.name.writeQuoted(into: &head)
        head += ": ".utf8
      }
      write(member.tree, behind: head, level: level, end: end, into: &text)
    }
  }

  private static func write(
    _ tree: MergeTree, behind head: [UInt8], level: Int, end: [UInt8], into text: inout [UInt8]
  ) {
    let indentation = Array(head.prefix { $0 == 0x20 })
    func write(_ value: JSON?, into text: inout [UInt8]) {
      guard let value else { return }
      text += TextBlock.blocks(in: head + value.encoded(.indented(level: level))) + end
    }
    guard tree.isDisputed else { return write(tree.merged(taking: .client), into: &text) }
    switch tree.parts {
    case .members, .elements:
      let brackets = if case .members = tree.parts { ("{", "}") } else { ("[", "]") }
      text += head + "\(brackets.0)\n".utf8
      self.write(tree.parts, level: level + 1, into: &text)
      text += indentation + brackets.1.utf8 + end
    case .lines(let runs) where canBeBlock(runs):
      let inner = indentation + [0x20, 0x20]
      text += head + TextBlock.mark + [UInt8(ascii: "\n")]
      for run in runs {
        if run.isDisputed {
          writeMarked(into: &text) { TextBlock.write(run[$0], indentation: inner, into: &$1) }
        } else {
          TextBlock.write(run.merged(taking: .client), indentation: inner, into: &text)
        }
      }
      text += inner + TextBlock.mark + end
    case .lines, .texts, .none:
      writeMarked(into: &text) { write(tree.merged(taking: $0), into: &$1) }
    }
  }

  /// Writes what the versions have, each a number of whole lines, between marks.
  private static func writeMarked(into text: inout [UInt8], _ write: (Side, inout [UInt8]) -> Void)
  {
    for (mark, side) in zip(Mark.allCases, Side.allCases) {
      text += "\(mark.rawValue)\n".utf8
      write(side, &text)
    }
    text += "\(Mark.server.rawValue)\n".utf8
  }

  /// Whether the merged text can be a block, whichever side is taken.
  private static func canBeBlock(_ runs: [LineMerge.Run]) -> Bool {
    Side.allCases.allSatisfy { TextBlock.lines(of: LineMerge.text(of: runs, taking: $0)) != nil }
  }
}
