/// The members of a JSON object, found without reading their values.
///
/// The text is one that was an object when it was written; what a checksum vouches for need not be
/// validated again. Where an escape or a surprise is in the way, only a parser can tell.
struct ObjectSketch {
  /// Whether all members were found.
  var isWhole: Bool { position == text.count && !isCutOff }

  private var position = 0
  private var isCutOff = false
  private let text: UnsafeRawBufferPointer

  /// Looks through an object's text, without its braces.
  init(members text: UnsafeRawBufferPointer) { self.text = text }

  /// What follows the name that was found last, to the end.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[position...]) }

  /// Returns the name of the next member; `nil` if there is none.
  mutating func name() -> UnsafeRawBufferPointer? {
    skipBlanks()
    guard position < text.count, take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    skipString()
    let name = UnsafeRawBufferPointer(rebasing: text[start..<max(start, position - 1)])
    skipBlanks()
    guard !name.contains(UInt8(ascii: "\\")), take(UInt8(ascii: ":")) else { return nil }
    skipBlanks()
    return name
  }

  /// Returns the text of the value that follows.
  mutating func value() -> UnsafeRawBufferPointer {
    let start = position
    skipValue()
    var end = position
    while end > start, text[end - 1] <= 0x20 { end -= 1 }
    isCutOff = take(UInt8(ascii: ","))
    return UnsafeRawBufferPointer(rebasing: text[start..<end])
  }

  /// Returns the bytes of a value that is a string; `nil` where it has an escape, or is none.
  static func plainText(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let quote = UInt8(ascii: "\"")
    guard value.count > 1, value.first == quote, value.last == quote,
      !value.contains(UInt8(ascii: "\\"))
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: value[1..<value.count - 1])
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < text.count, text[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while position < text.count, text[position] <= 0x20 { position += 1 }
  }

  /// Steps over a value, to the comma behind it or the end.
  private mutating func skipValue() {
    var depth = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        position += 1
        skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0: return
      default: break
      }
      position += 1
    }
  }

  /// Steps behind the quote that ends a string.
  private mutating func skipString() {
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "\""):
        position += 1
        return
      default: position += 1
      }
    }
  }
}
