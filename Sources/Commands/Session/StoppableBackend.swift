import Remote
import SyncEngine
import SyncModel

/// A backend that a signal stops: it waits for the requests under way, and sends no new ones.
struct StoppableBackend: Backend {
  var inner: RESTBackend<ObservedTransport>
  let isInterrupted: () -> Bool

  /// The end of an interrupted exchange; the command's status is the signal's.
  static var stop: Stop { .unreachable("interrupted") }

  var commitsInOrder: Bool { inner.commitsInOrder }

  func check(_ operation: Operation) throws { try inner.check(operation) }

  mutating func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    let isInterrupted = isInterrupted
    try inner.send(
      next: { isInterrupted() ? nil : try next() },
      done: { attempt, reply in
        let end = isInterrupted() ? Self.stop : nil
        try done(attempt, Reply(reply.outcome, stop: reply.stop ?? end))
      }, meanwhile: meanwhile)
  }

  mutating func read(_ key: ItemKey) throws -> Reading {
    guard !isInterrupted() else { throw Self.stop }
    return try inner.read(key)
  }

  mutating func makesIDs(in table: TableName) throws -> Bool {
    guard !isInterrupted() else { throw Self.stop }
    return try inner.makesIDs(in: table)
  }

  mutating func rows(_ ids: [ItemID], of feed: Feed) throws -> Page {
    guard !isInterrupted() else { throw Self.stop }
    return try inner.rows(ids, of: feed)
  }

  mutating func pages(
    of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    let isInterrupted = isInterrupted
    try inner.pages(of: feed, from: token) { try each($0) && !isInterrupted() }
    guard !isInterrupted() else { throw Self.stop }
  }
}
