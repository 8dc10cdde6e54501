import SyncEngine
import Workspace

/// Writes hints with commands that work in the person's directory.
struct HintText {
  /// The value of `-C`.
  private(set) var option: String?
  /// The directory that the command works in.
  let directory: String
  /// The workspace's directory, once it is known.
  var workspace: String?

  init(option: String?, directory: String, workspace: String? = nil) {
    (self.option, self.directory, self.workspace) = (option, directory, workspace)
  }

  /// Makes later hints work in a directory, relative to this command's.
  mutating func enter(_ directory: String) {
    option = option.map { Self.place(directory, in: $0) } ?? directory
  }

  private static func place(_ path: String, in directory: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : "\(directory)/\(path)"
  }

  /// Splits a hint into its text and the part for the hint column.
  func parts(of hint: Hint) -> (text: String, aside: String?) {
    let parts = hint.pieces.split(separator: .column, omittingEmptySubsequences: false)
      .map { $0.map(text).joined() }
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// Returns a hint on one line, without a column.
  func text(of hint: Hint) -> String {
    let (text, aside) = parts(of: hint)
    return aside.map { "\(text): \($0)" } ?? text
  }

  private func text(_ piece: Hint.Piece) -> String {
    switch piece {
    case .text(let text): return text
    case .column: return ""
    case .command(var words, let places):
      let isOurs = words.first.map { ["tsync", "env"].contains($0) } ?? false
      if isOurs, let option, let program = words.firstIndex(of: "tsync") {
        // A command with a -C of its own starts from this command's directory.
        if words.count > program + 2, words[program + 1] == "-C" {
          words[program + 2] = Self.place(words[program + 2], in: option)
        } else {
          words.insert(contentsOf: ["-C", option], at: program + 1)
        }
      }
      return (words + places.map(path)).map(Shell.word).joined(separator: " ")
    }
  }

  /// Returns a path, absolute or relative to the workspace, as a person can type it.
  private func path(_ place: String) -> String {
    let whole = workspace.map { PathName.absolute(place, in: $0) } ?? place
    return option == nil ? PathName.part(of: whole, below: directory) ?? whole : whole
  }
}

extension Hint.StringInterpolation {
  /// Adds a file's path, absolute or relative to the workspace, so that it can be typed.
  mutating func appendInterpolation(file path: String) {
    appendInterpolation(Hint.Piece.command([], places: [path]))
  }

  /// Adds a file's path, absolute or relative to `.todosync`, so that it can be typed.
  mutating func appendInterpolation(place: String) {
    appendInterpolation(file: place.utf8.first == UInt8(ascii: "/") ? place : ".todosync/\(place)")
  }
}
