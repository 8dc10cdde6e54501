/// A fault that is planted in the sources, to see whether the simulation finds it.
package struct Mutant {
  /// What is wrong with a mutant.
  package struct Mistake: Error, CustomStringConvertible {
    package let description: String
  }

  /// Lines that stand once in a file, and those in their place.
  private struct Edit {
    let file: String
    var old: [Substring] = []
    var new: [Substring] = []
  }

  /// Its name.
  package let name: String
  /// What its histories look at, as ``Plan/Focus`` reads it; empty for everything.
  package private(set) var focus = ""
  private var edits: [Edit] = []

  /// Reads mutants, separated by empty lines: `NAME`, `focus: WORDS`, `file: PATH`, `- LINE`, `+ LINE`.
  ///
  /// - Throws: ``Mistake``, where a line is none of these.
  package static func all(in text: String) throws -> [Mutant] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
      !$0.hasPrefix("#")
    }
    return try lines.split(whereSeparator: \.isEmpty).map { try Mutant(Array($0)) }
  }

  private init(_ lines: [Substring]) throws {
    name = String(lines[0])
    var file = ""
    for line in lines.dropFirst() {
      let rest = line.dropFirst(2)
      if line.hasPrefix("focus: ") {
        focus = String(line.dropFirst(7))
      } else if line.hasPrefix("file: ") {
        file = String(line.dropFirst(6))
      } else if line.hasPrefix("- ") {
        if edits.last?.file != file || edits.last?.new.isEmpty == false {
          edits.append(Edit(file: file))
        }
        edits[edits.count - 1].old.append(rest)
      } else if line.hasPrefix("+ "), edits.last?.file == file {
        edits[edits.count - 1].new.append(rest)
      } else {
        throw Mistake(description: "\(name): what is '\(line)'?")
      }
    }
  }

  /// Plants the fault: returns the files that it changes with their new texts; `read` gives a file's.
  ///
  /// - Throws: ``Mistake``, where lines don't stand once in their file; what `read` throws.
  package func planted(in read: (String) throws -> String) throws -> [String: String] {
    var files: [String: String] = [:]
    for edit in edits {
      let text = try files[edit.file] ?? read(edit.file)
      files[edit.file] = try planted(edit, in: text)
    }
    return files
  }

  private func planted(_ edit: Edit, in text: String) throws -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let bare = lines.map { $0.drop { $0 == " " } }
    let starts = bare.indices.filter { bare[$0...].starts(with: edit.old) }
    guard starts.count == 1, let start = starts.first else {
      throw Mistake(
        description: "\(name): '\(edit.old[0])' stands \(starts.count) times in \(edit.file)")
    }
    let indent = lines[start].prefix { $0 == " " }
    lines.replaceSubrange(start..<start + edit.old.count, with: edit.new.map { indent + $0 })
    return lines.joined(separator: "\n")
  }
}
