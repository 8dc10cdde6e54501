import SyncModel

@testable import Commands

/// What a terminal is shown: whatever the text, it obeys nothing of it.
enum TerminalTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    let text = String(decoding: bytes, as: UTF8.self)
    for keepsTabs in [false, true] {
      let safe = Terminal.safe(text, keepingTabs: keepsTabs)
      try isHarmless(safe, allowing: keepsTabs ? [0x09] : [])
      try ensure(
        Text(Terminal.safe(safe, keepingTabs: keepsTabs)) == Text(safe), "made safe twice")
    }
    try asLines(text)
    try asJSON(bytes)
    try asPatch(bytes)
  }

  /// Makes sure that no character is obeyed or unseen: controls, directions, zero widths, tags.
  ///
  /// A joiner can be seen between two characters that aren't ASCII.
  private static func isHarmless(
    _ text: String, allowing allowed: Set<UInt32> = []
  ) throws(Finding) {
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() where !allowed.contains(scalar.value) {
      if joiners.contains(scalar.value), index > 0, index < scalars.count - 1,
        [scalars[index - 1], scalars[index + 1]].allSatisfy({
          $0.value > 0x7F && !joiners.contains($0.value)
        })
      {
        continue
      }
      let isHarmful = harmful.contains { $0.contains(scalar.value) }
      try ensure(!isHarmful, "U+\(String(scalar.value, radix: 16)) in \(shown(text.utf8))")
    }
  }

  /// Lays a text out as a line and as a title's column.
  private static func asLines(_ text: String) throws(Finding) {
    var line = Line(text, .red)
    line.append(text)
    try isHarmless(line.text)
    var rest = line.coloured
    for style in ["\u{1B}[31m", "\u{1B}[0m"] { rest = removing(style, from: rest) }
    try isHarmless(rest)
    let safe = Terminal.safe(text)
    for limit in [1, 2, 40] {
      let cut = Terminal.cut(safe, to: limit)
      try isHarmless(cut)
      try ensure(Terminal.columns(of: cut) <= limit, "cut to more than \(limit): \(cut)")
    }
    var table = Table(widths: [4])
    table.append([Line(text), Table.title(text), "x"])
    for line in table.lines { try isHarmless(line.text) }
  }

  /// Takes the first two occurrences of an escape sequence away: a line of two pieces has no more.
  private static func removing(_ sequence: String, from text: String) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<2 {
      guard let range = bytes.firstRange(of: Array(sequence.utf8)) else { break }
      bytes.removeSubrange(range)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Makes sure that a JSON text that is made safe still says the same.
  private static func asJSON(_ bytes: [UInt8]) throws(Finding) {
    let safe = Terminal.safe(json: bytes)
    try isHarmless(safe, allowing: [0x09, 0x0A])
    guard let value = try? JSON(parsing: bytes) else { return }
    guard let again = try? JSON(parsing: Array(safe.utf8)) else {
      throw Finding(description: "no JSON once it is safe: \(shown(safe.utf8))")
    }
    try ensure(again.encoded() == value.encoded(), "another value once it is safe")
    try isHarmless(String(decoding: value.encoded(.compactASCII), as: UTF8.self))
  }

  /// Compares the two halves of an input; the lines that are shown are those of a patch.
  private static func asPatch(_ bytes: [UInt8]) throws(Finding) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
      .map(Array.init)
    guard parts.count == 2 else { return }
    let patch = Patch(from: parts[0], named: "a", to: parts[1], named: "b")
    try ensure(patch.lines.isEmpty == (parts[0] == parts[1]), "a patch of nothing, or none")
    let added = patch.lines.count { $0.kind == .added }
    let removed = patch.lines.count { $0.kind == .removed }
    let grown = lineCount(parts[1]) - lineCount(parts[0])
    try ensure(added - removed == grown, "\(added) added, \(removed) removed, \(grown) more")
  }

  private static func lineCount(_ text: [UInt8]) -> Int {
    text.count { $0 == 0x0A } + (text.last.map { $0 != 0x0A } ?? false ? 1 : 0)
  }

  private static let joiners: ClosedRange<UInt32> = 0x200C...0x200D

  private static let harmful: [ClosedRange<UInt32>] = [
    0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200F,
    0x2028...0x202E, 0x2060...0x206F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F,
  ]
}
