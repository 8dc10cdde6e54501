/// Lines in columns, padded to the widest piece of each (tsync(1), Output).
///
/// Two blanks lie between columns; the last piece of a line is never padded.
struct Table {
  /// The width that a title's column has at least, and at most.
  static let title = 18...40

  /// The lines, a piece for each column.
  private var rows: [[Line]] = []
  /// The width that each column has at least.
  private let widths: [Int]

  /// Makes a table; a column has at least this width, and those beyond have none.
  init(widths: [Int] = []) {
    self.widths = widths
  }

  /// Adds a line.
  mutating func append(_ row: [Line]) {
    rows.append(row)
  }

  /// The lines, laid out.
  var lines: [Line] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      // What ends a line needs no room.
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

  /// Returns a title's piece, cut to the width of its column.
  static func title(_ title: String?) -> Line {
    guard let title else { return Line(ItemNames.untitled, .dim) }
    return Line(Terminal.cut(Terminal.safe(title), to: Self.title.upperBound))
  }
}
