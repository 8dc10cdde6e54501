import SyncEngine
import SyncModel

@testable import Workspace

/// Ids and the names of their files; an input is taken as an id, as a name, and, line by line, as
/// the ids of a table.
enum FileNameTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    try asID(bytes)
    try asName(bytes)
    try asTable(bytes.split(separator: 0x0A).map(Array.init))
  }

  /// Names the file of an id, and makes sure that it is one plain name that leads back.
  private static func asID(_ bytes: [UInt8]) throws(Finding) {
    let id = Text(validating: bytes).flatMap { try? ItemID($0) }
    try ensure((id != nil) == isID(bytes), "an id or not: \(shown(bytes))")
    guard let id else { return }
    guard let name = FileName.of(id) else {
      try ensure(bytes.count > FileName.limit / 3, "no name for \(shown(bytes))")
      return
    }
    let written = name.bytes
    try ensure(written.count <= FileName.limit, "a name of \(written.count) bytes")
    try ensure(written.allSatisfy(allowed.contains), "the name has \(shown(written))")
    try ensure(
      written.first != UInt8(ascii: ".") && written.first != UInt8(ascii: "-")
        && written.last != UInt8(ascii: "."), "the name has an end \(shown(written))")
    try ensure((try? FileName.id(of: name)) == id, "\(name) does not lead back")
    let file = (name.string + FileName.suffix.string).utf8
    guard let table = try? TableName("t") else { return }
    try ensure(ItemFile.Name(of: file, in: table) == .item(id), "\(name) is not the item's file")
  }

  /// The rule of ids: 1 to 255 bytes of UTF-8 without control characters, not only blanks,
  /// neither `.` nor `..`.
  private static func isID(_ bytes: [UInt8]) -> Bool {
    guard let string = String(validating: bytes, as: UTF8.self), (1...255).contains(bytes.count)
    else { return false }
    let isControl = string.unicodeScalars.contains { $0.properties.generalCategory == .control }
    let isDots = bytes == Array(".".utf8) || bytes == Array("..".utf8)
    return !isControl && !isDots && bytes.contains { $0 != 0x20 }
  }

  /// Reads a name, and makes sure that only the one name of an id leads to it.
  private static func asName(_ bytes: [UInt8]) throws(Finding) {
    guard let table = try? TableName("t") else { return }
    let id = Text(validating: bytes).flatMap { try? FileName.id(of: $0) }
    if let id {
      try ensure(FileName.of(id)?.bytes == bytes, "another name of \(id): \(shown(bytes))")
    }
    let isPlain = bytes.withUnsafeBytes(PlainName.isPlain)
    if isPlain { try ensure(id?.text.bytes == bytes, "not its own name: \(shown(bytes))") }
    switch ItemFile.Name(of: bytes + FileName.suffix.bytes, in: table) {
    case .item(let found): try ensure(found == id, "two ids of \(shown(bytes))")
    case .ignored:
      try ensure(
        bytes.isEmpty || bytes.first == UInt8(ascii: "."), "ignored: \(shown(bytes))")
    case .invalid(let invalid):
      try ensure(id == nil, "invalid, and an id: \(shown(bytes))")
      if case .rename(let name)? = invalid.way {
        try ensure(
          ![name, invalid.place].contains { Text($0).hasControlCharacter },
          "a way with a control character: \(shown(bytes))")
      }
    }
  }

  /// Puts ids in a map, and makes sure that it knows what a dictionary does.
  private static func asTable(_ lines: [[UInt8]]) throws(Finding) {
    var map = IDMap<Int>()
    var twin: [ItemID: Int] = [:]
    for (number, line) in lines.enumerated() {
      guard let id = line.withUnsafeBytes({ ItemID($0) }) else { continue }
      let value = number % 5 == 4 ? nil : number
      map[id] = value
      twin[id] = value
      try ensure(map[id] == value && map.count == twin.count, "the map lost \(id)")
    }
    for (id, number) in twin { try ensure(map[id] == number, "the map lost \(id)") }
  }

  private static let allowed = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.%".utf8)
}
