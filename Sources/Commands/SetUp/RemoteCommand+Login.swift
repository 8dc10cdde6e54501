import ArgumentParser
import Remote
import SyncModel
import Workspace

extension RemoteCommand {
  struct LogIn: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "login", abstract: "Store a token for the server's origin.")

    @OptionGroup var options: GlobalOptions

    @Option(
      name: .customLong("token-file"),
      help: ArgumentHelp("Read the token from FILE.", valueName: "file"))
    var tokenFile: String?

    @Option(
      name: .customLong("application-key-file"),
      help: ArgumentHelp(
        "Read the application key of Mobile Services (2014) from FILE.", valueName: "file"))
    var keyFile: String?

    func run(in context: Context) throws {
      let origin = try context.open(for: .reading) { try $0.address().origin }
      let key = try keyFile.map { try Login.secret(inFile: $0, "application key", context) }
      // A key alone needs no token.
      let hasToken = key == nil || tokenFile != nil
      if hasToken, let token = try Login.token(file: tokenFile, for: origin, asks: true, context) {
        try Login.keep(token, for: origin, context)
      }
      if let key { try Login.keep(key, for: origin, isKey: true, context) }
      context.printer.set("remote", origin.description)
      context.printer.set("token", hasToken)
      context.printer.set("applicationKey", key != nil)
      context.printer.summary(Line("logged in to \(origin)"))
    }
  }

  struct LogOut: TsyncCommand {
    static let configuration = CommandConfiguration(
      commandName: "logout", abstract: "Delete the token and key for the server's origin.")

    @OptionGroup var options: GlobalOptions

    func run(in context: Context) throws {
      let origin = try context.open(for: .reading) { try $0.address().origin }
      let wasThere = try context.credentials?.remove(Text(origin.description)) ?? false
      context.printer.set("remote", origin.description)
      context.printer.set("token", false)
      context.printer.summary(
        Line(wasThere ? "logged out of \(origin)" : "there was no token for \(origin)"))
    }
  }
}
