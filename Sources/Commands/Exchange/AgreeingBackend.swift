import Remote
import SyncEngine
import SyncModel
import Workspace

/// The server of a push that is a dry run, to which nothing is sent.
///
/// It does every write that its dialect can send, and has done those whose outcome is not known.
struct AgreeingBackend: Backend {
  private let rows: any Disk
  private let dialect: Dialect?
  private let tables: [TableName: TableFacts]
  let commitsInOrder: Bool

  /// Knows what a session knows of the server.
  ///
  /// - Throws: What reading that throws.
  init(_ session: Session) throws {
    var state = try session.workspace.state()
    session.server?.record(in: &state)
    (rows, tables, commitsInOrder) = (session.rehearsed, state.tables, state.dataset != nil)
    dialect = try session.configuration.dialect(of: session.address(), state)
  }

  func check(_ operation: Operation) throws {
    _ = try dialect?.request(for: operation, serverMakesIDs: makesIDs(in: operation.key.table))
  }

  func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    while let (attempt, _) = try next() {
      try done(attempt, Reply(.done(Self.row(of: attempt))))
    }
  }

  func read(_ key: ItemKey) throws -> Reading {
    let row = try rows.attempt(of: key).map(Self.row) ?? rows.base(of: key).row
    return row.map { .row($0) } ?? .absent
  }

  private static func row(of attempt: Attempt) -> Row? {
    attempt.item.map {
      Row(id: attempt.key.id, item: $0, version: Version("written"), updatedAt: nil)
    }
  }

  func makesIDs(in table: TableName) -> Bool { tables[table]?.makesIDs == true }

  func pages(of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool) throws {
    preconditionFailure("a push asks for no feed")
  }

  func rows(_ ids: [ItemID], of feed: Feed) throws -> Page {
    preconditionFailure("a push asks for no feed")
  }
}
