/// Texts that a terminal obeys, that can't be seen, or that turn what stands around them.
enum NastyText {
  /// Every one of them.
  static let all: [String] = characters.map { "a\($0)b" } + sequences

  /// So many of them in one text each; where the long campaign is asked for, every one alone.
  static func grouped(by count: Int) -> [String] {
    if Campaign.isWhole { return all }
    return stride(from: 0, to: all.count, by: count).map { start in
      all[start..<min(start + count, all.count)].joined()
    }
  }

  private static func scalars(_ ranges: ClosedRange<UInt32>...) -> [String] {
    ranges.flatMap { $0 }.compactMap { Unicode.Scalar($0).map { String(Character($0)) } }
  }

  /// C0, DEL, C1, all that turns the direction, all of no width, other line ends, tags, selectors.
  private static let characters = scalars(
    0x01...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x600...0x605, 0x61C...0x61C,
    0x70F...0x70F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F,
    0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFE00...0xFE0D, 0xFEFF...0xFEFF,
    0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0x1_10BD...0x1_10BD, 0x1_BCA0...0x1_BCA3,
    0x1_D173...0x1_D17A, 0xE_0000...0xE_0001, 0xE_0020...0xE_007F, 0xE_0100...0xE_0107)

  private static let sequences: [String] = {
    let introducers = [
      ("\u{1B}[", ""), ("\u{9B}", ""), ("\u{1B}]", "\u{7}"), ("\u{9D}", "\u{9C}"),
      ("\u{1B}]", "\u{1B}\\"), ("\u{1B}P", "\u{1B}\\"), ("\u{90}", "\u{9C}"),
      ("\u{1B}_", "\u{1B}\\"),
      ("\u{1B}^", "\u{1B}\\"), ("\u{1B}X", "\u{1B}\\"),
    ]
    let bodies = [
      "2J", "31m", "6n", "?1049h", "0;title", "52;c;cm0gLXJm", "8;;http://evil.example",
      "1337;File=name=eA==:AA==", "$q\"p", "21t",
    ]
    return introducers.flatMap { start, end in bodies.map { "\(start)\($0)\(end)" } }
      + [
        "\u{1B}c", "\u{1B}%G", "\u{1B}(0", "done\rfake", "x\u{8}\u{8}y", "\r\n\r\nHTTP", "tab\tend",
      ]
  }()

  /// Names of files that are not UTF-8, and some that are.
  static let fileNames: [[UInt8]] =
    grouped(by: 12).map { Array($0.utf8.prefix(240)) }.filter {
      !$0.contains(0x2F) && !$0.contains(0)
    }
    + [
      [0xFF], [0xC2], [0x9B, 0x33, 0x31, 0x6D], [0xC0, 0x9B], [0xE2, 0x80], [0xED, 0xA0, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80, 0x1B, 0x5B, 0x32, 0x4A],
      [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]
}

/// What may be written where a terminal can be.
enum CleanOutput {
  /// Returns the first fault in what was written, with what stands around it; `nil` where there is
  /// none: only text that shows as what it is, and line ends.
  static func fault(in bytes: [UInt8], allowing others: Set<UInt32> = []) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return "not UTF-8" }
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() where scalar != "\n" {
      guard isObeyedOrUnseen(scalar), !others.contains(scalar.value) else { continue }
      let around = scalars[max(0, index - 40)..<min(scalars.count, index + 20)]
      let shown = around.map { $0.isASCII && $0.value >= 0x20 ? String($0) : "<\($0.value)>" }
      return "U+\(String(scalar.value, radix: 16)) in \(shown.joined())"
    }
    return nil
  }

  /// Returns the characters that are spelled out for people in what was written, as `\x1b` and
  /// `\u{202e}`.
  static func spelled(in bytes: [UInt8]) -> Set<UInt32> {
    var found: Set<UInt32> = []
    func take(_ digits: ArraySlice<UInt8>) {
      if let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) {
        found.insert(value)
      }
    }
    for place in bytes.indices.dropLast(3) where bytes[place] == UInt8(ascii: "\\") {
      let rest = bytes[(place + 2)...]
      if bytes[place + 1] == UInt8(ascii: "x") {
        take(rest.prefix(2))
      } else if bytes[place + 1] == UInt8(ascii: "u"), rest.first == UInt8(ascii: "{") {
        take(rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }.prefix(6))
      }
    }
    return found
  }

  /// Returns the characters of a text that must be spelled out; a line end may be one.
  static func unsafe(in text: String) -> Set<UInt32> {
    Set(text.unicodeScalars.filter { $0 != "\n" && isObeyedOrUnseen($0) }.map(\.value))
  }

  private static func isObeyedOrUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default:
      scalar.properties.isDefaultIgnorableCodePoint && ![0xFE0E, 0xFE0F].contains(scalar.value)
    }
  }
}
