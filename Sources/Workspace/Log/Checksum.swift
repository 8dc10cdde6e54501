import CLinux
import SyncModel

/// A CRC-32C (Castagnoli; RFC 3720 §12.1) that grows with the bytes it is given.
struct Checksum: Hashable {
  private var register: UInt32 = .max

  /// Makes the checksum of no bytes.
  init() {}

  /// Makes the checksum of some bytes.
  init(of bytes: UnsafeRawBufferPointer) {
    add(bytes)
  }

  /// The checksum of all bytes so far.
  var value: UInt32 { ~register }

  /// Takes in more bytes.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    register =
      Self.hasInstruction
      ? tsync_crc32c(register, start, bytes.count) : Self.byTable(register, bytes)
  }

  /// Takes in more bytes.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) == nil {
      Array(bytes).withUnsafeBytes { add($0) }
    }
  }

  private static let hasInstruction = tsync_has_crc32c() != 0

  /// Continues a checksum, without the final inversion, eight bytes at a step.
  static func byTable(_ register: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var register = register
      var offset = 0
      while offset + 8 <= bytes.count {
        let word =
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
          ^ UInt64(register)
        register = 0
        for place in 0..<8 {
          let byte = Int(truncatingIfNeeded: word >> UInt64(8 * place)) & 0xFF
          register ^= table[(7 - place) << 8 | byte]
        }
        offset += 8
      }
      while offset < bytes.count {
        register = register >> 8 ^ table[Int((register ^ UInt32(bytes[offset])) & 0xFF)]
        offset += 1
      }
      return register
    }
  }

  /// Eight tables of 256: what a byte does to the register that has this many bytes after it.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 << 8)
    for byte in 0..<256 {
      tables[byte] = (0..<8).reduce(UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
      }
    }
    for index in 256..<tables.count {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()
}

extension Checksum: CustomStringConvertible {
  /// Eight hexadecimal digits, lower case.
  var description: String { value.hexadecimal }
}
