@testable import SyncModel
@testable import Workspace

/// A stat index made of an input: numbers as the input says, with the checksums that fit.
///
/// After the first byte (`i`) come the numbers of rows in effect and of rows that wait, a byte each,
/// the length of their names, two bytes, and the number of live rows, eight; the rest is what the
/// entries, names and digests are read from.
enum IndexInput {
  /// Returns the file for a log that ends at a position; `nil` where the input is too short.
  static func file(_ bytes: [UInt8], of generation: Text, at position: LogPosition) -> [UInt8]? {
    guard bytes.count >= 13, bytes[0] == UInt8(ascii: "i") else { return nil }
    let count = Int(bytes[1])
    let waiting = Int(bytes[2])
    let names = Int(bytes[3]) << 8 | Int(bytes[4])
    let live = bytes[5..<13].reduce(0) { $0 << 8 | Int($1) & 0xFF } & (1 << 53 - 1)
    let covered = (count + waiting) * IndexedTable.stride + StatIndex.padded(names)
    let length = covered + (count + waiting) * IndexedTable.digestStride
    var part = Array(bytes[13...].prefix(length))
    part += repeatElement(0, count: length - part.count)
    let checksum = part[..<covered].withUnsafeBytes { Checksum(of: $0).value }
    var table = JSONObject()
    table.append("table", "t")
    table.append("generation", .string(generation))
    table.append("token", .null)
    for (name, number) in [
      ("offset", position.offset), ("number", position.number), ("durable", position.durable),
      ("line", Int(position.checksum)), ("live", live), ("bytes", 0),
      ("device", 0), ("count", count), ("arrivals", waiting), ("names", names), ("at", 0),
      ("checksum", Int(checksum)),
    ] {
      table.append(Text(name), .integer(number))
    }
    let list = JSON.array([.object(table)])
    var text = JSON.object(JSONObject([.init(name: "tables", value: list)])).encoded()
    text += repeatElement(0x20, count: StatIndex.padded(text.count) - text.count)
    var file: [UInt8] = []
    withUnsafeBytes(of: StatIndex.magic) { file += $0 }
    withUnsafeBytes(of: UInt32(text.count)) { file += $0 }
    withUnsafeBytes(of: text.withUnsafeBytes { Checksum(of: $0).value }) { file += $0 }
    return file + text + part
  }
}
