import ArgumentParser
import Remote
import SyncModel
import Workspace

struct RemoteCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Set the server, and a token for it.",
    subcommands: [Show.self, SetAddress.self, LogIn.self, LogOut.self],
    defaultSubcommand: Show.self)

  @OptionGroup var options: GlobalOptions

  func run(in context: Context) throws { try Show().run(in: context) }

  struct Show: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print the address.", shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    func run(in context: Context) throws {
      try context.open(for: .reading) { session in
        let state = try session.workspace.state()
        let address = try session.address()
        let origin = Text(address.origin.description)
        let hasToken =
          try session.configuration.text("credential.command") != nil
          || context.credentials?.token(for: origin) != nil
        let hasKey =
          try context.credentials?.token(for: Credentials.applicationKey(of: origin)) != nil
        let dialect = session.configuration.dialect(of: address, state)
        context.printer.result(Line(address.description))
        if context.options.verbose {
          context.printer.result(Line("dialect  \(dialect?.title ?? "not known yet")"))
          context.printer.result(Line("user     \(state.user?.string ?? "not known")"))
          context.printer.result(Line("token    \(hasToken ? "yes" : "no")"))
          context.printer.result(Line("key      \(hasKey ? "yes" : "no")"))
        }
        context.printer.set("remote", address.description)
        context.printer.set("dialect", dialect?.name)
        context.printer.set("user", state.user)
        context.printer.set("token", hasToken)
        context.printer.set("applicationKey", hasKey)
      }
    }
  }

  struct SetAddress: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Make URL the server.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: ArgumentHelp("The server's address.", valueName: "url"))
    var url: String

    var selection: [String] { ["set"] }

    func run(in context: Context) throws {
      let address = try ServerAddress(Text(url))
      try context.open(for: .writing) { session in
        var settings = try session.workspace.settings()
        try settings.set("remote", from: Text(address.description))
        try session.workspace.write(settings)
      }
      context.printer.set("remote", address.description)
    }
  }
}
