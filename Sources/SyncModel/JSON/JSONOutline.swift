/// Where the members of one object stand in a text that is known to be JSON.
///
/// ```
///   { "a" : 1 , "b": [2] }
///     ─┬─   ┬ ┬                 name, value and comma of the first member
/// ```
struct JSONOutline {
  /// The places of one member.
  struct Member {
    /// Its name, the quotes included.
    let name: Range<Int>
    /// Its value.
    let value: Range<Int>
    /// The comma after it; of the last member the object's closing brace.
    let end: Int
  }

  /// The offset of the opening brace.
  let start: Int
  /// The members in their order.
  private(set) var members: [Member] = []
  /// The offset of the closing brace.
  private(set) var end: Int

  /// Finds the members of the object whose opening brace stands at an offset.
  init(of text: [UInt8], at start: Int) {
    self.start = start
    var reader = Reader(text: text, position: start + 1)
    reader.skipBlanks()
    while text[reader.position] != UInt8(ascii: "}") {
      let name = reader.skipString()
      reader.skipBlanks()
      reader.position += 1  // the colon
      reader.skipBlanks()
      let value = reader.skipValue()
      reader.skipBlanks()
      members.append(Member(name: name, value: value, end: reader.position))
      guard text[reader.position] == UInt8(ascii: ",") else { break }
      reader.position += 1
      reader.skipBlanks()
    }
    end = reader.position
  }

  /// Returns what stands before a member's name, after the brace or comma.
  func lead(_ index: Int, in text: [UInt8]) -> [UInt8] {
    let start = index == 0 ? start : members[index - 1].end
    return Array(text[(start + 1)..<members[index].name.lowerBound])
  }

  /// Returns the offset of the first member name that stands twice in its object, at any depth, and
  /// the name; `nil` where there is none.
  static func duplicate(in text: [UInt8], from start: Int) -> (offset: Int, name: Text)? {
    var reader = Reader(text: text, position: start)
    var open: [Set<Text>?] = []
    var expectsName = false
    while reader.position < text.count {
      switch text[reader.position] {
      case UInt8(ascii: "{"):
        open.append([])
        expectsName = true
      case UInt8(ascii: "["): open.append(nil)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open.removeLast()
      case UInt8(ascii: ","): expectsName = open.last.map { $0 != nil } ?? false
      case UInt8(ascii: "\""):
        let range = reader.skipString()
        if expectsName, let name = (try? JSON(parsing: text[range]))?.text,
          open[open.count - 1]?.insert(name).inserted == false
        {
          return (range.lowerBound, name)
        }
        expectsName = false
        continue
      default: break
      }
      reader.position += 1
    }
    return nil
  }
}

/// Steps over the parts of a valid text.
private struct Reader {
  let text: [UInt8]
  var position: Int

  mutating func skipBlanks() {
    while [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
  }

  mutating func skipString() -> Range<Int> {
    let start = position
    position += 1
    while text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
    return start..<position
  }

  mutating func skipValue() -> Range<Int> {
    let start = position
    var depth = 0
    repeat {
      switch text[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: "\""): _ = skipString()
      default: position += 1
      }
    } while depth > 0 || !isOver
    return start..<position
  }

  /// Whether a value that is not within another one ends here.
  private var isOver: Bool {
    guard position < text.count else { return true }
    switch text[position] {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09, 0x0A, 0x0D:
      return true
    default: return false
    }
  }
}
