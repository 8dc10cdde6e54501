import Glibc
import SyncModel

/// The stat cache: what files were known to mean, and where in the journals their rows lie.
///
/// It is a cache: whatever is wrong with it, it is not there, and is made anew. The file:
///
/// ```
///   magic (8 bytes) · length and CRC-32C of the next part (4 bytes each)
///   {"boot":"…","tables":[{"table":"todoitem","generation":"…","at":0,"count":…,…}]}, filled up to 8
///   a part a table: IndexedTable
/// ```
///
/// Numbers are in the machine's byte order; on a machine with another one the magic is wrong. The
/// file is mapped; it is only ever replaced, never changed, so that a map of it holds.
///
/// It is a class because it owns the map.
final class StatIndex {
  /// The file's name.
  static let name = "index"
  /// Format 4, and the byte order.
  static let magic: UInt64 = 0x7473_796E_6369_7834

  /// How many bytes lie before the JSON text.
  static let headerLength = 16

  /// Whether it was written since the machine was started; else its stamps tell nothing: a power loss may
  /// have left less of the files than they say.
  private(set) var isOfThisBoot = false

  private let map: UnsafeRawBufferPointer
  private var tables: [TableName: JSONObject] = [:]
  private let start: Int

  /// Opens the index; `nil` where there is none that can be used.
  ///
  /// `boot` is the kernel's name for the time since the machine was started.
  init?(in directory: Directory, boot: Text = LogHeader.currentBoot) {
    guard let descriptor = try? directory.open(Self.name, O_RDONLY | O_NONBLOCK) else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > Self.headerLength,
      let pages = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      pages != MAP_FAILED
    else { return nil }
    map = UnsafeRawBufferPointer(start: pages, count: Int(status.st_size))
    let length = Int(map.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    start = Self.padded(Self.headerLength + length)
    guard map.loadUnaligned(as: UInt64.self) == Self.magic, start <= map.count else { return nil }
    let text = UnsafeRawBufferPointer(
      rebasing: map[Self.headerLength..<Self.headerLength + length])
    guard Checksum(of: text).value == map.loadUnaligned(fromByteOffset: 12, as: UInt32.self),
      let content = (try? JSON(parsing: Array(text)))?.object,
      let list = content["tables"]?.elements
    else { return nil }
    isOfThisBoot = !boot.bytes.isEmpty && content["boot"]?.text == boot
    for case .object(let description) in list {
      guard let name = description["table"]?.text, let table = try? TableName(name) else {
        return nil
      }
      tables[table] = description
    }
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: map.baseAddress), map.count) }

  /// The tables it knows something of.
  var names: [TableName] { tables.keys.sorted() }

  /// Returns what it knows of a table; `nil` where it knows nothing that can be used.
  func table(_ name: TableName) -> IndexedTable? {
    guard let description = tables[name], let at = description["at"]?.integer, at >= 0,
      at <= map.count - start
    else { return nil }
    return IndexedTable(
      name, description, in: self, UnsafeRawBufferPointer(rebasing: map[(start + at)...]))
  }

  /// Returns a length with what fills it up to a multiple of 8.
  static func padded(_ length: Int) -> Int { (length + 7) & ~7 }
}
