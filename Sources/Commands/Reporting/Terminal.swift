import SyncModel

/// Text for a terminal: made safe, measured and cut.
enum Terminal {
  /// Spells out characters that control a terminal or can't be seen: `\x1b`, `\u{202e}`.
  static func safe(_ text: String, keepingTabs: Bool = false) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    return spelling(text, except: keepingTabs ? ["\t"] : []) { scalar in
      UInt8(exactly: scalar.value).map { "\\x\($0.hexadecimal)" }
        ?? "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  /// Writes an escape for each unsafe character of a text.
  private static func spelling(
    _ text: String, except kept: Set<Unicode.Scalar>, by escape: (Unicode.Scalar) -> String
  ) -> String {
    let scalars = text.unicodeScalars
    var result = String.UnicodeScalarView()
    var last: Unicode.Scalar = " "
    for index in scalars.indices {
      let scalar = scalars[index]
      let next = scalars[index...].dropFirst().first ?? " "
      let isJoiner = scalar == "\u{200C}" || scalar == "\u{200D}"
      if isSafe(scalar) || kept.contains(scalar) || isJoiner && isJoined(last) && isJoined(next) {
        result.append(scalar)
      } else {
        result.append(contentsOf: escape(scalar).unicodeScalars)
      }
      last = scalar
    }
    return String(result)
  }

  /// Whether a terminal shows the character by itself, and doesn't obey it.
  static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20..<0x7F).contains(scalar.value) { return true }
    // Variation selectors 15 and 16 only choose between the two looks of an emoji.
    if scalar.value == 0xFE0E || scalar.value == 0xFE0F { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether a joiner beside the character has an effect, as in emoji, Hindi and Persian.
  private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x7F && isSafe(scalar) && !scalar.properties.isWhitespace
  }

  /// Returns the width of a safe text in columns.
  static func columns(of text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    // The emoji of a family, up to eight, are one picture.
    var (sum, joined) = (0, 0)
    var (first, joiner): (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
    for scalar in text.unicodeScalars {
      let isPart = joiner == "\u{200D}" && first.properties.isEmoji && scalar.properties.isEmoji
      joined = isPart || scalar == "\u{200D}" ? joined + 1 : 0
      sum += isPart && joined < 16 ? 0 : columns(of: scalar)
      (first, joiner) = (joiner, scalar)
    }
    return sum
  }

  /// Returns 0 for combining and 2 for wide characters (Unicode Annex 11, by blocks), else 1.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    let isWide = wide.contains { $0.contains(scalar.value) }
    return isWide || scalar.properties.isEmojiPresentation ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  /// Cuts a safe text to a number of columns, with `…` at the end.
  static func cut(_ text: String, to limit: Int) -> String {
    guard columns(of: text) > limit else { return text }
    var result = ""
    var room = limit - 1
    for character in text {
      room -= columns(of: String(character))
      if room < 0 { break }
      result.append(character)
    }
    return result + "…"
  }

  /// Cuts safe texts so that each shows where it begins to differ from the most similar one.
  static func cut(_ texts: [String], to limit: Int) -> [String] {
    let all = texts.map { Array($0) }
    let ends = all.map { text in
      all.map { $0 == text ? 0 : zip($0, text).prefix { $0 == $1 }.count }.max() ?? 0
    }
    let first = zip(texts, ends).filter { columns(of: $0.0) > limit }.map(\.1).min() ?? 0
    // Texts that differ at nearly the same place are cut at the same place.
    let places = ends.map { $0 - first < limit / 4 ? min($0, first) : $0 }
    let rest = zip(all, places).map { columns(of: String($0[$1...])) }.max() ?? 0
    let before = max(limit / 5, limit - 1 - rest)
    return texts.indices.map { index in
      var start = places[index]
      while start > 0, columns(of: String(all[index][(start - 1)..<places[index]])) <= before {
        start -= 1
      }
      if start < 2 || columns(of: texts[index]) <= limit { return cut(texts[index], to: limit) }
      return "…" + cut(String(all[index][start...]), to: limit - 1)
    }
  }

  /// Breaks a safe text wherever a line is full; after so many lines it is cut.
  static func folded(_ text: String, to limit: Int, lines: Int) -> [String] {
    var (folded, room) = ([""], limit)
    for character in text {
      let width = columns(of: String(character))
      if width > room {
        guard folded.count < lines else {
          folded[lines - 1] = cut(folded[lines - 1] + "……", to: limit)
          return folded
        }
        folded.append("")
        room = limit
      }
      folded[folded.count - 1].append(character)
      room -= width
    }
    return folded
  }

  /// Breaks a safe text at blanks; lines after the first are indented.
  static func wrapped(_ text: String, to limit: Int, indent: Int = 0) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, columns(of: "\(last) \(word)") <= limit {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append((lines.isEmpty ? "" : String(repeating: " ", count: indent)) + word)
      }
    }
    return lines
  }

  /// Writes the unsafe characters (``safe(_:keepingTabs:)``) of a JSON text as JSON escapes.
  ///
  /// Tabs and line ends stay, without `\r`: outside strings, valid JSON has no other unsafe ones.
  static func safe(json: [UInt8]) -> String {
    let text = String(decoding: json, as: UTF8.self).unicodeScalars.filter { $0 != "\r" }
    return spelling(String(String.UnicodeScalarView(text)), except: ["\n", "\t"]) { scalar in
      (UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter)
        .map { "\\u\($0.hexadecimal)" }.joined()
    }
  }
}
