import SyncEngine
import SyncModel
import TestSupport
import Testing

/// A story that is told once undisturbed, then cut off at each of its steps and told again: it must
/// end the same.
struct Cut {
  /// How the program ends at a step.
  enum End: CaseIterable {
    /// It is killed; what it did stays.
    case killed
    /// The power goes as well; what wasn't durable may be taken back.
    case powerLost
    /// It is killed, and killed again in the midst of recovering.
    case killedTwice
  }

  /// Brings about where the story begins.
  var begin: (inout Bench) throws -> Void
  /// The command that is cut off; it begins with recovery, as every command does.
  var command: (inout Bench) throws -> Void
  /// What is done after the last telling, before the ends are compared.
  var afterwards: (inout Bench) throws -> Void = { _ in }

  /// Returns where a story has ended, a fact a line.
  private func outcome(_ bench: Bench) throws -> [String] {
    func text(_ item: Item?) -> String {
      item.map { String(decoding: JSON.object($0.fields).encoded(), as: UTF8.self) } ?? "-"
    }
    var facts = bench.standings
    for key in bench.disk.files.keys {
      facts.append("file \(key.id) \(text(try bench.disk.client(key).item))")
    }
    for (key, row) in bench.server.rows where !row.deleted {
      facts.append("row \(key.id) \(text(row.item))")
    }
    for (key, side) in bench.disk.sides {
      let client = try bench.disk.conflictClient(of: key).item
      facts.append("sides \(key.id) \(text(client)) \(text(side.server)) \(text(side.base))")
    }
    facts += bench.disk.attempts.keys.map { "attempt \($0.id)" }
    facts += try bench.disk.arrivals(in: bench.table).map { "arrival \($0.row.id)" }
    facts.append("\(bench.server.writes.count) writes accepted")
    return facts.sorted()
  }

  /// Tells the story as often as it has steps, and compares.
  func check(_ end: End) throws {
    var whole = try Bench()
    try begin(&whole)
    let first = whole.disk.steps
    try command(&whole)
    let steps = whole.disk.steps - first
    try afterwards(&whole)
    let expected = try outcome(whole)
    #expect(steps > 2, "the story is too short to be cut")
    for step in 0..<steps {
      for seed in UInt64(0)..<(end == .powerLost ? 6 : 1) {
        var bench = try Bench()
        try begin(&bench)
        try bench.cut(at: step, command)
        if end == .powerLost {
          var random = SplitMix64(seed: seed &+ 1_000 &* UInt64(step))
          bench.disk.losePower(&random)
        }
        // A run that is cut off after so few steps is mostly recovery.
        if end == .killedTwice { try bench.cut(at: step % 5, command) }
        try command(&bench)
        try afterwards(&bench)
        let ended = try outcome(bench)
        #expect(ended == expected, "cut at step \(step) of \(steps), seed \(seed)")
      }
    }
  }
}
