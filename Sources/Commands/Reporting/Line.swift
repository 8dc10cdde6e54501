/// A line for people, in pieces of one style each.
///
/// Each piece is made safe when it is added (``Terminal/safe(_:keepingTabs:)``).
struct Line: Equatable {
  /// The look of a piece in colour; it adds no information to the text.
  enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  struct Piece: Equatable {
    let text: String
    let style: Style
  }

  private(set) var pieces: [Piece] = []
  private(set) var columns = 0

  init(_ text: String = "", _ style: Style = .plain) {
    append(text, style)
  }

  mutating func append(_ text: String, _ style: Style = .plain, keepingTabs: Bool = false) {
    guard !text.utf8.isEmpty else { return }
    let safe = Terminal.safe(text, keepingTabs: keepingTabs)
    pieces.append(Piece(text: safe, style: style))
    columns += Terminal.columns(of: safe)
  }

  mutating func append(_ line: Line) {
    pieces += line.pieces
    columns += line.columns
  }

  /// Adds blanks up to a column, counted from 0; at least two if the text reaches it.
  mutating func pad(to column: Int) {
    guard columns > 0 || column > 0 else { return }
    append(String(repeating: " ", count: columns < column ? column - columns : 2))
  }

  func cut(to limit: Int) -> Line {
    var line = Line()
    for piece in pieces where line.columns < limit {
      line.append(Terminal.cut(piece.text, to: limit - line.columns), piece.style)
    }
    return line
  }

  /// Returns the line with the next step in the column for hints.
  func hinting(_ way: String?) -> Line {
    guard let way else { return self }
    var line = self
    line.pad(to: Self.hintColumn)
    line.append(way, .dim)
    return line
  }

  /// The text without colours, and without blanks at the end.
  var text: String { Self.trimmed(pieces.map(\.text).joined()) }

  /// The text with the escape sequences for its styles.
  var coloured: String {
    var rest = pieces
    while let last = rest.popLast() {
      let text = Self.trimmed(last.text)
      guard !text.utf8.isEmpty else { continue }
      rest.append(Piece(text: text, style: last.style))
      break
    }
    return rest.map { piece in
      piece.style == .plain ? piece.text : "\u{1B}[\(piece.style.rawValue)m\(piece.text)\u{1B}[0m"
    }.joined()
  }

  /// Hints begin in column 50, counted from 1.
  static let hintColumn = 49

  private static func trimmed(_ text: String) -> String {
    let count = text.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    return count == 0 ? text : String(decoding: text.utf8.dropLast(count), as: UTF8.self)
  }
}

extension Line: ExpressibleByStringLiteral {
  init(stringLiteral value: String) {
    self.init(value)
  }
}
