import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Asks a person about what nobody meant before a push sends it, without the lock.
  ///
  /// Where tsync can't ask, the push ends with the stop.
  ///
  /// - Throws: The stop, unless the answer is yes or restore.
  mutating func askAboutUnmeant(_ push: inout Push, _ survey: inout Survey) throws {
    guard context.canAsk, !context.options.json, !isDryRun else { return }
    let found = try push.unmeant(in: survey, on: workspace)
    guard !found.isEmpty else { return }
    let asked = push
    let known = try asked.unmeant(in: survey, on: workspace, most: 0).flatMap(\.keys)
      .map { ($0, try workspace.base(of: $0).row?.version) }
    let versions = Dictionary(known, uniquingKeysWith: { $1 })
    for unmeant in found {
      context.printer.message(Line(unmeant.words()))
      try ask(about: unmeant, &push)
    }
    survey = try Survey(of: tables, on: workspace)
    // Nobody has confirmed what is new since the question, or has another row now.
    for unmeant in try asked.unmeant(in: survey, on: workspace, most: 0)
    where try unmeant.keys.contains(where: {
      try versions[$0] != workspace.base(of: $0).row?.version
    }) {
      throw Stop.unsafe(.unmeant(unmeant))
    }
  }

  private mutating func ask(about unmeant: Unmeant, _ push: inout Push) throws {
    let (context, keys) = (context, unmeant.keys)
    let isMissing = if case .missing = unmeant { true } else { false }
    let question =
      isMissing
      ? "delete their \(keys.count) rows? [y]es, [l]ist, [r]estore, [n]o: [n]"
      : "bring back their \(keys.count) rows? [y]es, [l]ist, [n]o: [n]"
    let words = ["no", "yes", "list"] + (isMissing ? ["restore"] : [])
    while true {
      switch try unlocked({ try context.ask(Line(question), words) }) {
      case "list"?:
        let names = try names(of: keys)
        for key in keys {
          let item = try workspace.client(key).item ?? workspace.base(of: key).item
          context.show(key, titled: item, names)
        }
      case "restore"?:
        var files = try MissingFiles(of: self, among: keys)
        return try files.bringBack(to: &self, most: 10)
      case "yes"?:
        push.meant.formUnion(keys)
        return
      default: throw Stop.unsafe(.unmeant(unmeant))
      }
    }
  }
}
