import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct HelpCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "List the commands, or open a page of the manual.")

  @OptionGroup var options: GlobalOptions

  @Argument(
    help: ArgumentHelp(
      "A command or another topic; before it, the section of the manual.", valueName: "topic"))
  var words: [String] = []

  func run(in context: Context) throws {
    guard let topic = words.last else {
      // Only the pager and the colors depend on settings: without them, the list is printed, too.
      let user = try? Configuration(workspace: nil, user: context.userDirectory?.settings())
      if let user { context.printer.apply(user) }
      context.printer.page()
      return context.printer.result(safe: Tsync.overview)
    }
    let pages = ManualPage.all.filter { page in
      let names = [[page.topic], [page.name], ["\(page.section)", page.topic]]
      return names.contains { $0.map { Text($0) } == words.map { Text($0) } }
    }
    guard let page = pages.first else {
      if let answer = HabitWords.answer(to: topic) { throw Problem(.usage, answer) }
      let near = HabitWords.nearest(topic, of: ManualPage.all.map(\.topic))
      let guess = near.map { "; did you mean \($0)?" } ?? ""
      throw Problem.usage("no page about \(words.joined(separator: " "))\(guess)")
    }
    if try !page.open(in: context) {
      guard let summary = page.summary else {
        throw Problem.usage("\(page.title) is not installed, or there is no man(1)")
      }
      context.printer.warn("cannot open \(page.title); in short:")
      context.printer.result(safe: summary)
    }
    for other in pages.dropFirst() {
      context.printer.summary(
        Line("\(other.title) is another page"),
        next: "\(typed: "help", "\(other.section)", other.topic)")
    }
  }
}
