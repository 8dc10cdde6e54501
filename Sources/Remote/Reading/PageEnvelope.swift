/// What lies around the rows of a list: where each row's text is, and how many there are in all.
///
/// Only the frame is read here. A row is stepped over by its quotes and brackets, so that one that
/// is no JSON spoils nothing but itself.
///
/// ```
///   {"items":[{…},{…},{…}],"count":7,"nextLink":null}      or      [{…},{…},{…}]
///             ───  ───  ───          ┬
/// ```
struct PageEnvelope: Equatable {
  /// Where the rows' texts stand.
  private(set) var rows: [Range<Int>] = []
  /// How many rows match in all, where the answer tells it.
  private(set) var total: Int?
  /// Whether the answer has a link to a next page.
  private(set) var hasLink = false
  /// How many rows that page passes over, where the link tells it.
  private(set) var nextSkip: Int?

  /// Finds the rows in a body: those of the member with a name, or, where that is allowed, those of
  /// an array that stands alone.
  ///
  /// - Throws: Why the body is no list.
  init(_ body: [UInt8], rowsMember: String, allowsArray: Bool) throws(EnvelopeFault) {
    let result: Result<PageEnvelope, EnvelopeFault> = body.withUnsafeBufferPointer { bytes in
      var scanner = EnvelopeScanner(bytes: bytes, rowsMember: Array(rowsMember.utf8))
      do throws(EnvelopeFault) {
        try scanner.document(allowsArray: allowsArray)
        return .success(scanner.envelope)
      } catch {
        return .failure(error)
      }
    }
    self = try result.get()
  }

  fileprivate init() {}

  fileprivate mutating func append(_ row: Range<Int>) { rows.append(row) }

  fileprivate mutating func setTotal(_ text: UnsafeBufferPointer<UInt8>) throws(EnvelopeFault) {
    if text.elementsEqual("null".utf8) { return }
    guard let number = text.decimal else { throw EnvelopeFault("'count' is not a number of rows") }
    total = number
  }

  fileprivate mutating func setLink(_ text: UnsafeBufferPointer<UInt8>) {
    hasLink = !text.elementsEqual("null".utf8) && !text.elementsEqual("\"\"".utf8)
    nextSkip = Self.skip(in: text)
  }

  /// Returns how many rows a link passes over: its `$skip`, and nothing else of it is looked at;
  /// `nil` where it tells none.
  static func skip(in link: some Collection<UInt8>) -> Int? {
    let link = Array(link)
    for name in ["$skip=", "%24skip="] {
      guard let end = link.firstRange(of: Array(name.utf8))?.upperBound else { continue }
      let digits = link[end...].prefix { (0x30...0x39).contains($0) }
      return digits.isEmpty || digits.count > 9
        ? nil : digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    return nil
  }
}

/// Why a body is not a list of rows, in words for people.
struct EnvelopeFault: Error, Hashable {
  let message: String

  init(_ message: String) { self.message = message }
}

/// One pass over the frame of a list.
private struct EnvelopeScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  let rowsMember: [UInt8]
  var position = 0
  var envelope = PageEnvelope()

  init(bytes: UnsafeBufferPointer<UInt8>, rowsMember: [UInt8]) {
    self.bytes = bytes
    self.rowsMember = rowsMember
  }

  mutating func document(allowsArray: Bool) throws(EnvelopeFault) {
    skipBlanks()
    switch current {
    case UInt8(ascii: "["):
      guard allowsArray else { throw EnvelopeFault("expected an object, not an array") }
      try rows()
    case UInt8(ascii: "{"): try object()
    default: throw EnvelopeFault("neither an object nor an array")
    }
    skipBlanks()
    guard position == bytes.count else { throw EnvelopeFault("unexpected text after the list") }
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func object() throws(EnvelopeFault) {
    position += 1
    var seenRows = false
    var seenCount = false
    repeat {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw EnvelopeFault("a member has no name") }
      let name = try string()
      skipBlanks()
      guard take(":") else { throw EnvelopeFault("a member has no value") }
      skipBlanks()
      if bytes[name].elementsEqual(rowsMember) {
        guard !seenRows else { throw EnvelopeFault("the list of rows appears twice") }
        seenRows = true
        guard current == UInt8(ascii: "[") else { throw EnvelopeFault("the rows are not an array") }
        try rows()
      } else {
        let value = UnsafeBufferPointer(rebasing: bytes[try element()])
        if bytes[name].elementsEqual("count".utf8) {
          guard !seenCount else { throw EnvelopeFault("'count' appears twice") }
          seenCount = true
          try envelope.setTotal(value)
        }
        if bytes[name].elementsEqual("nextLink".utf8) { envelope.setLink(value) }
      }
      skipBlanks()
    } while take(",")
    guard take("}") else { throw EnvelopeFault("the object is cut off, or not closed") }
    guard seenRows else {
      let name = String(decoding: rowsMember, as: UTF8.self)
      throw EnvelopeFault("the object has no '\(name)'")
    }
  }

  private mutating func rows() throws(EnvelopeFault) {
    position += 1
    skipBlanks()
    if take("]") { return }
    repeat {
      skipBlanks()
      envelope.append(try element())
      skipBlanks()
    } while take(",")
    guard take("]") else { throw EnvelopeFault("the array of rows is cut off, or not closed") }
  }

  /// Steps over a string; answers where its inside is.
  private mutating func string() throws(EnvelopeFault) -> Range<Int> {
    position += 1
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return start..<(position - 1)
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    throw EnvelopeFault("the list is cut off in a string")
  }

  /// Steps over a value, whatever is in it; answers where it stands.
  private mutating func element() throws(EnvelopeFault) -> Range<Int> {
    let start = position
    var depth = 0
    scan: while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        _ = try string()
        if depth == 0 { break scan }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { break scan }
        depth -= 1
        position += 1
        if depth == 0 { break scan }
      case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
        if depth == 0 { break scan }
        position += 1
      default: position += 1
      }
    }
    guard depth == 0 else { throw EnvelopeFault("the list is cut off") }
    guard position > start else { throw EnvelopeFault("a value is missing") }
    return start..<position
  }
}
