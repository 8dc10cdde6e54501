import SyncModel

/// A row's id and whether it is a tombstone, found without reading the rest.
///
/// The text is one that was a row when it was written; what a checksum vouches for need not be
/// validated again. Where an escape or a surprise is in the way, there is no sketch, and the row must
/// be parsed.
struct RowSketch {
  /// The id's bytes, in the text that was given.
  private(set) var id: UnsafeRawBufferPointer
  /// Whether the row is a tombstone.
  private(set) var isTombstone = false

  private var position = 1
  private let text: UnsafeRawBufferPointer

  /// Looks through a row's text; `nil` where only a parser can tell.
  init?(_ text: UnsafeRawBufferPointer) {
    guard text.first == UInt8(ascii: "{") else { return nil }
    self.text = text
    id = UnsafeRawBufferPointer(start: nil, count: 0)
    repeat {
      skipBlanks()
      guard let name = plainString() else { return nil }
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { return nil }
      skipBlanks()
      if name.elementsEqual("id".utf8) {
        guard let value = plainString() else { return nil }
        id = value
      } else {
        if name.elementsEqual("deleted".utf8) { isTombstone = current == UInt8(ascii: "t") }
        skipValue()
      }
      skipBlanks()
    } while take(UInt8(ascii: ","))
    guard current == UInt8(ascii: "}"), position == text.count - 1, !id.isEmpty else { return nil }
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while position < text.count, text[position] <= 0x20 { position += 1 }
  }

  /// Reads a string; `nil` where it has an escape, or isn't one.
  private mutating func plainString() -> UnsafeRawBufferPointer? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\\") { return nil }
      position += 1
      if byte == UInt8(ascii: "\"") {
        return UnsafeRawBufferPointer(rebasing: text[start..<position - 1])
      }
    }
    return nil
  }

  /// Steps over a value, to the comma or brace behind it.
  private mutating func skipValue() {
    var depth = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
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

  private mutating func skipString() {
    position += 1
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
