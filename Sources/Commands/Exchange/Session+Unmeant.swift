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
    guard context.canAsk, !context.options.json else { return }
    let found = try push.unmeant(in: survey, on: workspace)
    for unmeant in found {
      context.printer.message(Line(unmeant.words))
      try ask(about: unmeant, &push)
    }
    guard !found.isEmpty else { return }
    let known = Set(survey.pending().filter { $0.kind == .delete }.map(\.key))
    survey = try Survey(of: tables, on: workspace)
    // What has gone missing since the question, nobody has confirmed.
    var strict = push
    strict.settings.maxDelete = 0
    let new = try strict.unmeant(in: survey, on: workspace).first {
      $0.kind == .missing && !known.isSuperset(of: $0.keys)
    }
    if let new { throw new.stop }
  }

  private mutating func ask(about unmeant: Unmeant, _ push: inout Push) throws {
    let (context, keys) = (context, unmeant.keys)
    let isMissing = unmeant.kind == .missing
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
      default: throw unmeant.stop
      }
    }
  }
}
