import SyncModel

/// One of the JSON objects that a text has, one after another.
struct ObjectText {
  let bytes: [UInt8]
  private let before: ArraySlice<UInt8>

  /// Splits a text into its objects, and the rest behind the last one.
  static func all(in text: [UInt8]) -> [ObjectText] {
    var ends: [Int] = []
    var (depth, isString, isEscaped) = (0, false, false)
    for (index, byte) in text.enumerated() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isString: isEscaped = true
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "{") where !isString: depth += 1
      case UInt8(ascii: "}") where !isString:
        depth -= 1
        if depth == 0 { ends.append(index + 1) }
      default: break
      }
    }
    return zip([0] + ends, ends + [text.count]).compactMap { start, end in
      let part = text[start..<end].drop { $0 <= 0x20 }
      guard !part.isEmpty else { return nil }
      return ObjectText(bytes: Array(part), before: text[..<part.startIndex])
    }
  }

  /// Parses the object; an error has its place in the whole text.
  func parsed<Value>(
    _ parse: ([UInt8]) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    do throws(JSONError) {
      return try parse(bytes)
    } catch {
      // Parses it again behind as many lines and columns as are before it.
      let blanks = before.filter { $0 & 0xC0 != 0x80 }
        .map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
      return try parse(blanks + bytes)
    }
  }
}
