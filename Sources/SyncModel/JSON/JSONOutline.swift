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
  let members: [Member]
  /// The offset of the closing brace.
  let end: Int

  /// Finds the members of the object whose opening brace stands at an offset.
  init(of text: [UInt8], at start: Int) {
    self.start = start
    (members, end) = text.withUnsafeBufferPointer { text in
      var scanner = JSONScanner(text, at: start + 1)
      var members: [Member] = []
      repeat {
        scanner.skipBlanks()
        guard scanner.next == UInt8(ascii: "\""), let name = scanner.string() else { break }
        scanner.skipBlanks()
        _ = scanner.take(":")
        scanner.skipBlanks()
        guard let value = scanner.value() else { break }
        scanner.skipBlanks()
        members.append(Member(name: name, value: value, end: scanner.position))
      } while scanner.take(",")
      return (members, scanner.position)
    }
  }

  /// Returns what stands before a member's name, after the brace or comma.
  func lead(_ index: Int, in text: [UInt8]) -> [UInt8] {
    let start = index == 0 ? start : members[index - 1].end
    return Array(text[(start + 1)..<members[index].name.lowerBound])
  }

  /// Returns the offset of the first member name that stands twice in its object, at any depth, and
  /// the name; `nil` where there is none.
  static func duplicate(in text: [UInt8], from start: Int) -> (offset: Int, name: Text)? {
    text.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes, at: start)
      var open: [Set<Text>?] = []
      var expectsName = false
      while let byte = scanner.next {
        switch byte {
        case UInt8(ascii: "{"):
          open.append([])
          expectsName = true
        case UInt8(ascii: "["): open.append(nil)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): open.removeLast()
        case UInt8(ascii: ","): expectsName = open.last.map { $0 != nil } ?? false
        case UInt8(ascii: "\""):
          guard let range = scanner.string() else { return nil }
          if expectsName, let name = (try? JSON(parsing: text[range]))?.text,
            open[open.count - 1]?.insert(name).inserted == false
          {
            return (range.lowerBound, name)
          }
          expectsName = false
          continue
        default: break
        }
        scanner.position += 1
      }
      return nil
    }
  }
}
