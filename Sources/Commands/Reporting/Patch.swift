/// The difference of two texts in the form of `diff -u` (POSIX.1-2024, diff, "-u or -U option").
struct Patch {
  /// The lines, without line ends; none if the texts are equal.
  let lines: [PatchLine]

  /// How many lines stand around a change.
  private static let context = 3

  /// Compares texts; `nil` is `/dev/null`.
  init(
    from old: [UInt8]?, named oldName: String, to new: [UInt8]?, named newName: String
  ) {
    let steps = Self.steps(from: Self.split(old ?? []), to: Self.split(new ?? []))
    let hunks = Self.hunks(steps)
    guard !hunks.isEmpty else {
      lines = []
      return
    }
    let heads = [
      PatchLine(kind: .head, text: "--- \(old == nil ? "/dev/null" : oldName)"),
      PatchLine(kind: .head, text: "+++ \(new == nil ? "/dev/null" : newName)"),
    ]
    lines = heads + hunks.flatMap { Self.lines(of: steps[$0], in: steps, from: $0.lowerBound) }
  }

  /// A line of either text, and its place.
  private struct Step {
    let kind: PatchLine.Kind
    let line: [UInt8]
    /// How many lines of the old and of the new text come before it.
    let old, new: Int
  }

  /// Returns the lines, each with its line end.
  private static func split(_ text: [UInt8]) -> [[UInt8]] {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let rest = lines.last.map { $0.isEmpty ? [] : [Array($0)] } ?? []
    return lines.dropLast().map { $0 + [UInt8(ascii: "\n")] } + rest
  }

  private static func steps(from old: [[UInt8]], to new: [[UInt8]]) -> [Step] {
    var (removed, added): (Set<Int>, Set<Int>) = ([], [])
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var steps: [Step] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      let kind: PatchLine.Kind =
        removed.contains(i) ? .removed : added.contains(j) ? .added : .same
      steps.append(Step(kind: kind, line: kind == .added ? new[j] : old[i], old: i, new: j))
      if kind != .added { i += 1 }
      if kind != .removed { j += 1 }
    }
    return steps
  }

  /// Returns ranges of steps: changes, and the context around them.
  private static func hunks(_ steps: [Step]) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for index in steps.indices where steps[index].kind != .same {
      let start = max(0, index - context)
      let end = min(steps.count, index + context + 1)
      if let last = hunks.last, start <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<end
      } else {
        hunks.append(start..<end)
      }
    }
    return hunks
  }

  private static func lines(of hunk: ArraySlice<Step>, in steps: [Step], from start: Int)
    -> [PatchLine]
  {
    let first = steps[start]
    let oldCount = hunk.count { $0.kind != .added }
    let newCount = hunk.count { $0.kind != .removed }
    let head =
      "@@ -\(range(first.old, oldCount)) +\(range(first.new, newCount)) @@"
    return [PatchLine(kind: .hunk, text: head)]
      + hunk.flatMap { step -> [PatchLine] in
        let isWhole = step.line.last == UInt8(ascii: "\n")
        let text = String(decoding: isWhole ? step.line.dropLast() : step.line[...], as: UTF8.self)
        let line = PatchLine(kind: step.kind, text: step.kind.mark + text)
        return isWhole
          ? [line] : [line, PatchLine(kind: .hunk, text: "\\ No newline at end of file")]
      }
  }

  private static func range(_ before: Int, _ count: Int) -> String {
    // An empty range is named by the line before it.
    let start = count == 0 ? before : before + 1
    return count == 1 ? "\(start)" : "\(start),\(count)"
  }
}

struct PatchLine: Equatable {
  enum Kind {
    case head, hunk, same, removed, added

    fileprivate var mark: String {
      switch self {
      case .removed: "-"
      case .added: "+"
      default: " "
      }
    }
  }

  let kind: Kind
  let text: String

  var line: Line {
    var line = Line()
    let style: Line.Style =
      switch kind {
      case .head: .bold
      case .hunk: .cyan
      case .same: .plain
      case .removed: .red
      case .added: .green
      }
    line.append(text, style, keepingTabs: true)
    return line
  }
}
