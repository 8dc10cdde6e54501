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

  /// Prints a line for each finding, and below it the repair; sets the exit status.
  func print(to printer: Printer) {
    for entry in entries {
      printer.append(entry.json(printer), to: "findings")
      entry.lines(printer).forEach(printer.result)
      printer.end(with: entry.terms.status)
    }
    printer.set("items", examination.items)
    printer.set("tables", examination.tables.count)
    let isFixable = examination.faults.contains { $0.remedy != nil }
    // Without their rows, items look new.
    let isForgotten = entries.contains {
      if $0.fix != nil, case .forget? = $0.finding.remedy { true } else { false }
    }
    let next: Hint? = isForgotten ? "\(typed: "pull")" : nil
    printer.summary(Line(summary), next: isFixable ? "\(typed: "doctor", "--fix")" : next)
  }

  private var summary: String {
    let counts = ["mended", "damaged", "unsafe", "to mend"].map { word in
      (entries.count { $0.terms.counted == word }, word)
    }
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let (items, tables) = (examination.items, examination.tables.count)
    let extent =
      "\(items == 1 ? "1 item" : "\(items) items"), "
      + (tables == 1 ? "1 table" : "\(tables) tables")
    return (parts.isEmpty ? "all is well" : parts.joined(separator: ", ")) + ": \(extent)"
  }
}

extension DoctorReport.Entry {
  /// The word before the finding, with its look; the word behind the number of such findings; and
  /// the exit status.
  fileprivate var terms: (word: String, look: Line.Style, counted: String, status: ExitStatus) {
    if fix != nil { return ("mended", .green, "mended", .done) }
    return switch finding.gravity {
    case .note: ("note", .dim, "noted", .done)
    case .mendable: ("mend", .yellow, "to mend", .conflicts)
    case .unsafe: ("unsafe", .red, "unsafe", .unsafe)
    case .damage: ("damage", .red, "damaged", .damaged)
    }
  }

  fileprivate func lines(_ printer: Printer) -> [Line] {
    var line = Line(terms.word, terms.look)
    line.pad(to: 8)
    let position = [finding.line, finding.column].compactMap { $0.map { ":\($0)" } }.joined()
    line.append(printer.text(of: "\(place: finding.place)\(position): ") + message(printer))
    let deed = fix ?? finding.remedy.map { "--fix \($0.words)" }
    return [line] + (deed.map { [Line("        \($0)")] } ?? [])
  }

  private func message(_ printer: Printer) -> String {
    finding.fact + (finding.hint.map { " · \(printer.text(of: $0))" } ?? "")
  }

  fileprivate func json(_ printer: Printer) -> JSON {
    var object = JSONObject()
    object.add([
      "invariant": finding.invariant.description, "gravity": finding.gravity.rawValue,
      "path": finding.place, "line": finding.line, "column": finding.column,
      "message": message(printer), "remedy": finding.remedy?.words, "mended": fix != nil,
    ])
    object.add(ifAny: ["deed": fix])
    return .object(object)
  }
}
