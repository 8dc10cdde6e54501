import SyncEngine
import SyncModel
import TestSupport

/// Some clients, a server, users who edit at any moment, a line that loses things, machines that are
/// killed: a ``Plan``, carried out.
///
/// What it must show is in ``failures`` when it doesn't: no byte lost (B), no update
/// lost (L), nothing replaced brought back, nor an older row taken for newer (R), no row that nobody
/// made, none deleted by a client whose user never has (D), convergence (C), quiescence (Q), with a
/// single client no conflict (S), the workspace in order after every command (M), no mass deletion
/// (G), what a command says is so, nothing sent whose conflict is open, and none ended that nobody has
/// decided (X), no write without a reason (W), no server taken for whole that lacks the newest row (A), and no deleted row brought back for a file that the client
/// has never synced, unless its user has decided so (U).
final class Simulation<Host: Machine> {
  /// What went wrong, in words, its property's letter first; empty when nothing did.
  private(set) var failures: [String] = []
  /// Everything that happened, a line each; empty unless it is kept.
  private(set) var trace: [String] = []
  /// A fingerprint of everything that happened.
  private(set) var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325
  /// How often rare states were reached.
  private(set) var counts: [String: Int] = [:]

  let plan: Plan
  let table: TableName
  let server = ModelServer()
  private(set) var clients: [Client<Host>] = []
  private let keepsTrace: Bool
  private var tokens = 0
  /// The ids under which users and commands have made items.
  var made: Set<ItemKey> = []
  /// The tokens in rows when they were deleted.
  var buried: Set<Int> = []
  /// The items that a user deleted, or an undelete brought back as they were: who makes them anew may
  /// leave out what the server has put beside them.
  var remade: Set<ItemKey> = []
  /// The time, in seconds since 1970.
  var now: Int64 = 0
  /// The rows that the server has lost without a tombstone.
  var lost: Set<ItemKey> = []
  /// The server's rows when they were copied last.
  var backup: [ItemKey: Row]?
  /// The tokens in everything that the server ever held.
  var stored: Set<Int> = []
  /// The tokens that a command was told to give up.
  var givenUp: Set<Int> = []
  /// What users saved since the command began that is running; `nil` while none is.
  var savedMeanwhile: [ItemKey: Set<Int>]?
  /// Whether the ids of items that are a client's own have the form of those made at random: where no
  /// client forgets what it has made, and makes it again.
  private(set) lazy var isOwnAtRandom =
    !plan.forgets && !plan.actions.contains { $0.verb == .purge }
  /// Whether a command runs that puts away what its user saves meanwhile.
  var isGivingUp = false
  /// What each client has sent, by item.
  var written: [Int: [ItemKey: Set<Int>]] = [:]
  /// Whether the faults are over.
  var isCalm = false

  init(_ plan: Plan, keepingTrace: Bool = false) throws {
    self.plan = plan
    keepsTrace = keepingTrace
    table = try TableName("todoitem")
    server.rewriteRate = plan.world.rewriteRate
    server.tick = Int64(plan.world.tick)
    server.lateCommit = plan.world.lateCommit
    (server.counts, server.deletesForGood) = (plan.world.counts, plan.world.deletesForGood)
    for number in 0..<plan.world.clients {
      var line = FaultyLine(to: server, client: number, in: plan.world)
      line.commitsInOrder = plan.commitsInOrder
      clients.append(Client(number: number, host: try Host(number: number), line: line))
    }
    for client in clients {
      client.line.note = { [unowned self] in note("  \($0)") }
      client.line.count = { [unowned self] in count($0) }
      client.line.change = { [unowned self] in changeElsewhere($0, &$1) }
    }
    server.onWrite = { [unowned self] in check($0) }
  }

  /// Carries the plan out, then calms down and checks.
  func run() {
    for action in plan.actions {
      perform(action, clients[action.client])
      if !failures.isEmpty { return }
    }
    calmDown()
    for client in clients {
      for (name, count) in client.host.counts { counts[name, default: 0] += count }
      if client.shown.changes > 0 { count("changed meanwhile") }
      if client.shown.fills > 0 { count("first items together") }
    }
  }

  /// The settings of a command.
  func settings(forcing: Bool = false) -> Settings {
    Settings(
      policies: [table: MergePolicy(plan.world.policy)],
      maxDelete: plan.world.guards && !forcing ? nil : .max, now: now)
  }

  func note(_ line: @autoclosure () -> String) {
    let line = line()
    for byte in line.utf8 { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01b3 }
    if keepsTrace { trace.append(line) }
  }

  func count(_ name: String) { counts[name, default: 0] += 1 }

  func fail(_ line: String) {
    failures.append(line)
    note("FAILED \(line)")
  }

  /// Returns a token that was never used.
  func nextToken() -> Int {
    tokens += 1
    return tokens
  }
}

/// One client: its machine, its line, and what its user has done.
final class Client<Host: Machine> {
  let number: Int
  let host: Host
  var line: FaultyLine
  /// The queries by which the table is pulled, with their filters; none for all of it.
  var queries: [(name: Text, filter: Text)] = []
  /// What was laid where its user can see it.
  let shown = Watched<Host.Work>.Shown()
  /// What its user wrote and did not overwrite or delete: it must never be lost.
  var kept: [Int: ItemKey] = [:]
  /// The items that its user has removed by a command.
  var removed: Set<ItemKey> = []
  /// The items that were, and are back: who loses power, or comes back as it was, may not know it.
  var back: Set<ItemKey> = []
  /// The items that its user has ever deleted, by hand or by a command.
  var deleted: Set<ItemKey> = []
  /// What the items have become that its user has renamed by a command.
  var moves: [ItemKey: ItemKey] = [:]
  /// The items that its user has ever changed, or a command that the user gave for them.
  var touched: Set<ItemKey> = []
  /// What the server had lost when its user last claimed it, or took the server's state.
  var settled: Set<ItemID> = []
  /// Whether its pull has been told to take rows in older states.
  var takesOlder = false
  /// How many items were live when a guard first stopped its pulls; `nil` since one went on.
  var guarded: Int?
  /// The same as ``kept``, when the machine was saved.
  var savedKept: [Int: ItemKey] = [:]
  /// The same as ``Watched/Shown/known``, when the machine was saved.
  var savedKnown: Set<ItemKey> = []

  /// What the table is pulled by.
  func feeds(of table: TableName) -> [Feed] {
    queries.isEmpty
      ? [Feed(table)] : queries.map { Feed(table, query: $0.name, filter: $0.filter) }
  }

  init(number: Int, host: Host, line: FaultyLine) {
    self.number = number
    self.host = host
    self.line = line
  }
}
