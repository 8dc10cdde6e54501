import ArgumentParser
import Glibc
import SyncModel
import TableServer

/// Makes, lists and revokes tokens; a server that runs on the same store follows within a second.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make, list and revoke tokens.",
    subcommands: [New.self, List.self, Revoke.self])

  /// Makes a token and prints it; it can't be shown again.
  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new", abstract: "Make a token, and print it once.")

    @Argument(help: "The user of the token.") var name: String
    @OptionGroup var storeOption: StoreOption

    func run() async throws {
      let stores = try await TokenCommand.stores(storeOption)
      let (secret, token) = AccessToken.make(for: try TokenCommand.user(name), at: .now)
      try await stores.tokens.add(token)
      try await stores.items.close()
      Output.write("\(secret)\n", to: STDOUT_FILENO)
    }
  }

  /// Lists the tokens: user, when made, when revoked.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List tokens: user, time of making, time of revoking.")

    @OptionGroup var storeOption: StoreOption

    func run() async throws {
      let stores = try await TokenCommand.stores(storeOption)
      for token in try await stores.tokens.tokens() {
        let revoked = token.revokedAt.map { "revoked \($0)" } ?? "-"
        Output.write("\(token.user)\t\(token.createdAt)\t\(revoked)\n", to: STDOUT_FILENO)
      }
      try await stores.items.close()
    }
  }

  /// Ends all tokens of a user.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke all tokens of a user.")

    @Argument(help: "The user.") var name: String
    @OptionGroup var storeOption: StoreOption

    func run() async throws {
      let stores = try await TokenCommand.stores(storeOption)
      let count = try await stores.tokens.revoke(try TokenCommand.user(name), at: .now)
      try await stores.items.close()
      guard count > 0 else { throw ServerFailure("\(name) has no token", status: 2) }
    }
  }

  private static func stores(_ option: StoreOption) async throws -> Stores {
    guard !option.isMemory else {
      throw ServerFailure("a store in memory keeps no tokens", status: 2)
    }
    umask(0o077)
    return try await Stores(option)
  }

  /// Takes a text as a user's name: it goes into a header field.
  private static func user(_ name: String) throws -> Text {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw ServerFailure("a user name must be 1 to 64 printable ASCII characters", status: 2)
    }
    return Text(name)
  }
}
