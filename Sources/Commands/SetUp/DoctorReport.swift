import SyncEngine
import SyncModel
import Workspace

/// The doctor's output: first the repairs, then the remaining findings.
struct DoctorReport {
  struct Entry {
    let finding: Finding
    /// What was done about it; `nil` if it remains.
    var fix: String?
  }

  private let entries: [Entry]
  private let examination: Examination

  /// Joins repairs and findings; a repair counts only if its finding is gone.
  init(_ examination: Examination, fixed: [Entry]) {
    self.examination = examination
    entries =
      fixed.filter { !examination.findings.contains($0.finding) }
      + examination.findings.map { Entry(finding: $0) }
  }

  /// The exit status for the remaining findings.
  var status: ExitStatus {
    examination.findings.reduce(.done) { $0.or($1.gravity.terms.status) }
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
    var counts = [(entries.count { $0.fix != nil }, "mended")]
    for gravity in [Finding.Gravity.damage, .unsafe, .mendable] {
      let count = examination.findings.count { $0.gravity == gravity }
      counts.append((count, gravity.terms.counted))
    }
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let (items, tables) = (examination.items, examination.tables.count)
    let extent =
      "\(items == 1 ? "1 item" : "\(items) items"), "
      + (tables == 1 ? "1 table" : "\(tables) tables")
    return (parts.isEmpty ? "all is well" : parts.joined(separator: ", ")) + ": \(extent)"
  }
}

extension Finding.Gravity {
  /// What a gravity means to people: the word before a finding, with its look; the word behind the
  /// number of such findings; and the exit status.
  fileprivate var terms: (word: String, look: Line.Style, counted: String, status: ExitStatus) {
    switch self {
    case .note: ("note", .dim, "noted", .done)
    case .mendable: ("mend", .yellow, "to mend", .conflicts)
    case .unsafe: ("unsafe", .red, "unsafe", .unsafe)
    case .damage: ("damage", .red, "damaged", .damaged)
    }
  }
}

extension DoctorReport.Entry {
  fileprivate func lines(_ output: Output) -> [Line] {
    let terms = finding.gravity.terms
    var line = fix == nil ? Line(terms.word, terms.look) : Line("mended", .green)
    line.pad(to: 8)
    let position = [finding.line, finding.column].compactMap { $0.map { ":\($0)" } }.joined()
    line.append("\(finding.place)\(position): \(message(output))")
    let deed = fix ?? finding.remedy.map { "--fix \($0.words)" }
    return [line] + (deed.map { [Line("        \($0)")] } ?? [])
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
