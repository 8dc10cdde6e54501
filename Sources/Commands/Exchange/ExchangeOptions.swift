import ArgumentParser

/// The options of `push`, `pull` and `sync`.
struct ExchangeOptions: ParsableArguments {
  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the changes that would be made, and make none.")
  var dryRun = false

  @Option(
    name: .customLong("max-delete"),
    help: ArgumentHelp("Delete up to N items of a table without a safety stop.", valueName: "n"))
  var maxDelete: Int?

  func validate() throws {
    guard maxDelete ?? 0 >= 0 else { throw ValidationError("--max-delete must be 0 or more") }
  }
}
