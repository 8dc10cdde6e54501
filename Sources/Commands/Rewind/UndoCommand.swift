import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct UndoCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back what a command changed or sent.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print what would be taken back, and change nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The number of the command, as log shows it.", valueName: "number"))
  var number: Int?

  var selection: [String] { number.map { ["\($0)"] } ?? [] }

  mutating func run(in context: Context) throws {
    try context.takeBack(isRehearsal: dryRun) { session in
      guard let found = try number.map({ ($0, []) }) ?? Undo.newest(session) else { return nil }
      let undo = try Undo(of: found.number, without: found.others, session)
      return (undo, undo.command)
    }
  }
}

struct RedoCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo", abstract: "Take back the last undo.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print what would be done again, and change nothing.")
  var dryRun = false

  mutating func run(in context: Context) throws {
    try context.takeBack(isRehearsal: dryRun) { session in
      guard let undo = try Undo.last(session) else { return nil }
      let redone = undo.undoes.flatMap { try? Undo.find($0, session).command }
      if let redone, redone.name == "mv" {
        // Two items would be left, which are not one that waits for the other.
        throw Problem.usage(
          "a rename is not done again by redo",
          hints: ["to rename the item again: tsync \(redone.words.string)"])
      }
      if undo.effects.contains(where: { $0.did == .reopened }) {
        throw Problem.usage(
          "a resolve is not done again by redo", hints: ["to resolve: \(typed: "resolve")"])
      }
      return (try Undo(of: undo.number, session), redone ?? undo)
    }
  }
}

extension Context {
  /// Takes a command back, or prints what that would do.
  ///
  /// `find` returns what takes it back, and the command whose number and words are printed.
  fileprivate func takeBack(
    isRehearsal: Bool, _ find: (Session) throws -> (undo: Undo, told: History.Command)?
  ) throws {
    printer.begin("items")
    let isRedo = command == "redo"
    try open(for: isRehearsal ? .reading : .writing) { session in
      guard let (undo, told) = try find(session), !undo.items.isEmpty else {
        return printer.summary(Line("nothing to \(command)"), next: "\(typed: "log")")
      }
      let words = Terminal.cut(Terminal.safe(told.words.string), to: 40)
      var items = undo.items
      let names = try session.names(of: items.map(\.key))
      let changing = items.indices.filter { items[$0].isChange }
      if isRehearsal {
        printer.summary(Line("would \(command) \(told.number) \(words)"))
      } else if !changing.isEmpty {
        try session.workspace.record(as: session.recorded, undoing: undo.command.number)
      }
      var count = 0
      try session.perform(changing) { place, session in
        let item = items[place]
        guard try isRehearsal || item.run(on: &session) else {
          items[place].leave("changed just now")
          return nil
        }
        count += 1
        printer.show(item.outcome(isRehearsal: isRehearsal, names), names)
        return isRehearsal ? nil : item.change
      }
      let left = items.flatMap { item in item.left.map { (item, $0.reason, $0.hint) } }
      for (item, reason, _) in left {
        var outcome = Outcome(
          verb: isRehearsal ? "would leave" : "left", key: item.key,
          title: names.title(of: item.shown), remark: reason)
        outcome.members.add(["message": reason])
        printer.show(outcome, names)
      }
      for hint in left.compactMap(\.2).prefix(1) {
        printer.message(Line(printer.text(of: hint)))
      }
      guard count > 0 else {
        printer.end(with: .rejected)
        let older = isRedo ? nil : try Undo.newest(session, before: told.number)?.number
        return printer.summary(
          Line("nothing of \(told.number) \(words) can be \(isRedo ? "done again" : "taken back")"),
          next: older.map { "\(typed: "undo", "\($0)")" } ?? "\(typed: "log")")
      }
      if !left.isEmpty { printer.end(with: .conflicts) }
      guard !isRehearsal else {
        return printer.set(isRedo ? "wouldRedo" : "wouldUndo", told.number)
      }
      printer.set(isRedo ? "redone" : "undone", told.number)
      var line = Line("\(isRedo ? "redone" : "undone") \(told.number) \(words)")
      if !left.isEmpty { line.append(", \(counted(left.count, "item")) left") }
      if items.contains(where: \.isConflict) {
        return printer.summary(line, next: "\(typed: "resolve")")
      }
      printer.summary(
        line, next: isRedo ? "\(typed: "undo", "\(told.number)")" : "\(typed: "redo")")
    }
  }
}
