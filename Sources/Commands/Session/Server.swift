import Remote
import SyncEngine
import SyncModel
import Workspace

/// The server of a workspace, as a command is connected to it: address, backend and known facts.
final class Server {
  var backend: StoppableBackend
  /// Whether the server, at a new address, may have other rows than the workspace knows.
  let isUnverified: Bool
  /// Whether the dialect comes from the settings.
  private let isDialectSet: Bool
  private let address: ServerAddress
  private let transport: ObservedTransport

  /// Connects to the workspace's server; detects the dialect of a new one, and keeps it.
  ///
  /// - Throws: ``Problem`` if there is no address, `Stop` if the server can't be asked or isn't the
  ///   workspace's.
  init(_ session: Session) throws {
    let (context, workspace) = (session.context, session.workspace)
    let configuration = session.configuration
    address = try session.address()
    let state = try workspace.state()
    let setDialect = configuration.spokenDialect
    isDialectSet = setDialect != nil
    // Two backends may share an origin and differ in their path.
    let isElsewhere = state.origin != Text(address.description)
    var known: ServerFacts?
    if !isElsewhere, let dialect = configuration.dialect(of: address, state) {
      known = ServerFacts(
        dialect: dialect, dataset: state.dataset, user: state.user, tables: state.tables)
    }
    let authorization = try Authorization(for: address.origin, context, configuration)
    transport = ObservedTransport(
      to: address, hasToken: authorization.token != nil, context, configuration)
    var exchange = Exchange(
      transport, with: address, authorization: authorization, facts: known,
      dependencies: try context.dependencies())
    var facts: ServerFacts
    do {
      facts = try known ?? Self.detect(&exchange, setDialect, session.tables)
    } catch {
      throw transport.failure(error)
    }
    if !isElsewhere { facts.tables = state.tables }
    isUnverified =
      known == nil && state.origin != nil
      && (state.dataset != facts.dataset || isElsewhere && facts.dataset == nil)
    backend = StoppableBackend(
      inner: RESTBackend(
        exchange, facts: facts,
        settings: RemoteSettings(
          pageSize: configuration.page ?? 1_000, jobs: session.jobs ?? configuration.jobs,
          overlapSeconds: configuration.overlap)),
      isInterrupted: { context.invocation.signal() != nil })
    guard known == nil else { return }
    try check(facts, against: state, workspace)
    try keepFacts(in: workspace)
  }

  /// Reads one table after another until one shows the dialect.
  private static func detect(
    _ exchange: inout Exchange<ObservedTransport>, _ dialect: Dialect?, _ tables: [TableName]
  ) throws -> ServerFacts {
    var missing: [TableName] = []
    for table in tables {
      do {
        if let facts = try exchange.detect(table, chosen: dialect) { return facts }
      } catch Stop.noTable {
        // The server may have another table.
        missing.append(table)
      }
    }
    if missing == tables, let table = missing.first { throw Stop.noTable(table) }
    throw Self.unknownDialect
  }

  /// The dialect can't be detected, because all tables are empty.
  static let unknownDialect = Problem(
    .unreachable, "the dialect is not known yet: the table is empty",
    hints: [
      "nothing is sent until you name it\(.column)\(typed: "config", "dialect", "NAME")",
      "NAME is mobile-services, mobile-apps, datasync or community-toolkit: \(typed: "help", "5", "config")",
    ])

  /// Refuses another data set or user than the workspace's, and a new address while only the former
  /// one knows outcomes.
  private func check(
    _ facts: ServerFacts, against state: WorkspaceState, _ workspace: Workspace
  ) throws {
    if let known = state.dataset, let found = facts.dataset, known != found {
      throw Stop.unsafe(.otherDataset(found, known: known, address: "\(address)"))
    }
    if let known = state.user, let found = facts.user, known != found {
      throw Stop.unsafe(.otherUser(found, known: known, address: "\(address)"))
    }
    let count = try workspace.knownTables().reduce(0) { try $0 + workspace.attempts(in: $1).count }
    let isSameData = state.dataset != nil && facts.dataset != nil
    guard count > 0, !isSameData, let former = state.origin, former != Text(address.description)
    else { return }
    throw Problem(
      .unsafe,
      "only the former server knows whether "
        + "\(count == 1 ? "a sent change" : "\(count) sent changes") arrived",
      hints: ["to ask it first: \(typed: "remote", "set", former.string)"])
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

  /// Whether the server has answered this command.
  var hasAnswered: Bool { transport.hasAnswered }

  /// Keeps the known facts of the server, unless it may be another one.
  func keepFacts(in workspace: Workspace) throws {
    guard workspace.isWriting, !isUnverified else { return }
    let former = try workspace.state()
    var state = former
    record(in: &state)
    if state != former { try workspace.write(state) }
  }

  /// Describes an error of the exchange; for plain HTTP to another machine, it names the address.
  func failure(_ error: any Error) -> any Error { transport.failure(error) }
}

extension Session {
  static var noServer: Problem {
    .usage("the workspace has no server", hints: ["to set one: \(typed: "remote", "set", "URL")"])
  }

  /// Returns the address of the workspace's server.
  func address() throws -> ServerAddress {
    guard let remote = configuration.remote else { throw Self.noServer }
    return try ServerAddress(remote)
  }
}

extension Configuration {
  /// The dialect of the settings; `nil` to detect it.
  var spokenDialect: Dialect? { dialect.flatMap(Dialect.init(name:)) }

  /// Returns the dialect of the settings, or the one that this address was detected to have.
  func dialect(of address: ServerAddress, _ state: WorkspaceState) -> Dialect? {
    let isKnown = state.origin == Text(address.description)
    return spokenDialect ?? (isKnown ? state.dialect.flatMap(Dialect.init(name:)) : nil)
  }
}
