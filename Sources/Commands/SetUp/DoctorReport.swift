import SyncEngine
import SyncModel
import Workspace

/// The doctor's output: first the repairs, then the remaining findings.
struct DoctorReport {
  struct Entry {
    let finding: Finding
    let fix: String?

    init(_ finding: Finding, fix: String? = nil) {
      self.finding = finding
      self.fix = fix
    }
  }

  private let entries: [Entry]
  private let examination: Examination

  /// Joins repairs and findings; a repair counts only if its finding is gone.
  init(_ examination: Examination, fixed: [Entry]) {
    self.examination = examination
    entries =
      fixed.filter { !examination.findings.contains($0.finding) }
      + examination.findings.map { Entry($0) }
  }

  /// The exit status for the remaining findings.
  var status: ExitStatus {
    examination.findings.reduce(.done) { status, finding in
      switch finding.gravity {
      case .note: status
      case .mendable: status.or(.conflicts)
      case .unsafe: status.or(.unsafe)
      case .damage: status.or(.damaged)
      }
    }
  }

  /// Prints a line for each finding, and below it the repair.
  func print(to output: Output) {
    for entry in entries {
      output.append(entry.json(output), to: "findings")
      entry.lines(output).forEach(output.result)
    }
    output.set("items", examination.items)
    output.set("tables", examination.tables.count)
    let isFixable = examination.faults.contains { $0.remedy != nil }
    output.summary(Line(summary), next: isFixable ? "\(typed: "doctor", "--fix")" : nil)
  }

  private var summary: String {
    let counts: [(Int, String)] = [
      (entries.count { $0.fix != nil }, "mended"),
      (count(.damage), "damaged"), (count(.unsafe), "unsafe"), (count(.mendable), "to mend"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let (items, tables) = (examination.items, examination.tables.count)
    let extent =
      "\(items == 1 ? "1 item" : "\(items) items"), "
      + (tables == 1 ? "1 table" : "\(tables) tables")
    return (parts.isEmpty ? "all is well" : parts.joined(separator: ", ")) + ": \(extent)"
  }

  private func count(_ gravity: Finding.Gravity) -> Int {
    examination.findings.count { $0.gravity == gravity }
  }
}

extension DoctorReport.Entry {
  fileprivate func lines(_ output: Output) -> [Line] {
    var line = Line()
    line.append(word, style)
    line.pad(to: 8)
    let position = [finding.line, finding.column].compactMap { $0.map { ":\($0)" } }.joined()
    line.append("\(finding.place)\(position): \(message(output))")
    if let fix { return [line, Line("        \(fix)")] }
    guard let remedy = finding.remedy else { return [line] }
    return [line, Line("        --fix \(remedy.words)")]
  }

  private var word: String {
    if fix != nil { return "mended" }
    return switch finding.gravity {
    case .note: "note"
    case .mendable: "mend"
    case .unsafe: "unsafe"
    case .damage: "damage"
    }
  }

  private var style: Line.Style {
    if fix != nil { return .green }
    return switch finding.gravity {
    case .note: .dim
    case .mendable: .yellow
    case .unsafe, .damage: .red
    }
  }

  private func message(_ output: Output) -> String {
    finding.fact + (finding.hint.map { " · \(output.text(of: $0))" } ?? "")
  }

  fileprivate func json(_ output: Output) -> JSON {
    var object = JSONObject()
    object.add([
      "invariant": finding.invariant.description, "gravity": finding.gravity.rawValue,
      "path": finding.place, "line": finding.line, "column": finding.column,
      "message": message(output), "remedy": finding.remedy?.words, "mended": fix != nil,
    ])
    object.add(ifAny: ["deed": fix])
    return .object(object)
  }
}
