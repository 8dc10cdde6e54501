/// The texts of several lines in a document for an editor: each a block of lines instead of a JSON
/// string.
///
/// ```
///   "notes": """
///     bring photos
///       two of each
///     """,
/// ```
///
/// A line `"""`, with blanks before it, closes the block; those blanks are taken off each line, and a
/// line of blanks only may have fewer. Between lines are line feeds, none follows the last. There are
/// no escapes.
package enum TextBlock {
  private static let quote = UInt8(ascii: "\"")
  private static let colon = UInt8(ascii: ":")
  private static let lineEnd = UInt8(ascii: "\n")
  /// What opens and closes a block; valid JSON has no such bytes.
  package static let mark = [quote, quote, quote]

  /// Returns a text's lines without their ends; `nil` where it can't be a block: it has one line
  /// only, other control characters than tabs, a line that would close it or reads like a marker, or
  /// blanks at the end of a line, which many editors take away.
  static func lines(of text: Text) -> [ArraySlice<UInt8>]? {
    let scalars = text.string.unicodeScalars
    guard scalars.contains("\n"),
      scalars.allSatisfy({ ["\n", "\t"].contains($0) || $0.properties.generalCategory != .control })
    else { return nil }
    let lines = text.bytes.split(separator: lineEnd, omittingEmptySubsequences: false)
    let isSafe = lines.allSatisfy { line in
      let bare = line.drop(while: isBlank)
      return !bare.starts(with: mark) && !Mark.isSide(bare) && !(line.last.map(isBlank) ?? false)
    }
    return isSafe ? lines : nil
  }

  /// Appends lines of a block, each with its end.
  static func write(
    _ lines: some Sequence<ArraySlice<UInt8>>, indentation: [UInt8], into text: inout [UInt8]
  ) {
    for line in lines { text += (line.isEmpty ? [] : indentation + line) + [lineEnd] }
  }

  /// Returns a JSON text with blocks for its texts, where they can be that.
  package static func blocks(in json: [UInt8]) -> [UInt8] {
    var (result, position, lineStart): ([UInt8], _, _) = ([], 0, 0)
    while let start = json[position...].firstIndex(of: quote) {
      let before = json[position..<start]
      if let end = before.lastIndex(where: JSONStyle.isLineEnd) { lineStart = end + 1 }
      result += before
      position = JSON.endOfString(in: json[start...])
      let token = json[start..<position]
      let isName = json[position...].first { !isBlank($0) && !JSONStyle.isLineEnd($0) } == colon
      guard !isName, let text = (try? JSON(parsing: token))?.text, let lines = lines(of: text)
      else {
        result += token
        continue
      }
      let indentation = json[lineStart...].prefix(while: isBlank) + [0x20, 0x20]
      result += mark + [lineEnd]
      write(lines, indentation: Array(indentation), into: &result)
      result += indentation + mark
    }
    return result + json[position...]
  }

  /// Returns a document with JSON strings for its blocks; with `isPadded` all else stays in its line
  /// and column.
  ///
  /// - Throws: The first mistake in a block, and its place.
  package static func strings(
    in document: [UInt8], isPadded: Bool = true
  ) throws(JSONError) -> [UInt8] {
    var (result, position): ([UInt8], _) = ([], 0)
    while let start = document[position...].firstIndex(of: quote) {
      result += document[position..<start]
      if document[start...].starts(with: mark) {
        let block = try block(from: start, of: document)
        block.text.writeQuoted(into: &result)
        position = block.end
        guard isPadded else { continue }
        let lines = document[start..<position].split(
          separator: lineEnd, omittingEmptySubsequences: false)
        result += lines.dropFirst().map { _ in lineEnd }
        result += (lines.last ?? []).map { isBlank($0) ? $0 : 0x20 }
      } else {
        position = JSON.endOfString(in: document[start...])
        result += document[start..<position]
      }
    }
    return result + document[position...]
  }

  /// Returns the text of a block, and where the block ends.
  private static func block(
    from start: Int, of document: [UInt8]
  ) throws(JSONError) -> (text: Text, end: Int) {
    let opening = document[(start + mark.count)...].prefix { $0 != lineEnd }
    guard opening.allSatisfy({ isBlank($0) || $0 == 0x0D }) else {
      throw JSONError(at: start, of: document, "\"\"\" must end its line")
    }
    var lines: [Range<Int>] = []
    var next = opening.endIndex + 1
    while next <= document.count {
      let line = next..<(document[next...].firstIndex(of: lineEnd) ?? document.count)
      let margin = document[line].prefix(while: isBlank)
      if document[margin.endIndex...].starts(with: mark) {
        let text = try lines.map { line throws(JSONError) in try content(line, margin, document) }
          .joined(separator: [lineEnd])
        guard let text = Text(validating: Array(text)) else {
          throw JSONError(at: start, of: document, "the text is not valid UTF-8")
        }
        return (text, margin.endIndex + mark.count)
      }
      lines.append(line)
      next = line.upperBound + 1
    }
    throw JSONError(at: start, of: document, "the text has no closing \"\"\"")
  }

  /// Returns a line without the blanks before the closing mark, and without a CR at its end.
  private static func content(
    _ line: Range<Int>, _ margin: ArraySlice<UInt8>, _ document: [UInt8]
  ) throws(JSONError) -> ArraySlice<UInt8> {
    let bytes = document[line].last == 0x0D ? document[line].dropLast() : document[line]
    if bytes.starts(with: margin) { return bytes.dropFirst(margin.count) }
    guard bytes.allSatisfy(isBlank) else {
      throw JSONError(
        at: line.lowerBound, of: document,
        "this line must begin with the blanks before the closing \"\"\"")
    }
    return []
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension JSON {
  /// Returns where the string that a text begins with ends: behind its closing quote, or, where it
  /// has none, at the end of the line.
  static func endOfString(in text: ArraySlice<UInt8>) -> Int {
    var isEscaped = true
    for (index, byte) in zip(text.indices, text) {
      if JSONStyle.isLineEnd(byte) { return index }
      if byte == UInt8(ascii: "\""), !isEscaped { return index + 1 }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return text.endIndex
  }
}
