import CurlTransport
import Remote
import SyncEngine
import SyncModel
import Workspace

/// The line to a workspace's server: where it is, who asks, and what is known of it.
struct Connection {
  /// The backend that the engine works with.
  typealias Line = InterruptibleBackend<RESTBackend<WatchedTransport>>

  /// Where the server is.
  let address: ServerAddress
  /// The backend.
  var backend: Line
  /// Whether it is not known that this server has the rows that the workspace knows: another
  /// address than before, of servers that don't tell their data sets apart.
  let isUnproven: Bool
  /// Whether a setting says what the server speaks.
  private let isDialectSet: Bool
  private let sight: WatchedTransport.Sight

  /// Connects to the server of a workspace; one that isn't known yet is asked what it speaks.
  ///
  /// What is found out is kept in the workspace's state.
  ///
  /// - Throws: ``Failure`` where there is no address, `Stop` where the server can't be asked or is
  ///   another one than that of the workspace.
  init(_ context: Context, _ open: OpenWorkspace, jobs: Int? = nil) throws {
    let (workspace, configuration) = (open.workspace, open.configuration)
    guard let remote = configuration.remote else {
      throw Self.noServer
    }
    address = try ServerAddress(remote)
    let state = try workspace.state()
    let dialect = configuration.spokenDialect
    isDialectSet = dialect != nil
    // Two backends may share an origin and differ in their path.
    let isElsewhere = state.origin != Text(address.description)
    let known = isElsewhere ? nil : ServerFacts(state, dialect: dialect)
    let transport = WatchedTransport(to: address, context, configuration)
    sight = transport.sight
    var exchange = Exchange(
      transport, with: address,
      authorization: try Authorization(for: address.origin, context, configuration),
      facts: known, surroundings: try context.surroundings())
    var facts: ServerFacts
    do {
      facts = try known ?? Self.detect(&exchange, dialect, open.tables)
    } catch {
      throw Self.failure(error, sight)
    }
    if known == nil { try Self.check(facts, against: state, address) }
    if isElsewhere { try Self.checkOutcomes(facts, against: state, workspace) }
    if !isElsewhere { facts.tables = state.tables }
    isUnproven =
      known == nil && state.origin != nil
      && (state.dataset != facts.dataset || isElsewhere && facts.dataset == nil)
    backend = Line(
      inner: RESTBackend(
        exchange, facts: facts,
        settings: RemoteSettings(
          pageSize: configuration.page ?? 1_000, jobs: jobs ?? configuration.jobs,
          overlapSeconds: configuration.overlap)),
      isInterrupted: { context.invocation.signal() != nil })
    if known == nil, !isUnproven, workspace.isWriting {
      var state = state
      enter(&state)
      try workspace.write(state)
    }
  }

  /// The failure of a command that needs a server where there is none.
  static var noServer: Failure {
    .usage("the workspace has no server", hints: ["name one: \(typed: "remote", "set", "URL")"])
  }

  /// Enters what is known of the server into a workspace's state.
  func enter(_ state: inout WorkspaceState) {
    let facts = backend.inner.facts
    let origin = Text(address.description)
    // A dialect that is set was not found out; what was found out before is true when it isn't set
    // any more.
    if !isDialectSet {
      state.dialect = facts.dialect.name
    } else if state.origin != origin {
      state.dialect = nil
    }
    state.origin = origin
    state.dataset = facts.dataset
    state.user = facts.user ?? state.user
    state.tables = facts.tables
  }

  /// Whether the server is tsync-server: only it tells its data set.
  var isServerOfOurs: Bool { backend.inner.facts.dataset != nil }

  /// Keeps what was learnt of the server's tables, however the exchange ended.
  func keepTables(in workspace: Workspace) throws {
    guard workspace.isWriting, !isUnproven else { return }
    var state = try workspace.state()
    guard state.tables != backend.inner.facts.tables else { return }
    state.tables = backend.inner.facts.tables
    try workspace.write(state)
  }

  /// Asks the server by one table after the other, until one shows what it speaks.
  private static func detect(
    _ exchange: inout Exchange<WatchedTransport>, _ dialect: Dialect?,
    _ tables: [TableName]
  ) throws -> ServerFacts {
    var missing: [Stop] = []
    for table in tables {
      do {
        if let facts = try exchange.detect(table, chosen: dialect) { return facts }
      } catch Stop.noTable(let table) {
        // Another one may be there.
        missing.append(.noTable(table))
      }
    }
    if missing.count == tables.count, let stop = missing.first { throw stop }
    throw UnknownDialect()
  }

