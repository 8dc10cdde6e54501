import SyncModel

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
  fileprivate(set) var rows: [Range<Int>] = []
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
      var scanner = EnvelopeScanner(
        rowsMember: Array(rowsMember.utf8), scanner: JSONScanner(bytes))
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
  let rowsMember: [UInt8]
  var scanner: JSONScanner
  var envelope = PageEnvelope()

  mutating func document(allowsArray: Bool) throws(EnvelopeFault) {
    scanner.skipBlanks()
    switch scanner.next {
    case UInt8(ascii: "["):
      guard allowsArray else { throw EnvelopeFault("expected an object, not an array") }
      try rows()
    case UInt8(ascii: "{"): try object()
    default: throw EnvelopeFault("neither an object nor an array")
    }
    scanner.skipBlanks()
    guard scanner.next == nil else { throw EnvelopeFault("unexpected text after the list") }
  }

  private mutating func object() throws(EnvelopeFault) {
    scanner.position += 1
    var seenRows = false
    var seenCount = false
    repeat {
      scanner.skipBlanks()
      guard scanner.next == UInt8(ascii: "\"") else { throw EnvelopeFault("a member has no name") }
      guard let quoted = scanner.string() else { throw Self.cutOff }
      let name = scanner.text[quoted].dropFirst().dropLast()
      scanner.skipBlanks()
      guard scanner.take(":") else { throw EnvelopeFault("a member has no value") }
      scanner.skipBlanks()
      if name.elementsEqual(rowsMember) {
        guard !seenRows else { throw EnvelopeFault("the list of rows appears twice") }
        seenRows = true
        guard scanner.next == UInt8(ascii: "[") else {
          throw EnvelopeFault("the rows are not an array")
        }
        try rows()
      } else {
        let value = UnsafeBufferPointer(rebasing: scanner.text[try element()])
        if name.elementsEqual("count".utf8) {
          guard !seenCount else { throw EnvelopeFault("'count' appears twice") }
          seenCount = true
          try envelope.setTotal(value)
        }
        if name.elementsEqual("nextLink".utf8) { envelope.setLink(value) }
      }
      scanner.skipBlanks()
    } while scanner.take(",")
    guard scanner.take("}") else { throw EnvelopeFault("the object is cut off, or not closed") }
    guard seenRows else {
      let name = String(decoding: rowsMember, as: UTF8.self)
      throw EnvelopeFault("the object has no '\(name)'")
    }
  }

  private mutating func rows() throws(EnvelopeFault) {
    scanner.position += 1
    scanner.skipBlanks()
    if scanner.take("]") { return }
    repeat {
      scanner.skipBlanks()
      envelope.rows.append(try element())
      scanner.skipBlanks()
    } while scanner.take(",")
    guard scanner.take("]") else {
      throw EnvelopeFault("the array of rows is cut off, or not closed")
    }
  }

  private mutating func element() throws(EnvelopeFault) -> Range<Int> {
    guard let value = scanner.value() else { throw Self.cutOff }
    guard !value.isEmpty else { throw EnvelopeFault("a value is missing") }
    return value
  }

  private static let cutOff = EnvelopeFault("the list is cut off")
}
