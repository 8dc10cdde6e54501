import SyncModel

/// One of the JSON objects that a text has, one after another.
struct ObjectText {
  let bytes: [UInt8]
  private let before: ArraySlice<UInt8>

  /// Splits a text into its objects, and the rest behind the last one.
  static func all(in text: [UInt8]) -> [ObjectText] {
    text.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      var objects: [ObjectText] = []
      while true {
        scanner.skipBlanks()
        let start = scanner.position
        guard start < text.count else { return objects }
        let value = scanner.value() ?? start..<text.count
        // Where no value begins, the parser says what is wrong.
        scanner.position = value.isEmpty ? text.count : value.upperBound
        objects.append(
          ObjectText(bytes: Array(text[start..<scanner.position]), before: text[..<start]))
      }
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
