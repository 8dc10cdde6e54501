/// Lines in columns, padded to the widest piece of each (tsync(1), Output).
///
/// Two blanks separate columns; the last piece of a line is never padded.
struct Table {
  /// The smallest and the largest width of a title's column.
  static let title = 18...40

  private var rows: [[Line]] = []
  /// The smallest width of each column; further columns have none.
  private let widths: [Int]

  init(widths: [Int] = []) {
    self.widths = widths
  }

  mutating func append(_ row: [Line]) {
    rows.append(row)
  }

  var lines: [Line] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      // The last piece of a line needs no room.
      let widest = rows.lazy.filter { $0.count > column + 1 }.map { $0[column].columns }.max() ?? 0
      return max(widest, self.widths.indices.contains(column) ? self.widths[column] : 0)
    }
    return rows.map { row in
      var line = Line()
      var start = 0
      for (column, piece) in row.enumerated() {
        if column > 0 { line.pad(to: start) }
        line.append(piece)
        start += widths[column] + 2
      }
      return line
    }
  }

  /// Returns a title, cut to the width of its column.
  static func title(_ title: String?) -> Line {
    guard let title else { return Line(ItemNames.untitled, .dim) }
    return Line(Terminal.cut(Terminal.safe(title), to: Self.title.upperBound))
  }
}
