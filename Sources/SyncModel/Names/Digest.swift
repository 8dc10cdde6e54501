/// A 128-bit fingerprint of a content.
///
/// MurmurHash3 (x64, 128 bits, seed 0). It tells apart what happens by accident; it is no defence
/// against somebody who may write into the workspace, who needs none of its weaknesses.
package struct Digest: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Takes the fingerprint of some bytes.
  package init(of bytes: some Collection<UInt8>) {
    let pair =
      bytes.withContiguousStorageIfAvailable { Self.murmur(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { Self.murmur($0) }
    (high, low) = pair
  }

  /// Reads 32 hexadecimal digits, as ``description`` writes them.
  package init?(_ text: String) {
    let digits = Array(text.utf8)
    // A number may have a sign where digits are read as one.
    guard digits.count == 32, digits.allSatisfy({ $0 >= 0x30 }),
      let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
      let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  private static func murmur(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
    let (c1, c2): (UInt64, UInt64) = (0x87c3_7b91_1142_53d5, 0x4cf5_ad43_2745_937f)
    var (h1, h2): (UInt64, UInt64) = (0, 0)
    let blocks = bytes.count / 16
    for block in 0..<blocks {
      var k1 = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: block * 16, as: UInt64.self))
      var k2 = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: block * 16 + 8, as: UInt64.self))
      k1 = rotated(k1 &* c1, 31) &* c2
      h1 = (rotated(h1 ^ k1, 27) &+ h2) &* 5 &+ 0x52dc_e729
      k2 = rotated(k2 &* c2, 33) &* c1
      h2 = (rotated(h2 ^ k2, 31) &+ h1) &* 5 &+ 0x3849_5ab5
    }
    var (k1, k2): (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes[(blocks * 16)...].enumerated() {
      if index < 8 {
        k1 |= UInt64(byte) << (8 * index)
      } else {
        k2 |= UInt64(byte) << (8 * (index - 8))
      }
    }
    h2 ^= rotated(k2 &* c2, 33) &* c1
    h1 ^= rotated(k1 &* c1, 31) &* c2
    h1 ^= UInt64(bytes.count)
    h2 ^= UInt64(bytes.count)
    h1 &+= h2
    h2 &+= h1
    h1 = finished(h1)
    h2 = finished(h2)
    h1 &+= h2
    return (h1, h2 &+ h1)
  }

  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }

  private static func finished(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ value >> 33) &* 0xff51_afd7_ed55_8ccd
    value = (value ^ value >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return value ^ value >> 33
  }
}

extension Digest: CustomStringConvertible {
  /// 32 hexadecimal digits, lower case.
  package var description: String {
    high.hexadecimal + low.hexadecimal
  }
}
