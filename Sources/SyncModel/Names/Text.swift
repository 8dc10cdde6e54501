import Glibc

/// A text that is compared, ordered and hashed by its UTF-8 bytes.
///
/// Swift's `String` calls canonically equivalent texts equal and hides bytes behind grapheme
/// clusters; two members named `é`, composed and decomposed, are two members here.
package struct Text: Sendable {
  /// The text, valid UTF-8.
  package let string: String

  /// Wraps a string.
  package init(_ string: String) {
    self.string = string
  }

  /// Reads bytes as UTF-8; what is not becomes U+FFFD.
  package init(decoding bytes: some Collection<UInt8>) {
    string = String(decoding: bytes, as: UTF8.self)
  }

  /// Reads bytes as UTF-8; `nil` where they are not.
  package init?(validating bytes: some Collection<UInt8>) {
    guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
    self.string = string
  }

  /// The UTF-8 bytes.
  package var bytes: [UInt8] { Array(string.utf8) }

  /// Gives the UTF-8 bytes without copying them.
  private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var copy = string
    return copy.withUTF8(body)
  }

  /// The text in small letters, by which names are compared without case.
  package var lowercased: Text { isLowercased ? self : Text(string.lowercased()) }

  /// Whether it is of ASCII, and none of its letters is a capital.
  package var isLowercased: Bool {
    string.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
  }

  /// Whether there is no byte at all.
  package var isEmpty: Bool { string.utf8.isEmpty }
}

extension Text: Hashable {
  package static func == (left: Text, right: Text) -> Bool {
    guard left.string.utf8.count == right.string.utf8.count else { return false }
    return left.withBytes { mine in
      right.withBytes { UnsafeRawBufferPointer(mine).isSame(as: UnsafeRawBufferPointer($0)) }
    }
  }

  package func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both hold the same bytes.
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else {
      return count == other.count
    }
    return memcmp(start, otherStart, count) == 0
  }
}

extension Text: Comparable {
  package static func < (left: Text, right: Text) -> Bool {
    left.withBytes { mine in right.withBytes { mine.lexicographicallyPrecedes($0) } }
  }
}

extension Text: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

extension Text: CustomStringConvertible {
  package var description: String { string }
}
