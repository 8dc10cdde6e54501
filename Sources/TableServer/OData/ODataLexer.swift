import SyncModel

/// Why a query option can't be read.
package struct ODataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A piece of a query option.
enum ODataToken: Hashable {
  case word(Text)
  case text(Text)
  case number(FilterValue)
  case moment(Moment)
  case timeOfDay(Text)
  case open
  case close
  case comma
  case slash
  case colon
  case minus
  case end

  /// The piece as a message names it.
  var name: String {
    switch self {
    case .word(let word): "'\(word)'"
    case .text: "a string"
    case .number: "a number"
    case .moment: "a date"
    case .timeOfDay: "a time of day"
    case .open: "'('"
    case .close: "')'"
    case .comma: "','"
    case .slash: "'/'"
    case .colon: "':'"
    case .minus: "'-'"
    case .end: "the end"
    }
  }
}

/// Takes a query option apart, byte by byte.
struct ODataLexer {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ text: Text) {
    bytes = text.bytes
  }

  /// Takes the next piece; blanks before it don't count.
  mutating func next() throws(ODataError) -> ODataToken {
    skipBlanks()
    guard let byte = peek() else { return .end }
    switch byte {
    case UInt8(ascii: "("): return take(.open)
    case UInt8(ascii: ")"): return take(.close)
    case UInt8(ascii: ","): return take(.comma)
    case UInt8(ascii: "/"): return take(.slash)
    case UInt8(ascii: ":"): return take(.colon)
    case UInt8(ascii: "-"): return take(.minus)
    case UInt8(ascii: "'"): return .text(try quoted())
    case 0x30...0x39, UInt8(ascii: "."):
      if let date = try plainDate() { return date }
      if Self.isDigit(peek(1)), peek(2) == UInt8(ascii: ":") {
        let time = taken { Self.isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        return .timeOfDay(Text(decoding: time))
      }
      return try number()
    default:
      guard Self.startsWord(byte) else { throw error("unexpected '\(Unicode.Scalar(byte))'") }
      let word = word()
      return peek() == UInt8(ascii: "'") ? try prefixed(word) : .word(word)
    }
  }

  /// Takes what stands before the next comma, as it stands; nothing where a quote is met first.
  ///
  /// It is how `cast(2026-03-01T10:00:00.123Z,Edm.DateTimeOffset)` writes its value.
  mutating func raw() -> Text? {
    skipBlanks()
    let rest = bytes[position...]
    guard
      let end = rest.firstIndex(where: {
        [UInt8(ascii: ","), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")")].contains($0)
      }), bytes[end] == UInt8(ascii: ","), end > position
    else { return nil }
    position = end
    return Text(decoding: rest[..<end])
  }

  func error(_ message: String) -> ODataError {
    ODataError("\(message), at byte \(position + 1)")
  }
}

extension ODataLexer {
  private func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func take(_ token: ODataToken) -> ODataToken {
    position += 1
    return token
  }

  private mutating func skipBlanks() {
    while peek() == 0x20 || peek() == 0x09 { position += 1 }
  }

  /// A letter, `_`, `@`, or a byte of a character beyond ASCII.
  private static func startsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"), UInt8(ascii: "@"): true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (0x30...0x39).contains($0) } ?? false
  }

  private mutating func taken(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while let byte = peek(), condition(byte) { position += 1 }
    return bytes[start..<position]
  }

  private mutating func word() -> Text {
    let word = taken {
      Self.startsWord($0) || Self.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    return Text(decoding: word)
  }

  /// A text in quotes, a quote in it being written twice.
  private mutating func quoted() throws(ODataError) -> Text {
    let start = position
    var text: [UInt8] = []
    position += 1
    while true {
      text += taken { $0 != UInt8(ascii: "'") }
      guard peek() != nil else {
        position = start
        throw error("the string has no closing quote")
      }
      position += 1
      guard peek() == UInt8(ascii: "'") else { break }
      text.append(UInt8(ascii: "'"))
      position += 1
    }
    return Text(decoding: text)
  }

  /// `datetime'…'`, `datetimeoffset'…'` and `guid'…'`.
  private mutating func prefixed(_ prefix: Text) throws(ODataError) -> ODataToken {
    let text = try quoted()
    switch prefix {
    case "guid": return .text(text)
    case "datetime", "datetimeoffset":
      guard let moment = Moment(text.string.utf8) else {
        throw error("'\(text)' is not a date")
      }
      return .moment(moment)
    default: throw error("unknown literal \(prefix)'…'")
    }
  }

  /// `2026-03-01T10:00:00.123Z` without quotes is a moment; `2026-03-01` alone is a text.
  private mutating func plainDate() throws(ODataError) -> ODataToken? {
    let shape = Array("0000-00-00".utf8)
    let matches = shape.indices.allSatisfy { index in
      shape[index] == UInt8(ascii: "0") ? Self.isDigit(peek(index)) : peek(index) == shape[index]
    }
    guard matches else { return nil }
    var date = taken {
      Self.isDigit($0) || [UInt8](":.-+TZtz".utf8).contains($0)
    }
    // A '+' of an offset that wasn't escaped in the URL has become a blank.
    if date.count > 16, peek() == 0x20, Self.isDigit(peek(1)), Self.isDigit(peek(2)),
      peek(3) == UInt8(ascii: ":")
    {
      position += 1
      date = date + [0x20] + taken { Self.isDigit($0) || $0 == UInt8(ascii: ":") }
    }
    let text = Text(decoding: date)
    guard let moment = Moment(date) else { throw error("'\(text)' is not a date") }
    return date.count == 10 ? .text(text) : .moment(moment)
  }

  /// `5`, `5L`, `.5`, `1.5f`, `2e-3`.
  private mutating func number() throws(ODataError) -> ODataToken {
    var text = Array(taken(while: Self.isDigit))
    var isWhole = true
    if peek() == UInt8(ascii: "."), Self.isDigit(peek(1)) {
      isWhole = false
      position += 1
      text += (text.isEmpty ? [UInt8(ascii: "0")] : []) + [UInt8(ascii: ".")]
      text += taken(while: Self.isDigit)
    }
    guard !text.isEmpty else { throw error("unexpected '.'") }
    if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
      let signed = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+")
      if Self.isDigit(peek(signed ? 2 : 1)) {
        isWhole = false
        text += bytes[position..<(position + (signed ? 2 : 1))]
        position += signed ? 2 : 1
        text += taken(while: Self.isDigit)
      }
    }
    if let byte = peek() {
      let suffixes = Array((isWhole ? "lfmd" : "fmd").utf8)
      if suffixes.contains(byte | 0x20) {
        if byte | 0x20 != UInt8(ascii: "l") { isWhole = false }
        position += 1
      }
    }
    guard peek().map({ !Self.startsWord($0) }) ?? true else { throw error("this is not a number") }
    let string = String(decoding: text, as: UTF8.self)
    return .number(isWhole ? FilterValue(number: string) : FilterValue(Double(string) ?? .nan))
  }
}
