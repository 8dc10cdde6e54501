/// The three-way merge of texts, by runs of lines.
///
/// Changed lines that touch each other are one run, as in diff3; a text of one line is one value and
/// isn't merged. The line end of a text's last line is a run by itself, so that a line that is added
/// behind a last line without it changes no other line.
package struct LineMerge: Equatable, Sendable {
  /// A line, in UTF-8, without its end.
  package typealias Line = ArraySlice<UInt8>
  /// Lines that one or both sides changed, or none did.
  package typealias Run = Sides<[Line]>

  /// The runs in their order; between them they have every line of the three texts.
  ///
  /// Where a text ends with a line end, its last line is an empty one.
  package private(set) var runs: [Run] = []

  /// Compares; `nil` where a text has one line only, or more than ``LineDiff/limit`` lines differ.
  package init?(base: Text, client: Text, server: Text) {
    let texts = [base, client, server].map(Self.lines)
    let old = texts[0].lines
    guard old.count > 1, texts[1].lines.count > 1 || texts[2].lines.count > 1,
      let ours = LineDiff(from: old, to: texts[1].lines),
      let theirs = LineDiff(from: old, to: texts[2].lines)
    else { return nil }
    var (position, rest) = (0, (ours: ours.hunks[...], theirs: theirs.hunks[...]))
    for range in Self.runs(of: (ours.hunks + theirs.hunks).map(\.range)) {
      append(old[position..<range.lowerBound])
      let client = Self.take(&rest.ours, in: range, of: old)
      let server = Self.take(&rest.theirs, in: range, of: old)
      runs.append(Run(base: Array(old[range]), client: client, server: server))
      position = range.upperBound
    }
    append(old[position...])
    // A text without lines has nothing that a line end could be behind.
    let ends = texts.map { $0.lines.isEmpty ? texts[0].end : $0.end }
    runs.append(Run(base: ends[0], client: ends[1], server: ends[2]))
  }

  private mutating func append(_ lines: ArraySlice<Line>) {
    let lines = Array(lines)
    if !lines.isEmpty { runs.append(Run(base: lines, client: lines, server: lines)) }
  }

  /// Returns the ranges of lines with those that touch as one.
  private static func runs(of ranges: [Range<Int>]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = runs.last, range.lowerBound <= last.upperBound {
        runs[runs.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        runs.append(range)
      }
    }
    return runs
  }

  /// Takes one side's hunks out of a run, and returns the side's lines there.
  private static func take(
    _ hunks: inout ArraySlice<LineDiff.Hunk>, in run: Range<Int>, of old: [Line]
  ) -> [Line] {
    var (lines, position): ([Line], _) = ([], run.lowerBound)
    while let hunk = hunks.first, hunk.range.lowerBound <= run.upperBound {
      lines += old[position..<hunk.range.lowerBound] + hunk.lines
      position = hunk.range.upperBound
      hunks.removeFirst()
    }
    return lines + old[position..<run.upperBound]
  }

  /// Returns the merged text, with the runs in conflict as `side` has them.
  package static func text(of runs: [Run], taking side: Side) -> Text {
    let lines = runs.flatMap { $0.merged(taking: side) }
    // Lines of valid UTF-8 are valid UTF-8.
    return Text(decoding: Array(lines.joined(separator: [lineEnd])))
  }

  /// Splits a text into its lines; `end` is an empty line where the last one ends with a line end.
  private static func lines(_ text: Text) -> (lines: [Line], end: [Line]) {
    let pieces = text.bytes.split(separator: lineEnd, omittingEmptySubsequences: false)
    guard let last = pieces.last, last.isEmpty else { return (pieces, []) }
    return (Array(pieces.dropLast()), pieces.count > 1 ? [last] : [])
  }

  private static let lineEnd = UInt8(ascii: "\n")
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
