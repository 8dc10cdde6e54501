import ArgumentParser
import Glibc
import Hummingbird
import Logging
import NIOCore
import PostgresStore
import SQLiteStore
import ServiceLifecycle
import SyncModel
import TableServer
import UnixSignals

/// Serves tables until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve tables until SIGTERM or SIGINT (the default).")

  @OptionGroup var storeOption: StoreOption

  @Option(
    help: ArgumentHelp(
      "Listen on this address; port 0 takes a free port.", valueName: "address:port"),
    transform: { text in
      guard let address = ListenAddress(argument: text) else {
        throw ValidationError("'\(text)' is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080")
      }
      return address
    })
  var listen = ListenAddress(argument: "127.0.0.1:8080")

  @Option(
    help: ArgumentHelp(
      "Serve this table; can be repeated. (default: todoitem)", valueName: "name"))
  var table: [String] = []

  @Option(
    help: ArgumentHelp(
      "Set the URL that clients use, if a proxy is in front of the server.", valueName: "url"),
    transform: { text in
      guard let url = RequestOrigin(url: text) else {
        throw ValidationError(
          "'\(text)' is not an http or https URL without a path, such as https://list.example.net")
      }
      return url
    })
  var url: RequestOrigin?

  @Flag(help: "Allow an address that other machines can reach, if a proxy with TLS is in front.")
  var behindProxy = false

  @Flag(help: "Serve without tokens, only on a loopback address.")
  var noAuth = false

  func run() async throws {
    let options = try serverOptions()
    guard let listen else { throw ServerFailure("no address to listen on", status: 2) }
    guard !noAuth || !behindProxy else {
      throw ServerFailure("--no-auth and --behind-proxy can't be combined", status: 2)
    }
    guard !behindProxy || url != nil else {
      throw ServerFailure(
        "--behind-proxy needs --url, the URL that clients use", status: 2)
    }
    guard listen.isLoopback || behindProxy else {
      throw ServerFailure(
        "\(listen.host) can be reached from other machines, and nothing is encrypted: listen on"
          + " 127.0.0.1, or give --behind-proxy and --url if a proxy with TLS is in front",
        status: 2)
    }
    // What the store keeps is the owner's affair.
    umask(0o077)
    let stores = try await Stores(storeOption)
    let first = noAuth ? nil : try await stores.firstToken()
    let log = LogStream()
    let responder = ServerResponder(
      stores.items, options, access: noAuth ? nil : Access(stores.tokens),
      log: RequestLog { log.write($0) })
    do {
      try await serve(responder, options, log) { port in
        let lines = listen.url(port: port) + "\n" + (first.map { "token: \($0.secret)\n" } ?? "")
        let isPrinted = Output.write(lines, to: STDOUT_FILENO)
        guard let first else { return }
        do {
          guard isPrinted else {
            throw ServerFailure("the first token can't be printed", status: 8)
          }
          try await stores.tokens.add(first.token)
        } catch {
          ServerFailure(error).report()
          Glibc.exit(8)
        }
      }
    } catch let error as IOError {
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
      host: listen?.host ?? "", port: listen?.port ?? 0, tables: tables, url: url)
  }

  /// Runs until a signal comes: then no more connections, and what is under way is finished.
  private func serve(
    _ responder: ServerResponder, _ options: ServerOptions, _ log: LogStream,
    started: @escaping @Sendable (Int) async -> Void
  ) async throws {
    var logger = Logger(label: "tsync-server") { _ in log }
    logger.logLevel = .error
    var configuration = ServiceGroupConfiguration(
      services: [Application(responder, options, logger: logger, started: started)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(ServedLimits.shutdownSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }
}

/// What keeps the items, and what keeps the tokens.
struct Stores {
  let items: any ItemStore
  let tokens: any TokenStore

  /// Opens what an option names.
  init(_ option: StoreOption) async throws {
    let store =
      try option.isMemory ? SQLiteItemStore(path: nil) : await Self.kept(option.store)
    let state = try await store.state()
    guard state == .open else {
      throw ServerFailure("\(option.store) \(state.words(option.store))", status: 8)
    }
    (items, tokens) = (store, store)
  }

  /// Opens a file or a database, whatever its state; one that is new is made for a dataset's rows where it is given.
  static func kept(
    _ name: String, copyOf source: Text? = nil, mustExist: Bool = false
  ) async throws -> any CopiedStore {
    if ["postgres://", "postgresql://"].contains(where: { name.utf8.starts(with: $0.utf8) }) {
      return try await PostgresStore(url: name, copyOf: source, mustExist: mustExist)
    }
    guard !mustExist || access(name, F_OK) == 0 else {
      throw ServerFailure("there is no store \(name)", status: 8)
    }
    return try SQLiteItemStore(path: name, copyOf: source)
  }

  /// Returns a token for the user `owner`, which is not added yet; `nil` where there was one before.
  func firstToken() async throws -> (secret: String, token: AccessToken)? {
    guard try await tokens.tokens().isEmpty else { return nil }
    return AccessToken.make(for: "owner", at: .now)
  }
}
