/// The conversion between an id and its file name.
///
/// The map is total, injective and knows no state: bytes of `[A-Za-z0-9_-]` and inner `.` stand for
/// themselves, every other byte becomes `%XX`; a leading `.` or `-`, a trailing `.` and the first
/// byte of a Windows device name are escaped too.
package enum FileName {
  /// What the name of an item's file ends with.
  package static let suffix: Text = ".json"

  /// The longest name, in bytes, before the suffix.
  package static let limit = 240

  /// Returns the name, without the suffix, for an id; `nil` where it would be too long.
  package static func of(_ id: ItemID) -> Text? {
    let bytes = id.text.bytes
    var name: [UInt8] = []
    name.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let edge = index == 0 || index == bytes.count - 1
      let plain = isPlain(byte) || (byte == UInt8(ascii: ".") && !edge)
      if plain && !(index == 0 && (byte == UInt8(ascii: "-") || isDevice(bytes))) {
        name.append(byte)
      } else {
        name += byte.percentEscape
      }
    }
    guard name.count <= limit else { return nil }
    return Text(decoding: name)
  }

  /// Returns the id that a name, without the suffix, stands for.
  ///
  /// - Throws: Why it stands for none. A name that says an id in another way than ``of(_:)`` does
  ///   stands for none; the error then tells the name to use.
  package static func id(of name: Text) throws(NameError) -> ItemID {
    guard let bytes = name.bytes.percentDecoded else {
      throw NameError("the file name contains a '%' that is not an escape")
    }
    guard let text = Text(validating: bytes) else {
      throw NameError("the file name is not UTF-8")
    }
    let id = try ItemID(text)
    guard let canonical = of(id) else {
      throw NameError("the id is too long for a file name")
    }
    guard canonical == name else {
      throw NameError("the file name for this id is \(canonical)\(suffix)")
    }
    return id
  }

  /// Returns a text with every byte outside `[A-Za-z0-9_.-]` as `%XX`.
  package static func escaped(_ text: Text) -> String {
    text.escaped { isPlain($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  /// Whether a name is one that Windows keeps for a device, with or without an extension.
  private static func isDevice(_ bytes: [UInt8]) -> Bool {
    let stem = bytes.prefix { $0 != UInt8(ascii: ".") }.map(\.lowered)
    switch stem.count {
    case 3: return ["con", "prn", "aux", "nul"].contains { Array($0.utf8) == stem }
    case 4:
      return (0x31...0x39).contains(stem[3])
        && (stem.starts(with: "com".utf8) || stem.starts(with: "lpt".utf8))
    default: return false
    }
  }
}
