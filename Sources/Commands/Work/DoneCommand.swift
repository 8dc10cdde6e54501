import ArgumentParser
import SyncModel
import Workspace

struct DoneCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Mark items as done.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .shortAndLong, help: "Mark them as not done.")
  var undo = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  var selection: [String] { words }

  mutating func run(in context: Context) throws {
    try context.change(
      ItemSelection(words), isSure, to: "mark", words: (undo ? ["-u"] : []) + words,
      look: ["list", "-a"] + words, as: undo ? "undone" : "done", showsFields: false
    ) { _, item, _, session in
      let field = session.configuration.doneField
      var item = item
      // An absent field means the same as `false`.
      if item[field] != .bool(true), undo { return item }
      item[field] = .bool(!undo)
      return item
    }
  }
}
