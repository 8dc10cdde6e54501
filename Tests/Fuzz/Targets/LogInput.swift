@testable import SyncModel
@testable import Workspace

/// A log's file made of an input.
///
/// No fuzzer finds a checksum. So the first byte says what the rest is: the file as it stands (`r`),
/// or the members of its lines, which get their numbers and checksums here (`m`), with a byte of the
/// file changed (`x`: three bytes say which, and how) or the file cut off (`c`: two bytes say where).
struct LogInput {
  /// The file.
  let file: [UInt8]
  /// The members of each whole line.
  let lines: [[UInt8]]
  /// Whether the file is as it was written.
  let isWhole: Bool

  /// Reads an input; `nil` where there is nothing in it.
  init?(_ bytes: [UInt8], kind: LogKind, extra: JSONObject = JSONObject()) {
    var rest = bytes[...]
    guard let form = rest.popFirst() else { return nil }
    if form == UInt8(ascii: "r") {
      (file, lines, isWhole) = (Array(rest), [], false)
      return
    }
    var damage: [Int] = []
    let count = form == UInt8(ascii: "x") ? 3 : form == UInt8(ascii: "c") ? 2 : 0
    while damage.count < count, let byte = rest.popFirst() { damage.append(Int(byte)) }
    lines = rest.split(separator: 0x0A).map(Array.init)
    var file = Self.header(kind, extra)
    var seed = Checksum()
    seed.add(Self.salt.bytes)
    for (number, line) in lines.enumerated() {
      LogLine.write(line, number: number + 1, durable: number, seed: seed, into: &file)
    }
    isWhole = damage.count < 2
    if damage.count >= 2 {
      let place = (damage[0] << 8 | damage[1]) % file.count
      if damage.count == 2 {
        file.removeSubrange(place...)
      } else {
        file[place] ^= UInt8(damage[2])
      }
    }
    self.file = file
  }

  private static let salt: Text = "0123456789abcdef"

  /// The header's line, always with the same salt.
  private static func header(_ kind: LogKind, _ extra: JSONObject) -> [UInt8] {
    var object = JSONObject()
    object.append("h", .string(kind.name))
    object.append("v", .integer(kind.version))
    object.append("salt", .string(salt))
    object.append("boot", .string(""))
    for member in extra.members { object.append(member.name, member.value) }
    var line = JSON.object(object).encoded()
    line.removeLast()
    var seed = Checksum()
    seed.add(salt.bytes)
    LogLine.finish(from: 0, seed: seed, in: &line)
    return line
  }
}
