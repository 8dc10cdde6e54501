/// The three-way merge of texts, by lines.
///
/// Changed runs of lines that touch each other are in conflict, as in diff3; a text of one line is
/// one value and isn't merged. Whether a text ends with a line end is merged by itself, so that a line
/// that is added at the end of one without it changes no other line.
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
    let ends = [base, client, server].map { $0.bytes.last == Self.lineEnd }
    let isEnded = ends[1] == ends[0] ? ends[2] : ends[1]
    let end = isEnded && !merged.isEmpty ? [Self.lineEnd] : []
    guard let text = Text(validating: merged.joined(separator: [Self.lineEnd]) + end) else {
      return nil
    }
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

  private static let lineEnd = UInt8(ascii: "\n")

  /// Splits a text into its lines, without their ends.
  private static func lines(_ text: Text) -> [ArraySlice<UInt8>] {
    let pieces = text.bytes.split(separator: lineEnd, omittingEmptySubsequences: false)
    return pieces.last?.isEmpty == true ? pieces.dropLast() : pieces
  }
}

/// The runs of lines in which one text differs from another (Myers, O(ND)).
///
/// Lines that are only added, or only removed, are those furthest down that could be: so one edit that two
/// texts share is one in both.
struct LineDiff {
  /// Lines of the old text, and what stands in their place.
  struct Hunk {
    var range: Range<Int>
    var lines: [ArraySlice<UInt8>]

    /// Moves the run down by one line where it makes the same text there; tells whether it does.
    mutating func moveDown(over old: [ArraySlice<UInt8>]) -> Bool {
      let next = old[range.upperBound]
      if range.isEmpty, next == lines.first {
        lines.append(lines.removeFirst())
      } else if !lines.isEmpty || range.isEmpty || next != old[range.lowerBound] {
        return false
      }
      range = range.lowerBound + 1..<range.upperBound + 1
      return true
    }
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
    slide(over: old)
  }

  /// Moves each run down as far as it goes; one that meets the next becomes one with it.
  private mutating func slide(over old: [ArraySlice<UInt8>]) {
    var moved: [Hunk] = []
    for var hunk in hunks.reversed() {
      let end = moved.last?.range.lowerBound ?? old.count
      while hunk.range.upperBound < end, hunk.moveDown(over: old) {}
      if let next = moved.last, next.range.lowerBound == hunk.range.upperBound {
        hunk.range = hunk.range.lowerBound..<next.range.upperBound
        hunk.lines += next.lines
        moved.removeLast()
      }
      moved.append(hunk)
    }
    hunks = moved.reversed()
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
