import Glibc
import SyncModel

/// The first line of a log: what the file is, and the salt that all its checksums begin with.
///
/// `{"h":"tsync-journal","v":1,"salt":"9f31…","boot":"…","n":16,…,"crc":"3c0a11d2"}`, where `n` is the
/// number that the first line after it follows, left out where that is 0, and other members may
/// stand behind it.
struct LogHeader {
  /// Numbers of lines are less than this, so that JSON's readers agree on them.
  static let mostLines = 1 << 53

  /// What the file is.
  let kind: Text
  /// The format of its lines.
  let version: Int
  /// Random text; lines of another file, or of a former one in the same blocks, don't fit it.
  let salt: Text
  /// The kernel's boot in which the file was made; empty where that is unknown.
  let boot: Text
  /// The number of the line that the first one in the file follows.
  let number: Int
  /// The members that the log's user adds.
  let extra: JSONObject

  /// Makes the header of a new file.
  init(kind: LogKind, after number: Int, extra: JSONObject) {
    (self.kind, version) = (kind.name, kind.version)
    self.number = number
    self.extra = extra
    salt = Self.randomText()
    boot = Self.currentBoot
  }

  /// Reads a header from a file's first line, without its line end.
  ///
  /// - Throws: ``WorkspaceError`` where it has another format than this program's, or is not as it was written.
  init(parsing line: [UInt8], kind: LogKind, place: String) throws(WorkspaceError) {
    guard let object = try? JSON(parsing: line).object, object["h"]?.text == kind.name,
      let version = object["v"]?.integer
    else { throw Self.damage(place) }
    guard version == kind.version else {
      throw .otherFormat(place: place, isNewer: version > kind.version)
    }
    guard let salt = object["salt"]?.text, let boot = object["boot"]?.text else {
      throw Self.damage(place)
    }
    self.kind = kind.name
    self.version = version
    self.salt = salt
    self.boot = boot
    number = object["n"]?.integer ?? 0
    guard (0..<Self.mostLines).contains(number) else { throw Self.damage(place) }
    extra = JSONObject(object.members.filter { !Self.names.contains($0.name) })
    let whole = line + [UInt8(ascii: "\n")]
    let end = whole.count - LogLine.tailLength
    var checksum = seed
    checksum.add(whole.prefix(max(end, 0)))
    guard end > 0, whole.withUnsafeBytes({ LogLine.checksum(in: $0, at: end) }) == checksum.value
    else { throw Self.damage(place) }
  }

  /// The error that says that a header is no header.
  static func damage(_ place: String) -> WorkspaceError {
    .damaged(place: place, line: 1, fact: "the first line is not valid")
  }

  /// The checksum that each line's goes on from.
  var seed: Checksum {
    var checksum = Checksum()
    checksum.add(salt.bytes)
    return checksum
  }

  /// The header's line, with its line end.
  var text: [UInt8] {
    var object = JSONObject()
    object.append("h", .string(kind))
    object.append("v", .integer(version))
    object.append("salt", .string(salt))
    object.append("boot", .string(boot))
    if number > 0 { object.append("n", .integer(number)) }
    for member in extra.members { object.append(member.name, member.value) }
    var line = JSON.object(object).encoded()
    line.removeLast()
    LogLine.finish(from: 0, seed: seed, in: &line)
    return line
  }

  /// Returns 16 random hexadecimal digits.
  static func randomText() -> Text { Text(UInt64.random(in: 0...UInt64.max).hexadecimal) }

  private static let names: [Text] = ["h", "v", "salt", "boot", "n", "crc"]

  /// The kernel's name for the time since it was started.
  package static let currentBoot: Text = {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return Text(validating: bytes.prefix(max(count, 0)).filter { $0 > 0x20 }) ?? ""
  }()
}
