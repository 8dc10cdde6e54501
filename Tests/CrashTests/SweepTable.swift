/// What a sweep has come to: command by fault, how many runs, and how many of them didn't recover.
struct SweepTable: Addable, Sendable {
  /// The columns of kills in a row.
  static let (twice, thrice) = ("kill 2x", "kill 3x")

  /// How many runs there were.
  struct Count: Addable, Sendable, CustomStringConvertible {
    var runs = 0
    /// Those in which not every fault has met a call.
    var unmet = 0
    /// Those in which something was wrong, whether met or not.
    var lost = 0
    /// Those that met all their faults and recovered.
    var recovered = 0

    mutating func add(_ other: Count) {
      runs += other.runs
      unmet += other.unmet
      lost += other.lost
      recovered += other.recovered
    }

    var description: String {
      "\(runs) runs, \(unmet) not met, \(recovered) recovered, \(lost) lost"
    }
  }

  /// What went wrong, a text for each run.
  var failures: [String] = []
  private var cells: [String: [String: Count]] = [:]
  /// How many calls the commands make that recover from the first kills.
  private var recoveryCalls: [String: Int] = [:]

  /// Notes how many calls a recovery makes.
  mutating func found(_ count: Int, in scenario: Scenario) {
    recoveryCalls[scenario.name, default: 0] += count
  }

  /// Notes a run.
  mutating func ran(_ scenario: Scenario, _ column: String, isMet: Bool, isLost: Bool) {
    var count = Count(runs: 1)
    if !isMet { count.unmet = 1 }
    if isLost { count.lost = 1 }
    if isMet, !isLost { count.recovered = 1 }
    cells[scenario.name, default: [:]][column, default: Count()].add(count)
  }

  mutating func add(_ other: SweepTable) {
    failures += other.failures
    recoveryCalls.merge(other.recoveryCalls) { $0 + $1 }
    cells.merge(other.cells) {
      $0.merging($1) { old, new in
        var sum = old
        sum.add(new)
        return sum
      }
    }
  }

  /// All runs.
  var count: Count { Self.sum(cells.values.flatMap(\.values)) }

  /// A command's runs.
  func count(_ scenario: Scenario) -> Count {
    Self.sum(cells[scenario.name].map { Array($0.values) } ?? [])
  }

  /// Which share of all pairs of kills was tried: all calls of a command by all of its recovery.
  var shareOfPairs: String {
    let all = recoveryCalls.values.reduce(0, +)
    let tried = cells.values.reduce(0) { $0 + ($1[Self.twice]?.runs ?? 0) }
    return "\(tried) of \(all) pairs of kills"
  }

  private static func sum(_ counts: [Count]) -> Count {
    counts.reduce(into: Count()) { $0.add($1) }
  }

  /// Prints it: in each cell the runs that met their faults and recovered, and where there are any,
  /// after `?` those that met not all, and after `!` those that didn't recover.
  func print(_ columns: [String]) {
    Campaign.tell(Self.row("command", columns + ["runs", "recovered", "not met", "lost"]))
    for scenario in Scenario.all + Scenario.powerLosses {
      guard let row = cells[scenario.name] else { continue }
      let texts = columns.map { column in
        let cell = row[column] ?? Count()
        return "\(cell.recovered)" + (cell.unmet > 0 ? "?\(cell.unmet)" : "")
          + (cell.lost > 0 ? "!\(cell.lost)" : "")
      }
      let all = count(scenario)
      let sums = [all.runs, all.recovered, all.unmet, all.lost].map(\.description)
      Campaign.tell(Self.row(scenario.name, texts + sums))
    }
    Campaign.tell("\(count)")
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    func padding(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.utf8.count))
    }
    return name + padding(name, 22) + cells.map { padding($0, 10) + $0 }.joined()
  }
}
