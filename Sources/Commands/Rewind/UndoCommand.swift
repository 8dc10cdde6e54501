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
      try number.map { try Undo.of($0, session) } ?? Undo.newest(session)
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
    try context.takeBack(isRehearsal: dryRun) { try Undo.last($0) }
  }
}

extension Context {
  /// Takes a command back, or prints what that would do.
  fileprivate func takeBack(isRehearsal: Bool, _ find: (Session) throws -> Undo?) throws {
    printer.begin("items")
    let isRedo = command == "redo"
    try open(for: isRehearsal ? .reading : .writing) { session in
      guard let undo = try find(session), !undo.steps.isEmpty || !undo.left.isEmpty else {
        return printer.summary(Line("nothing to \(command)"), next: "\(typed: "log")")
      }
      let told = undo.redone ?? undo.command
      let words = Terminal.cut(Terminal.safe(told.words.string), to: 40)
      let names = try session.names(of: undo.steps.map(\.key) + undo.left.map(\.key))
      if isRehearsal {
        printer.summary(Line("would \(command) \(told.number) \(words)"))
      } else if !undo.steps.isEmpty {
        try session.workspace.record(as: session.recorded, undoing: undo.command.number)
      }
      var left = undo.left
      var count = 0
      try session.perform(undo.steps) { step, session in
        guard try isRehearsal || step.run(on: &session) else {
          left.append(Undo.Left(key: step.key, item: step.from, reason: "changed just now"))
          return nil
        }
        count += 1
        printer.show(step.outcome(isRehearsal: isRehearsal, names), names)
        return isRehearsal
          ? nil : step.to.map { ItemChange(key: step.key, old: step.from, new: $0) }
      }
      for left in left {
        var outcome = Outcome(
          verb: isRehearsal ? "would leave" : "left", key: left.key,
          title: names.title(of: left.item), remark: left.reason)
        outcome.members.add(["message": left.reason])
        printer.show(outcome, names)
      }
      for hint in left.compactMap(\.hint).prefix(1) {
        printer.message(Line(printer.text(of: hint)))
      }
      guard count > 0 else {
        printer.end(with: .rejected)
        let older = isRedo ? nil : try Undo.newest(session, before: told.number)?.command.number
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
      printer.summary(
        line, next: isRedo ? "\(typed: "undo", "\(told.number)")" : "\(typed: "redo")")
    }
  }
}