  /// Makes sure that a server that wasn't asked before is the workspace's, as far as it tells.
  private static func check(
    _ facts: ServerFacts, against state: WorkspaceState, _ address: ServerAddress
  ) throws(Stop) {
    if let known = state.dataset, let found = facts.dataset, known != found {
      throw ServerFacts.otherData(found, than: known, at: address)
    }
    if let known = state.user, let found = facts.user, known != found {
      throw ServerFacts.otherUser(found, than: known, at: address)
    }
  }

  /// Refuses another address while changes were sent whose outcome only the former server knows, unless
  /// both say that they hold the same data set (decisions.md 6, 74).
  private static func checkOutcomes(
    _ facts: ServerFacts, against state: WorkspaceState, _ workspace: Workspace
  ) throws(Failure) {
    let count = workspace.journal.intents.count
    guard count > 0, let former = state.origin, state.dataset == nil || facts.dataset == nil else {
      return
    }
    throw Failure(
      .unsafe,
      "whether \(count == 1 ? "a sent change" : "\(count) sent changes") arrived is only known "
        + "by the former server",
      hints: ["find out there first: \(typed: "remote", "set", former.string)"])
  }

  /// Returns the failure that an error of the exchange is; plain HTTP to another machine is a fault
  /// of the address, not of the network.
  func failure(_ error: any Error) -> any Error { Self.failure(error, sight) }

  private static func failure(
    _ error: any Error, _ sight: WatchedTransport.Sight
  ) -> any Error {
    if case .unauthorized(let refusal)? = error as? Stop, refusal.status == 401, sight.hasToken {
      return Failure(
        .unauthorized,
        "the server does not accept the token that it was given: \(refusal.sentence)",
        hints: ["give it another one: \(typed: "remote", "login")"])
    }
    guard error is Stop, let refusal = sight.refusal else { return error }
    return Failure.usage(refusal, hints: ["an address of another machine begins with https://"])
  }
}

extension ServerFacts {
  /// Takes what a workspace knows of its server, in the dialect that is set or was found out; `nil`
  /// where neither is.
  init?(_ state: WorkspaceState, dialect: Dialect?) {
    guard let dialect = dialect ?? state.dialect.flatMap(Dialect.init(name:)) else { return nil }
    self.init(
      dialect: dialect, dataset: state.dataset, user: state.user, tables: state.tables)
  }
}

extension Configuration {
  /// The dialect that is set; `nil` where it is to be found out.
  var spokenDialect: Dialect? { dialect.flatMap(Dialect.init(name:)) }
}

/// The end of an exchange with a server whose tables are empty, and whose answers don't show what it
/// speaks (decisions.md 75).
struct UnknownDialect: FailureDescribing {
  static let fact = "the dialect is not known yet: the table is empty"

  var failure: Failure {
    Failure(
      .unreachable, Self.fact,
      hints: [
        "nothing is sent until you name it\(.column)\(typed: "config", "dialect", "NAME")",
        "NAME is mobile-services, mobile-apps, datasync or community-toolkit: \(typed: "help", "config")",
      ])
  }
}

extension WatchedTransport {
  /// Makes the transport of a command to a server.
  fileprivate init(to address: ServerAddress, _ context: Context, _ configuration: Configuration) {
    let patience = Patience(context, address)
    var limits = context.invocation.limits
    if let seconds = configuration.timeout { limits.stallMilliseconds = seconds * 1_000 }
    self.init(
      inner: context.invocation.line(
        CurlTransport(context.invocation, limits, goesOn: patience.goesOn)),
      patience: patience)
  }
}

extension CurlTransport {
  /// Makes the transport of an invocation.
  fileprivate init(
    _ invocation: Invocation, _ limits: TransportLimits, goesOn: @escaping () -> Bool
  ) {
    let environment = invocation.environment
    self.init(
      userAgent: "tsync/\(Tsync.version)", certificateFile: environment.nonEmpty("SSL_CERT_FILE"),
      certificateDirectory: environment.nonEmpty("SSL_CERT_DIR"),
      noProxy: environment["no_proxy"] ?? environment["NO_PROXY"],
      limits: limits, goesOn: goesOn)
  }
}
