import ArgumentParser

struct HelpCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "List the commands, or open a page of the manual.")

  @OptionGroup var options: GlobalOptions

  @Argument(
    help: ArgumentHelp("A command, or the last word of the name of a page.", valueName: "command"))
  var command: String?

  func run(in context: Context) throws {
    guard let command else { return context.printer.result(safe: Tsync.overview) }
    guard let page = ManualPage(about: command) else {
      let near = HabitWords.nearest(command, of: ManualPage.topics)
      let guess = near.map { "; did you mean \($0)?" } ?? ""
      throw Problem.usage("no page about \(command)\(guess)")
    }
    if try page.open(in: context) { return }
    guard let summary = page.summary else {
      throw Problem.usage("\(page.name)(\(page.section)) is not installed, or there is no man(1)")
    }
    context.printer.warn("cannot open \(page.name)(\(page.section)); in short:")
    context.printer.result(safe: summary)
  }
}
