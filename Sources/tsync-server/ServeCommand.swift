import ArgumentParser
import Glibc
import Hummingbird
import Logging
import NIOCore
import SQLiteStore
import ServiceLifecycle
import SyncModel
import TableServer
import UnixSignals

/// Serves tables until it is told to stop.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve tables until SIGTERM or SIGINT (the default).")

  @OptionGroup var storeOption: StoreOption

  @Option(
    help: ArgumentHelp(
      "The address to listen on; port 0 takes one that is free.", valueName: "address:port"),
    transform: { text in
      guard let address = ListenAddress(argument: text) else {
        throw ValidationError("'\(text)' is no ADDRESS:PORT, as 127.0.0.1:8080 or [::1]:8080")
      }
      return address
    })
  var listen = ListenAddress(argument: "127.0.0.1:8080")

  @Option(
    help: ArgumentHelp(
      "A table to serve; may be given again. (default: todoitem)", valueName: "name"))
  var table: [String] = []

  @Flag(help: "Serve without tokens; only on an address of this machine alone.")
  var noAuth = false

  func run() async throws {
    let options = try serverOptions()
    guard let listen else { throw ServerFailure("there is no address to listen on", status: 2) }
    guard !noAuth || options.isLoopback else {
      throw ServerFailure(
        "--no-auth is for 127.0.0.1 and [::1] only, \(listen.host) can be reached from outside",
        status: 2)
    }
    if !options.isLoopback {
      Output.write(
        "tsync-server: on \(listen.host) tokens and items travel unencrypted\n", to: STDERR_FILENO)
    }
    // What the store keeps is the owner's affair.
    umask(0o077)
    let stores = try Stores(storeOption)
    let secret = noAuth ? nil : try await stores.firstToken()
    let responder = ServerResponder(
      stores.items, options, access: noAuth ? nil : Access(stores.tokens),
      log: RequestLog { Output.write($0, to: STDERR_FILENO) })
    do {
      try await serve(responder, options) { port in
        Output.write(listen.url(port: port) + "\n", to: STDOUT_FILENO)
        if let secret { Output.write("token: \(secret)\n", to: STDOUT_FILENO) }
      }
    } catch let error as IOError {
      // No later run tells the first token.
      if let secret, !storeOption.isMemory {
        Output.write("token: \(secret)\n", to: STDOUT_FILENO)
      }
      try await stores.items.close()
      let reason = String(cString: strerror(error.errnoCode))
      throw ServerFailure("cannot listen on \(listen.host):\(listen.port): \(reason)", status: 8)
    }
    try await stores.items.close()
  }

  private func serverOptions() throws -> ServerOptions {
    let tables = try (table.isEmpty ? ["todoitem"] : table).map { name in
      do throws(NameError) { return try TableName(Text(name)) } catch {
        throw ServerFailure("--table \(name): \(error)", status: 2)
      }
    }
    return ServerOptions(
      host: listen?.host ?? "", port: listen?.port ?? 0, tables: tables,
      isLoopback: listen?.isLoopback ?? false)
  }

  /// Runs until a signal comes: then no more connections, and what is under way is finished.
  private func serve(
    _ responder: ServerResponder, _ options: ServerOptions,
    started: @escaping @Sendable (Int) async -> Void
  ) async throws {
    var logger = Logger(label: "tsync-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    var configuration = ServiceGroupConfiguration(
      services: [Application(responder, options, logger: logger, started: started)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(ServedLimits.shutdownSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// The items' store and the tokens' store: one file, or two memories.
struct Stores {
  let items: any ItemStore
  let tokens: any TokenStore

  /// Opens what an option names.
  init(_ option: StoreOption) throws {
    if option.isMemory {
      items = MemoryItemStore()
      tokens = MemoryTokenStore()
    } else {
      let store = try SQLiteItemStore(path: option.store)
      items = store
      tokens = store
    }
  }

  /// Makes the first token there ever was, for the user `owner`; `nil` where there was one before.
  func firstToken() async throws -> String? {
    guard try await tokens.tokens().isEmpty else { return nil }
    let (secret, token) = AccessToken.make(for: "owner", at: .now)
    try await tokens.add(token)
    return secret
  }
}
