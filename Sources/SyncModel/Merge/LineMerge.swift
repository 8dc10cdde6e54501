/// The three-way merge of texts, by lines.
///
/// Changed runs of lines that touch each other are in conflict, as in diff3; a text of one line is
/// one value and isn't merged.
package struct LineMerge: Equatable, Sendable {
  /// The merged text.
  package let text: Text

  /// Merges; `nil` where a text has one line only, or the changes meet.
  package init?(base: Text, client: Text, server: Text) {
    let old = Self.lines(base)
    let (ours, theirs) = (Self.lines(client), Self.lines(server))
    guard old.count > 1, ours.count > 1 || theirs.count > 1,
      let mine = LineDiff(from: old, to: ours), let other = LineDiff(from: old, to: theirs)
    else { return nil }
    var merged: [ArraySlice<UInt8>] = []
    var position = 0
    var (mineLeft, otherLeft) = (mine.hunks[...], other.hunks[...])
    while let hunk = Self.next(&mineLeft, &otherLeft, after: position) {
      switch hunk {
      case .conflict: return nil
      case .change(let range, let lines):
        merged += old[position..<range.lowerBound]
        merged += lines
        position = range.upperBound
      }
    }
    merged += old[position...]
    guard let text = Text(validating: Array(merged.joined())) else { return nil }
    self.text = text
  }

  private enum Next {
    case change(Range<Int>, [ArraySlice<UInt8>])
    case conflict
  }

  /// Takes the hunk that comes first; two that touch, unless they are alike, are a conflict.
  private static func next(
    _ mine: inout ArraySlice<LineDiff.Hunk>, _ other: inout ArraySlice<LineDiff.Hunk>,
    after position: Int
  ) -> Next? {
    guard let one = mine.first else {
      return other.popFirst().map { .change($0.range, $0.lines) }
    }
    guard let two = other.first else {
      return mine.popFirst().map { .change($0.range, $0.lines) }
    }
    if one.range == two.range, one.lines == two.lines {
      mine.removeFirst()
      other.removeFirst()
      return .change(one.range, one.lines)
    }
    if one.range.upperBound < two.range.lowerBound {
      mine.removeFirst()
      return .change(one.range, one.lines)
    }
    if two.range.upperBound < one.range.lowerBound {
      other.removeFirst()
      return .change(two.range, two.lines)
    }
    return .conflict
  }

  /// Splits a text after each line feed; the pieces joined are the text.
  private static func lines(_ text: Text) -> [ArraySlice<UInt8>] {
    let bytes = text.bytes
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(bytes[start...index])
      start = index + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }
}

/// The runs of lines in which one text differs from another (Myers, O(ND)).
struct LineDiff {
  /// Lines of the old text, and what stands in their place.
  struct Hunk {
    var range: Range<Int>
    var lines: [ArraySlice<UInt8>]
  }

  /// The runs in their order; no two of them touch.
  private(set) var hunks: [Hunk] = []

  /// The largest number of differing lines that are looked for; beyond it the texts have little in
  /// common and the search would take time and memory that grow with the square.
  static let limit = 1_000

  /// Compares; `nil` where more than ``limit`` lines differ.
  init?(from old: [ArraySlice<UInt8>], to new: [ArraySlice<UInt8>]) {
    var (start, end) = (0, 0)
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    while end < min(old.count, new.count) - start,
      old[old.count - 1 - end] == new[new.count - 1 - end]
    {
      end += 1
    }
    guard
      let pairs = Self.matches(
        old[start..<old.count - end], new[start..<new.count - end], limit: Self.limit)
    else { return nil }
    var (x, y) = (start, start)
    for (oldIndex, newIndex) in pairs + [(old.count - end, new.count - end)] {
      if oldIndex > x || newIndex > y {
        hunks.append(Hunk(range: x..<oldIndex, lines: Array(new[y..<newIndex])))
      }
      (x, y) = (oldIndex + 1, newIndex + 1)
    }
  }

  /// Returns the pairs of equal lines of a longest common subsequence.
  private static func matches(
    _ old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>, limit: Int
  ) -> [(Int, Int)]? {
    let (rows, columns) = (old.count, new.count)
    if rows == 0 || columns == 0 { return [] }
    let most = min(rows + columns, limit)
    var furthest = [Int](repeating: 0, count: 2 * most + 3)
    var trace: [[Int]] = []
    for distance in 0...most {
      trace.append(Array(furthest[(most + 1 - distance)...(most + 1 + distance)]))
      for diagonal in stride(from: -distance, through: distance, by: 2) {
        let place = diagonal + most + 1
        let down =
          diagonal == -distance
          || (diagonal != distance && furthest[place - 1] < furthest[place + 1])
        var x = down ? furthest[place + 1] : furthest[place - 1] + 1
        var y = x - diagonal
        while x < rows, y < columns, old[old.startIndex + x] == new[new.startIndex + y] {
          (x, y) = (x + 1, y + 1)
        }
        furthest[place] = x
        if x >= rows, y >= columns {
          return path(trace, rows, columns).map { ($0 + old.startIndex, $1 + new.startIndex) }
        }
      }
    }
    return nil
  }

  /// Walks the search back from its end and returns the steps that kept a line.
  private static func path(_ trace: [[Int]], _ rows: Int, _ columns: Int) -> [(Int, Int)] {
    var (x, y) = (rows, columns)
    var pairs: [(Int, Int)] = []
    for distance in stride(from: trace.count - 1, through: 0, by: -1) {
      // `trace[d]` holds the diagonals -d…d as they were before step d.
      let furthest = trace[distance]
      let diagonal = x - y
      func reach(_ diagonal: Int) -> Int {
        let index = diagonal + distance
        return furthest.indices.contains(index) ? furthest[index] : -1
      }
      let down =
        diagonal == -distance
        || (diagonal != distance && reach(diagonal - 1) < reach(diagonal + 1))
      let before = down ? diagonal + 1 : diagonal - 1
      let fromX = distance == 0 ? 0 : reach(before)
      let fromY = distance == 0 ? 0 : fromX - before
      while x > fromX, y > fromY {
        (x, y) = (x - 1, y - 1)
        pairs.append((x, y))
      }
      (x, y) = (fromX, fromY)
    }
    return pairs.reversed()
  }
}
