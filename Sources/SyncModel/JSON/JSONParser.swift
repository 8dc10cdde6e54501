/// A fault at a place, before lines are counted.
struct JSONFault: Error {
  var offset: Int
  var message: String
}

/// One pass over the bytes of a JSON text.
///
/// It keeps a stack of its own, so that no input can exhaust the program's.
struct JSONParser {
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

  /// Reads a whole text: one value, and nothing after it.
  mutating func document() throws(JSONFault) -> JSON {
    let value = try value()
    skipBlanks()
    guard position == bytes.count else { throw fault("nothing may follow the value") }
    return value
  }

  /// Returns a fault at the place that is being read.
  func fault(_ message: String) -> JSONFault {
    JSONFault(offset: position, message: message)
  }

  /// The byte that is being read; `nil` at the end.
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

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
    // A slice that is kept would make each closing copy the whole stack.
    let count = values.count - top.start
    let value: JSON
    if top.isObject {
      guard count <= limits.members else {
        throw fault("an object may have \(limits.members) members at most")
      }
      guard current == UInt8(ascii: "}") else { throw fault("expected ',' or '}' after a value") }
      value = .object(
        JSONObject(
          zip(names.suffix(count), values[top.start...]).map { .init(name: $0, value: $1) }))
      names.removeLast(count)
    } else {
      guard current == UInt8(ascii: "]") else { throw fault("expected ',' or ']' after a value") }
      value = .array(Array(values[top.start...]))
    }
    position += 1
    open.removeLast()
    values.removeLast(count)
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
}
