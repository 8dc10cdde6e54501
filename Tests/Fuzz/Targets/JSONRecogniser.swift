/// Tells JSON from other texts by the grammar of RFC 8259, and by nothing of the program's.
///
/// It is written to be compared with the grammar, rule by rule.
struct JSONRecogniser {
  /// What a text is found to have.
  struct Measures: Equatable {
    /// How many arrays and objects lie within one another.
    var depth = 0
    /// How many members the largest object has.
    var members = 0
    /// How many bytes the longest number has.
    var number = 0
    /// How many bytes the longest string has, unescaped.
    var string = 0
  }

  private let bytes: [UInt8]
  private var position = 0
  private var measures = Measures()

  /// Returns the measures of a text; `nil` where it is no JSON.
  static func measures(of bytes: [UInt8]) -> Measures? {
    // RFC 8259 §8.1: UTF-8, no byte order mark. The latter is no value, and fails by itself.
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var recogniser = JSONRecogniser(bytes: bytes)
    return recogniser.text() ? recogniser.measures : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// `JSON-text = ws value ws`, with a stack of what is open instead of recursion.
  private mutating func text() -> Bool {
    // For each open array -1, for each open object the number of its members.
    var open: [Int] = []
    while true {
      blanks()
      var isWhole = true
      if take("[") {
        open.append(-1)
        isWhole = closes("]")
      } else if take("{") {
        open.append(0)
        isWhole = closes("}")
        if !isWhole, !name(&open) { return false }
      } else {
        guard scalar() else { return false }
        isWhole = false
        if !value(endedIn: &open) { return false }
        if open.isEmpty { return ends() }
        continue
      }
      measures.depth = max(measures.depth, open.count)
      guard isWhole else { continue }
      open.removeLast()
      if !value(endedIn: &open) { return false }
      if open.isEmpty { return ends() }
    }
  }

  /// Takes what stands behind a value: ends of arrays and objects, up to a comma or the end.
  private mutating func value(endedIn open: inout [Int]) -> Bool {
    while let members = open.last {
      blanks()
      if take(",") { return members < 0 || name(&open) }
      guard take(members < 0 ? "]" : "}") else { return false }
      open.removeLast()
    }
    return true
  }

  private mutating func closes(_ end: Unicode.Scalar) -> Bool {
    blanks()
    return take(end)
  }

  private mutating func ends() -> Bool {
    blanks()
    return position == bytes.count
  }

  /// `member = string name-separator value`, up to the value.
  private mutating func name(_ open: inout [Int]) -> Bool {
    open[open.count - 1] += 1
    measures.members = max(measures.members, open[open.count - 1])
    blanks()
    guard string() else { return false }
    blanks()
    return take(":")
  }

  private mutating func scalar() -> Bool {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return string() }
    return take("true") || take("false") || take("null") || number()
  }

  // number = [ minus ] int [ frac ] [ exp ]
  private mutating func number() -> Bool {
    let start = position
    _ = take("-")
    if !take("0"), digits() == 0 { return false }
    if take("."), digits() == 0 { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      if digits() == 0 { return false }
    }
    measures.number = max(measures.number, position - start)
    return true
  }

  // string = quotation-mark *char quotation-mark
  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    var length = 0
    while position < bytes.count {
      let byte = bytes[position]
      if take("\"") {
        measures.string = max(measures.string, length)
        return true
      }
      if take("\\") {
        guard let added = escape() else { return false }
        length += added
      } else {
        // unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
        guard byte >= 0x20 else { return false }
        position += 1
        length += 1
      }
    }
    return false
  }

  /// What follows a backslash; how many bytes it stands for.
  private mutating func escape() -> Int? {
    guard position < bytes.count else { return nil }
    if "\"\\/bfnrt".utf8.contains(bytes[position]) {
      position += 1
      return 1
    }
    guard take("u"), let unit = hexadecimal() else { return nil }
    // Half a pair of surrogates is no character, and has no UTF-8 (RFC 3629 §3).
    if (0xDC00...0xDFFF).contains(unit) { return nil }
    if (0xD800...0xDBFF).contains(unit) {
      guard take("\\u"), let low = hexadecimal(), (0xDC00...0xDFFF).contains(low) else {
        return nil
      }
      return 4
    }
    return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }

  private mutating func hexadecimal() -> Int? {
    guard position + 4 <= bytes.count else { return nil }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ UInt8(String(Unicode.Scalar($0)), radix: 16) != nil }) else {
      return nil
    }
    position += 4
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func digits() -> Int {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    return position - start
  }

  private mutating func blanks() {
    while take(" ") || take("\t") || take("\n") || take("\r") {}
  }

  private mutating func take(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }
}
