import SyncModel

/// One line of a log, `{"n":17,"d":16,…,"crc":"5b9de02f"}`, as it lies in the reader's memory.
///
/// The members between `d` and `crc` are the log's user's affair. The bytes are valid only during
/// the call that the line is given to.
struct LogLine {
  /// The line's number: one more than the line's before.
  let number: Int
  /// The number of the last line that was known to be durable when this one was written.
  let durable: Int
  /// Where the line begins in the file.
  var offset = 0
  /// How many bytes the line has, its line end included.
  let length: Int
  /// The members in between, without the commas around them.
  let members: UnsafeRawBufferPointer
  /// The checksum that the line bears.
  let checksum: UInt32

  /// Reads a line with its line end; `nil` where it isn't whole and as it was written.
  ///
  /// - Parameters:
  ///   - bytes: The line.
  ///   - seed: The checksum of the log's salt.
  init?(_ bytes: UnsafeRawBufferPointer, seed: Checksum) {
    let end = bytes.count - Self.tailLength
    guard end > 0, let checksum = Self.checksum(in: bytes, at: end) else { return nil }
    var expected = seed
    expected.add(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    guard expected.value == checksum else { return nil }
    var position = 0
    guard Self.skip(#"{"n":"#, in: bytes, &position),
      let number = Self.integer(in: bytes, &position),
      Self.skip(#","d":"#, in: bytes, &position),
      let durable = Self.integer(in: bytes, &position)
    else { return nil }
    if position < end {
      guard bytes[position] == UInt8(ascii: ",") else { return nil }
      position += 1
    }
    self.number = number
    self.durable = durable
    self.checksum = checksum
    length = bytes.count
    members = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
  }

  /// Returns where in a text a line of a greater number than `last` may begin: at its start, and
  /// behind each line and one byte that should be its line end.
  ///
  /// To try one takes as long as the rest of the text; so where an attacker wrote many of them, the
  /// first ``mostStarts`` and the last ones count.
  static func starts(in bytes: UnsafeRawBufferPointer, after last: Int) -> [Int] {
    var starts: [Int] = []
    for start in bytes.indices.dropFirst(tailLength) where bytes[start] == UInt8(ascii: "{") {
      var position = start
      if hasTail(bytes, before: start - 1), skip(#"{"n":"#, in: bytes, &position),
        let number = integer(in: bytes, &position), number > last
      {
        starts.append(start)
      }
    }
    let isTooMany = starts.count > 2 * mostStarts
    return [0] + (isTooMany ? starts.prefix(mostStarts) + starts.suffix(mostStarts) : starts)
  }

  /// How many lines are looked for in one line of text, from either end.
  static let mostStarts = 32

  /// Whether a line's last member stands before the place of its line end.
  private static func hasTail(_ bytes: UnsafeRawBufferPointer, before end: Int) -> Bool {
    var position = end - tailLength + 1
    guard position >= 0, skip(mark, in: bytes, &position) else { return false }
    return bytes[position + 8] == UInt8(ascii: "\"") && bytes[position + 9] == UInt8(ascii: "}")
  }

  /// Appends a line to a text, and returns its checksum.
  @discardableResult
  static func write(
    _ members: [UInt8], number: Int, durable: Int, seed: Checksum, into text: inout [UInt8]
  ) -> UInt32 {
    let start = text.count
    text.append(contentsOf: #"{"n":"#.utf8)
    text.append(contentsOf: String(number).utf8)
    text.append(contentsOf: #","d":"#.utf8)
    text.append(contentsOf: String(durable).utf8)
    if !members.isEmpty {
      text.append(UInt8(ascii: ","))
      text.append(contentsOf: members)
    }
    return finish(from: start, seed: seed, in: &text)
  }

  /// Ends a line that begins at an offset: the checksum, the brace and the line end;
  /// returns the checksum.
  @discardableResult
  static func finish(from start: Int, seed: Checksum, in text: inout [UInt8]) -> UInt32 {
    var checksum = seed
    text.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    text.append(contentsOf: mark.utf8)
    text.append(contentsOf: checksum.description.utf8)
    text.append(contentsOf: close.utf8)
    return checksum.value
  }

  /// Reads the checksum at the end of a line; `nil` where it isn't there in its one form.
  static func checksum(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
    var position = offset
    guard skip(mark, in: bytes, &position), position + 8 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[position..<(position + 8)] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
      default: return nil
      }
    }
    position += 8
    guard skip(close, in: bytes, &position), position == bytes.count else { return nil }
    return value
  }

  /// How many bytes follow the last byte that the checksum covers.
  static let tailLength = 19

  private static let mark: StaticString = #","crc":""#
  private static let close: StaticString = "\"}\n"

  private static func skip(
    _ text: StaticString, in bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count,
      UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
        .isSame(as: UnsafeRawBufferPointer(text.utf8))
    else { return false }
    position += count
    return true
  }

  /// Reads a decimal number of up to 18 digits.
  private static func integer(
    in bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) -> Int? {
    let start = position
    var value = 0
    while position < bytes.count, position - start < 18,
      case let digit = bytes[position] &- 0x30, digit < 10
    {
      value = value * 10 + Int(digit)
      position += 1
    }
    return position > start ? value : nil
  }
}

extension LogLine {
  /// The members as an object; `nil` where they are none.
  var object: JSONObject? {
    var text: [UInt8] = [UInt8(ascii: "{")]
    text.reserveCapacity(members.count + 2)
    text.append(contentsOf: members)
    text.append(UInt8(ascii: "}"))
    return (try? JSON(parsing: text))?.object
  }

  /// Returns an object's members as they stand in a line.
  static func members(_ object: JSONObject) -> [UInt8] {
    Array(JSON.object(object).encoded().dropFirst().dropLast())
  }
}

extension StaticString {
  /// The text's bytes.
  fileprivate var utf8: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
