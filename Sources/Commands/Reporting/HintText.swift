import SyncEngine
import Workspace

/// Writes hints so that each command works, as it stands, where the person is.
struct HintText {
  /// What `-C` says; `nil` where it isn't given.
  private(set) var option: String?
  /// The directory in which the command works.
  let directory: String
  /// The directory of the workspace, once it is known.
  var workspace: String?

  init(option: String?, directory: String, workspace: String? = nil) {
    (self.option, self.directory, self.workspace) = (option, directory, workspace)
  }

  /// Has the commands work in a directory, relative to the one in which this command works.
  mutating func enter(_ directory: String) {
    option = option.map { Self.place(directory, in: $0) } ?? directory
  }

  private static func place(_ path: String, in directory: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : "\(directory)/\(path)"
  }

  /// Returns what a hint says, and what stands in the column for hints.
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
        // One that names a directory of its own finds it from where this one worked.
        if words.count > program + 2, words[program + 1] == "-C" {
          words[program + 2] = Self.place(words[program + 2], in: option)
        } else {
          words.insert(contentsOf: ["-C", option], at: program + 1)
        }
      }
      return (words + places.map(path)).map(Shell.word).joined(separator: " ")
    }
  }

  /// Returns the path of a file of the workspace as it can be typed.
  private func path(_ place: String) -> String {
    let whole = workspace.map { "\($0)/\(place)" } ?? place
    return option == nil ? PathName.part(of: whole, below: directory) ?? whole : whole
  }
}
