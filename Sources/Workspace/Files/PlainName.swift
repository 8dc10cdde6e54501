import SyncEngine
import SyncModel

/// Whether a file's name, without the suffix, is the id itself: nearly always.
///
/// What is plain here is its own name by ``SyncModel/FileName``; the reverse need not hold.
enum PlainName {
  /// Returns whether a text of these bytes is both an id and its file's name.
  static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty, bytes.count <= FileName.limit, bytes[0] != UInt8(ascii: "-"),
      bytes[0] != UInt8(ascii: "."), bytes[bytes.count - 1] != UInt8(ascii: ".")
    else { return false }
    var stem = bytes.count
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): break
      case UInt8(ascii: "."): stem = min(stem, index)
      default: return false
      }
    }
    // Names of devices have a stem of 3 or 4 bytes: rare enough to ask.
    guard stem == 3 || stem == 4, let id = ItemID(bytes) else { return true }
    return FileName.of(id) == id.text
  }
}
