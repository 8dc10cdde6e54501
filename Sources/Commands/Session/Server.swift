import CurlTransport
import Remote
import SyncEngine
import SyncModel
import Workspace

/// The server of a workspace, as a command is connected to it: address, backend and known facts.
final class Server {
  typealias Line = StoppableBackend<RESTBackend<ObservedTransport>>

  let address: ServerAddress
  var backend: Line
  /// Whether the server, at a new address, may have other rows than the workspace knows.
  let isUnverified: Bool
  /// Whether the dialect comes from the settings.
  private let isDialectSet: Bool
  private let observed: ObservedTransport.Observed

  /// Connects to the workspace's server; detects the dialect of a new one, and keeps it.
  ///
  /// - Throws: ``Failure`` if there is no address, `Stop` if the server can't be asked or isn't the
  ///   workspace's.
  init(_ session: Session) throws {
    let (context, workspace) = (session.context, session.workspace)
    let configuration = session.configuration
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
    let transport = ObservedTransport(to: address, context, configuration)
    observed = transport.observed
    var exchange = Exchange(
      transport, with: address,
      authorization: try Authorization(for: address.origin, context, configuration),
      facts: known, dependencies: try context.dependencies())
    var facts: ServerFacts
    do {
      facts = try known ?? Self.detect(&exchange, dialect, session.tables)
    } catch {
      throw Self.failure(error, observed)
    }
    if known == nil { try Self.check(facts, against: state, address) }
    if isElsewhere { try Self.checkOutcomes(facts, against: state, workspace) }
    if !isElsewhere { facts.tables = state.tables }
    isUnverified =
      known == nil && state.origin != nil
      && (state.dataset != facts.dataset || isElsewhere && facts.dataset == nil)
    backend = Line(
      inner: RESTBackend(
        exchange, facts: facts,
        settings: RemoteSettings(
          pageSize: configuration.page ?? 1_000, jobs: session.jobs ?? configuration.jobs,
          overlapSeconds: configuration.overlap)),
      isInterrupted: { context.invocation.signal() != nil })
    if known == nil, !isUnverified, workspace.isWriting {
      var state = state
      record(in: &state)
      try workspace.write(state)
    }
  }

  static var noServer: Failure {
    .usage("the workspace has no server", hints: ["to set one: \(typed: "remote", "set", "URL")"])
  }

  /// Writes the known facts of the server into a state.
  func record(in state: inout WorkspaceState) {
    let facts = backend.inner.facts
    let origin = Text(address.description)
    // A setting doesn't replace a detected dialect: without the setting, that is valid again.
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

  /// Whether the server is tsync-server: no other sends a data set.
  var isServerOfOurs: Bool { backend.inner.facts.dataset != nil }

  /// Keeps the facts about the server's tables, even if the exchange failed.
  func keepTables(in workspace: Workspace) throws {
    guard workspace.isWriting, !isUnverified else { return }
    var state = try workspace.state()
    guard state.tables != backend.inner.facts.tables else { return }
    state.tables = backend.inner.facts.tables
    try workspace.write(state)
  }

  /// Reads one table after another until one shows the dialect.
  private static func detect(
    _ exchange: inout Exchange<ObservedTransport>, _ dialect: Dialect?,
    _ tables: [TableName]
  ) throws -> ServerFacts {
    var missing: [Stop] = []
    for table in tables {
      do {
        if let facts = try exchange.detect(table, chosen: dialect) { return facts }
      } catch Stop.noTable(let table) {
        // The server may have another table.
        missing.append(.noTable(table))
      }
    }
    if missing.count == tables.count, let stop = missing.first { throw stop }
    throw UnknownDialect()
  }

  /// Refuses a new server that sends another data set or user.
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

  /// Refuses a new address while outcomes are unknown, unless data sets match (decisions.md 6, 74).
  private static func checkOutcomes(
    _ facts: ServerFacts, against state: WorkspaceState, _ workspace: Workspace
  ) throws(Failure) {
    let count = workspace.journal.intents.count
    guard count > 0, let former = state.origin, state.dataset == nil || facts.dataset == nil else {
      return
    }
    throw Failure(
      .unsafe,
      "only the former server knows whether "
        + "\(count == 1 ? "a sent change" : "\(count) sent changes") arrived",
      hints: ["to ask it first: \(typed: "remote", "set", former.string)"])
  }

  /// Describes an error of the exchange; for plain HTTP to another machine, it names the address.
  func failure(_ error: any Error) -> any Error { Self.failure(error, observed) }

  private static func failure(
    _ error: any Error, _ observed: ObservedTransport.Observed
  ) -> any Error {
    if case .unauthorized(let refusal)? = error as? Stop, refusal.status == 401, observed.hasToken {
      return Failure(
        .unauthorized,
        "the server does not accept the token: \(refusal.sentence)",
        hints: ["to set another token: \(typed: "remote", "login")"])
    }
    guard error is Stop, let refusal = observed.refusal else { return error }
    return Failure.usage(refusal, hints: ["for another machine, use an address with https://"])
  }
}

extension ServerFacts {
  /// Takes the facts from a workspace's state; `nil` if the dialect is neither set nor detected.
  init?(_ state: WorkspaceState, dialect: Dialect?) {
    guard let dialect = dialect ?? state.dialect.flatMap(Dialect.init(name:)) else { return nil }
    self.init(
      dialect: dialect, dataset: state.dataset, user: state.user, tables: state.tables)
  }
}

extension Configuration {
  /// The dialect of the settings; `nil` to detect it.
  var spokenDialect: Dialect? { dialect.flatMap(Dialect.init(name:)) }
}

/// The dialect can't be detected, because all tables are empty (decisions.md 75).
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

extension ObservedTransport {
  fileprivate init(to address: ServerAddress, _ context: Context, _ configuration: Configuration) {
    let waitIndicator = WaitIndicator(context, address)
    var limits = context.invocation.limits
    if let seconds = configuration.timeout { limits.stallMilliseconds = seconds * 1_000 }
    self.init(
      inner: context.invocation.line(
        CurlTransport(context.invocation, limits, goesOn: waitIndicator.goesOn)),
      waitIndicator: waitIndicator)
  }
}

extension CurlTransport {
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
