import Glibc

/// What a sweep has come to: command by mode, how many runs, and how many of them didn't recover.
struct SweepTable: Addable, Sendable {
  /// The column of two kills in a row.
  static let pairs = "pairs"

  /// One cell.
  private struct Cell {
    var runs = 0
    var reached = 0
    var lost = 0
  }

  /// What went wrong, a text for each run.
  var failures: [String] = []
  private var calls: [String: Int] = [:]
  private var names: [String] = []
  private var cells: [String: [String: Cell]] = [:]

  /// Notes how many calls a command makes undisturbed.
  mutating func found(_ count: Int, in scenario: Scenario) {
    calls[scenario.name] = count
  }

  /// Notes a run.
  mutating func ran(_ scenario: Scenario, _ column: String, isReached: Bool, isLost: Bool) {
    var cell = cells[scenario.name]?[column] ?? Cell()
    cell.runs += 1
    if isReached { cell.reached += 1 }
    if isLost { cell.lost += 1 }
    cells[scenario.name, default: [:]][column] = cell
  }

  mutating func add(_ other: SweepTable) {
    failures += other.failures
    calls.merge(other.calls) { $0 + $1 }
    for (name, row) in other.cells {
      cells[name, default: [:]].merge(row) {
        Cell(
          runs: $0.runs + $1.runs, reached: $0.reached + $1.reached, lost: $0.lost + $1.lost)
      }
    }
  }

  /// How many runs there were.
  var runs: Int { cells.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.runs } } }

  /// Prints it: in each cell the runs that recovered, and those that didn't where there are any.
  func print() {
    let columns = Fault.Mode.allCases.map(\.description) + [Self.pairs]
    Campaign.tell(Self.row("command", ["calls"] + columns + ["recovered", "lost"]))
    for scenario in Scenario.all + Scenario.powerLosses {
      guard let row = cells[scenario.name] else { continue }
      let texts = columns.map { column in
        let cell = row[column] ?? Cell()
        return "\(cell.runs - cell.lost)" + (cell.lost > 0 ? "!\(cell.lost)" : "")
      }
      let lost = row.values.reduce(0) { $0 + $1.lost }
      let all = row.values.reduce(0) { $0 + $1.runs }
      Campaign.tell(
        Self.row(
          scenario.name, ["\(calls[scenario.name] ?? 0)"] + texts + ["\(all - lost)", "\(lost)"]))
    }
    let reached = cells.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.reached } }
    Campaign.tell("\(runs) runs, \(reached) met their fault, \(failures.count) didn't recover")
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    func padding(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.utf8.count))
    }
    return name + padding(name, 18) + cells.map { padding($0, 9) + $0 }.joined()
  }
}
