import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct PurgeCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "Forget the local copies.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .long, help: "Forget changes that are not pushed, too.")
  var discard = false

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print how many items would be forgotten, and forget nothing.")
  var dryRun = false

  mutating func run(in context: Context) throws {
    context.printer.begin("tables")
    try context.open(for: dryRun ? .reading : .writing) { session in
      let inventory = try session.inventory()
      let survey = inventory.survey
      if !discard { try refuse(survey, context) }
      let counts = inventory.counts
      var table = Table()
      for name in session.tables {
        try context.checkSignal()
        let count = counts[name] ?? 0
        for attempt in try session.workspace.attempts(in: name) {
          context.printer.warn("the outcome of \(attempt.key) stays unknown")
        }
        if !dryRun { try session.workspace.purge(name, edits: discard) }
        for entry in survey.entries where entry.table == name && !dryRun {
          guard let invalid = entry.invalid,
            try !session.workspace.discard(invalid, of: entry.key, in: name)
          else { continue }
          let fact: Hint = "another program changed \(place: invalid.place); it was not removed"
          context.printer.warn(Problem(.rejected, fact))
        }
        table.append([Line("\(name)"), Line("\(count) \(dryRun ? "to forget" : "forgotten")")])
        context.printer.append(
          JSONObject(["table": name, dryRun ? "wouldForget" : "forgotten": count]), to: "tables")
      }
      table.lines.forEach(context.printer.result)
    }
  }

  /// Refuses if there are changes that exist only here.
  private func refuse(_ survey: Survey, _ context: Context) throws {
    let words: [(group: Survey.Group, noun: String, state: String)] = [
      (.pending, "change", "not pushed"), (.unknown, "outcome", "unknown"),
      (.conflict, "item", "in conflict"), (.rejected, "item", "rejected"),
      (.invalid, "file", "not valid"),
    ]
    let groups = survey.entries.map(\.group)
    let parts = words.compactMap { word -> String? in
      let count = groups.count { $0 == word.group }
      guard count > 0 else { return nil }
      return "\(count) \(word.noun)\(count == 1 ? " is" : "s are") \(word.state)"
    }
    guard !parts.isEmpty else { return }
    let isSendable = groups.contains(.pending) || groups.contains(.unknown)
    let (verb, command) = isSendable ? ("send", "push") : ("see", "status")
    throw Problem(
      .unsafe, parts.joined(separator: ", "),
      hints: [
        "to \(verb) it: \(typed: context.sameTables([command]))",
        "to lose it: \(typed: context.sameTables(["purge", "--discard"]))",
      ])
  }
}
