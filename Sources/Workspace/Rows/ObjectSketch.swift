import SyncModel

/// The members of a JSON object, found without reading their values.
///
/// The text is one that was an object when it was written; what a checksum vouches for need not be
/// validated again. Where an escape or a surprise is in the way, only a parser can tell.
struct ObjectSketch {
  private let text: UnsafeRawBufferPointer
  private var scanner: JSONScanner
  private var isCutOff = false

  /// Looks through an object's text, without its braces.
  init(members text: UnsafeRawBufferPointer) {
    self.text = text
    scanner = JSONScanner(text.assumingMemoryBound(to: UInt8.self))
  }

  /// Whether all members were found.
  var isWhole: Bool { scanner.next == nil && !isCutOff }

  /// What follows the name that was found last, to the end.
  var rest: UnsafeRawBufferPointer { part(scanner.position..<text.count) }

  /// Returns the name of the next member; `nil` if there is none.
  mutating func name() -> UnsafeRawBufferPointer? {
    scanner.skipBlanks()
    guard scanner.next == UInt8(ascii: "\"") else { return nil }
    isCutOff = true
    guard let quoted = scanner.string() else { return nil }
    let name = part(quoted.lowerBound + 1..<quoted.upperBound - 1)
    scanner.skipBlanks()
    guard !name.contains(UInt8(ascii: "\\")), scanner.take(":") else { return nil }
    scanner.skipBlanks()
    return name
  }

  /// Returns the text of the value that follows.
  mutating func value() -> UnsafeRawBufferPointer {
    let value = scanner.value()
    scanner.skipBlanks()
    isCutOff = scanner.take(",") || value == nil
    return part(value ?? 0..<0)
  }

  /// Returns the bytes of a value that is a string; `nil` where it has an escape, or is none.
  static func plainText(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let quote = UInt8(ascii: "\"")
    guard value.count > 1, value.first == quote, value.last == quote,
      !value.contains(UInt8(ascii: "\\"))
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: value[1..<value.count - 1])
  }

  private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[range])
  }
}
