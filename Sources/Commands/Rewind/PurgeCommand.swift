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

  mutating func run(in context: Context) throws {
    context.output.begin("tables")
    try context.open(for: .writing) { session in
      let survey = try Survey(of: session.tables, on: session.workspace)
      if !discard { try refuse(survey, context) }
      let inventory = try session.inventory()
      var table = Table()
      for name in session.tables {
        try context.checkSignal()
        let count = inventory.keys.count { $0.table == name && !inventory.isAbsent($0) }
        try session.workspace.purge(name, edits: discard)
        for entry in survey.entries {
          guard case .invalid(let invalid) = entry.standing,
            PathName.split(PathName.split(invalid.place).directory).name == name.description
          else { continue }
          guard try !session.workspace.discard(invalid, of: entry.key, in: name) else { continue }
          context.output.warn("another program changed \(invalid.place); it was not removed")
          context.output.end(with: .rejected)
        }
        try session.workspace.settle()
        table.append([Line("\(name)"), Line("\(count) forgotten")])
        context.output.append(
          JSONObject(["table": name, "forgotten": count]), to: "tables")
      }
      table.lines.forEach(context.output.result)
    }
  }

  /// Refuses if there are changes that exist only here.
  private func refuse(_ survey: Survey, _ context: Context) throws {
    var counts: [ItemStatus.Group: Int] = [:]
    for entry in survey.entries { counts[ItemStatus(entry).group, default: 0] += 1 }
    let words: [(group: ItemStatus.Group, one: String, several: String)] = [
      (.pending, "change is not pushed", "changes are not pushed"),
      (.unknown, "outcome is unknown", "outcomes are unknown"),
      (.conflict, "item is in conflict", "items are in conflict"),
      (.rejected, "item is rejected", "items are rejected"),
      (.invalid, "file is not valid", "files are not valid"),
    ]
    let parts = words.compactMap { word -> String? in
      guard let count = counts[word.group] else { return nil }
      return "\(count) \(count == 1 ? word.one : word.several)"
    }
    guard !parts.isEmpty else { return }
    let isSendable = counts.keys.contains { [.pending, .unknown].contains($0) }
    let way: Hint =
      isSendable
      ? "to send it: \(typed: context.sameTables(["push"]))"
      : "to see it: \(typed: context.sameTables(["status"]))"
    throw Failure(
      .unsafe, parts.joined(separator: ", "),
      hints: [way, "to lose it: \(typed: context.sameTables(["purge", "--discard"]))"])
  }
}
