extension JSON {
  /// Parses a whole text, strictly by RFC 8259: UTF-8 without a byte order mark, nothing after it.
  ///
  /// Members that stand twice are kept, and told by ``JSONObject/duplicate``. The parser keeps its
  /// own stack, so that no input can exhaust the program's.
  ///
  /// - Throws: The first fault, with its line and column.
  package init(
    parsing text: [UInt8], limits: JSONLimits = .document
  ) throws(JSONError) {
    try self.init(parsing: text[...], limits: limits)
  }

  /// Parses a part of a text; line and column are counted from that part's beginning.
  ///
  /// - Throws: The first fault.
  package init(
    parsing text: ArraySlice<UInt8>, limits: JSONLimits = .document
  ) throws(JSONError) {
    let result: Result<JSON, JSONFault> = text.withUnsafeBufferPointer { bytes in
      var parser = JSONParser(bytes: bytes, limits: limits)
      do throws(JSONFault) { return .success(try parser.document()) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let value): self = value
    case .failure(let fault): throw JSONError(at: fault.offset, of: text, fault.message)
    }
  }
}

/// A fault at a place, before lines are counted.
private struct JSONFault: Error {
  var offset: Int
  var message: String
}

/// One pass over the bytes.
private struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// An array or object that is still open: where its parts begin on the stack of values.
  private struct Open {
    var isObject: Bool
    var start: Int
  }

  private var open: [Open] = []
  private var values: [JSON] = []
  /// The names of the members in `values`, and one for the member that is being read.
  private var names: [Text] = []

  mutating func document() throws(JSONFault) -> JSON {
    let value = try value()
    skipBlanks()
    guard position == bytes.count else { throw fault("nothing may follow the value") }
    return value
  }

  private func fault(_ message: String) -> JSONFault {
    JSONFault(offset: position, message: message)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func value() throws(JSONFault) -> JSON {
    while true {
      skipBlanks()
      switch current {
      case UInt8(ascii: "{"):
        if try begins(object: true, endingWith: UInt8(ascii: "}")) { continue }
        values.append(.object(JSONObject()))
      case UInt8(ascii: "["):
        if try begins(object: false, endingWith: UInt8(ascii: "]")) { continue }
        values.append(.array([]))
      default: values.append(try scalar())
      }
      // The value is whole: close what ends with it.
      while let top = open.last {
        skipBlanks()
        if current == UInt8(ascii: ",") {
          position += 1
          if top.isObject {
            skipBlanks()
            names.append(try memberName())
          }
          break
        }
        try close(top)
      }
      if open.isEmpty { return values.removeLast() }
    }
  }

  /// Steps into an array or object; answers `false` where it is empty and already over.
  private mutating func begins(object: Bool, endingWith end: UInt8) throws(JSONFault) -> Bool {
    guard open.count < limits.depth else { throw fault("nested deeper than \(limits.depth)") }
    position += 1
    skipBlanks()
    if current == end {
      position += 1
      return false
    }
    open.append(Open(isObject: object, start: values.count))
    if object { names.append(try memberName()) }
    return true
  }

  /// Makes one value of the parts on the stack.
  private mutating func close(_ top: Open) throws(JSONFault) {
    let parts = values[top.start...]
    let value: JSON
    if top.isObject {
      guard parts.count <= limits.members else {
        throw fault("an object may have \(limits.members) members at most")
      }
      guard current == UInt8(ascii: "}") else { throw fault("expected ',' or '}' after a value") }
      value = .object(
        JSONObject(zip(names.suffix(parts.count), parts).map { .init(name: $0, value: $1) }))
      names.removeLast(parts.count)
    } else {
      guard current == UInt8(ascii: "]") else { throw fault("expected ',' or ']' after a value") }
      value = .array(Array(parts))
    }
    position += 1
    open.removeLast()
    values.removeSubrange(top.start...)
    values.append(value)
  }

  private mutating func memberName() throws(JSONFault) -> Text {
    guard current == UInt8(ascii: "\"") else { throw fault("expected a member name in quotes") }
    let name = try string()
    skipBlanks()
    guard current == UInt8(ascii: ":") else { throw fault("expected ':' after a member name") }
    position += 1
    return name
  }

  private mutating func scalar() throws(JSONFault) -> JSON {
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try literal("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try literal("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try literal("null")
      return .null
    case UInt8(ascii: "-"), (0x30...0x39)?: return .number(try number())
    case nil: throw fault("the text ends where a value is expected")
    default: throw fault("expected a value")
    }
  }

  private mutating func literal(_ word: StaticString) throws(JSONFault) {
    let count = word.utf8CodeUnitCount
    let matches =
      position + count <= bytes.count
      && (0..<count).allSatisfy { bytes[position + $0] == word.utf8Start[$0] }
    guard matches else { throw fault("expected a value") }
    position += count
  }

  private mutating func number() throws(JSONFault) -> JSONNumber {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
      if let byte = current, (0x30...0x39).contains(byte) {
        throw fault("a number may not begin with 0")
      }
    } else {
      try digits()
    }
    if current == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    guard position - start <= limits.number else {
      position = start
      throw fault("a number may have \(limits.number) bytes at most")
    }
    let digits = UnsafeBufferPointer(rebasing: bytes[start..<position])
    return JSONNumber(checked: String(decoding: digits, as: UTF8.self))
  }

  private mutating func digits() throws(JSONFault) {
    let start = position
    while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw fault("expected a digit") }
  }

  private mutating func string() throws(JSONFault) -> Text {
    let quote = position
    position += 1
    let start = position
    var ascii = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      if byte >= 0x80 { ascii = false }
      position += 1
    }
    if current == UInt8(ascii: "\""), position - start <= limits.string {
      let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
      position += 1
      if ascii { return Text(String(decoding: slice, as: UTF8.self)) }
      if let text = Text(validating: slice) { return text }
      position = start + Self.invalidOffset(in: slice)
      throw fault("not valid UTF-8")
    }
    position = start
    return try escapedString(from: quote)
  }

  /// Reads a string that has escapes, a fault, or is too long.
  private mutating func escapedString(from quote: Int) throws(JSONFault) -> Text {
    var unescaped: [UInt8] = []
    let start = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        guard unescaped.count <= limits.string else {
          position = quote
          throw fault("a string may have \(limits.string) bytes at most")
        }
        guard let text = Text(validating: unescaped) else {
          let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
          position = start + Self.invalidOffset(in: slice)
          throw fault("not valid UTF-8")
        }
        position += 1
        return text
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case ..<0x20: throw fault("a control character in a string must be escaped")
      default:
        unescaped.append(byte)
        position += 1
      }
    }
    position = quote
    throw fault("a string is not closed")
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
    let backslash = position
    position += 1
    guard let byte = current else { return }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var unit = try hexadecimal(from: backslash)
      if (0xD800..<0xDC00).contains(unit), current == UInt8(ascii: "\\"),
        position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        let low = try hexadecimal(from: backslash)
        guard (0xDC00..<0xE000).contains(low) else {
          position = backslash
          throw fault("half of a surrogate pair")
        }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else {
        position = backslash
        throw fault("half of a surrogate pair")
      }
      text.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    default:
      position = backslash
      throw fault("not an escape")
    }
  }

  private mutating func hexadecimal(from backslash: Int) throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      switch current {
      case (0x30...0x39)?: value = value << 4 | UInt32(bytes[position] - 0x30)
      case (0x41...0x46)?, (0x61...0x66)?:
        value = value << 4 | UInt32((bytes[position] | 0x20) - 0x61 + 10)
      default:
        position = backslash
        throw fault("expected four hexadecimal digits after \\u")
      }
      position += 1
    }
    return value
  }

  /// Returns where UTF-8 first goes wrong.
  private static func invalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var low = 0
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): low += UTF8.width(scalar)
      case .emptyInput, .error: return low
      }
    }
  }
}
