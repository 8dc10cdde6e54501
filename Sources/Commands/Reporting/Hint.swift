/// A hint for people about the next step; its commands are values.
///
/// ```
///   "to bring it back: \(typed: "restore", "a b")"
///    to bring it back: tsync -C list restore 'a b'
/// ```
///
/// Whoever prints a hint quotes the words, and knows where the person stands.
struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// A part of a hint.
  enum Piece: Hashable, Sendable {
    /// Words for people.
    case text(String)
    /// The words of a command, unquoted; behind them the paths of files, relative to the workspace.
    case command([String], places: [String])
    /// What follows stands in the column for hints.
    case column
  }

  /// Its parts, in their order.
  var pieces: [Piece]

  init(stringLiteral text: String) {
    pieces = [.text(text)]
  }

  init(stringInterpolation interpolation: StringInterpolation) {
    pieces = interpolation.pieces
  }

  /// The builder of a hint from an interpolated string literal.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ text: String) {
      // Hints that say the same are equal, however they were written.
      if case .text(let start)? = pieces.last {
        pieces[pieces.count - 1] = .text(start + text)
      } else if !text.utf8.isEmpty {
        pieces.append(.text(text))
      }
    }

    /// Adds a value as words for people.
    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      appendLiteral(value.description)
    }

    /// Adds another hint.
    mutating func appendInterpolation(_ hint: Hint) { pieces += hint.pieces }

    /// Adds a part.
    mutating func appendInterpolation(_ piece: Piece) { pieces.append(piece) }

    /// Adds a command of tsync, given without the program's name.
    mutating func appendInterpolation(typed words: String...) {
      appendInterpolation(typed: words)
    }

    /// Adds a command of tsync, given without the program's name.
    mutating func appendInterpolation(typed words: [String]) {
      pieces.append(.command(["tsync"] + words, places: []))
    }

    /// Adds a command of another program, given with its name.
    mutating func appendInterpolation(shell words: String..., places: [String] = []) {
      pieces.append(.command(words, places: places))
    }
  }
}
