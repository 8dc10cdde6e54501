import SyncEngine
import SyncModel

/// A backend that stops at the next sensible place when the process is asked to end: what is on its
/// way is still waited for, nothing new is begun.
struct InterruptibleBackend<Inner: Backend>: Backend {
  /// The backend that does the work.
  var inner: Inner
  /// Whether the process is asked to end.
  let isInterrupted: () -> Bool

  /// What an exchange ends with; the command's own status is the signal's.
  static var stop: Stop { .unreachable("interrupted") }

  func prepare(_ operation: Operation) throws -> Request { try inner.prepare(operation) }

  mutating func send(
    next: () throws -> Intent?, done: (Intent, Reply) throws -> Void
  ) throws {
    let isInterrupted = isInterrupted
    try inner.send(
      next: { isInterrupted() ? nil : try next() },
      done: { intent, reply in
        let end = isInterrupted() ? Self.stop : nil
        try done(intent, Reply(reply.outcome, stop: reply.stop ?? end))
      })
  }

  mutating func read(_ key: ItemKey) throws -> Reading {
    guard !isInterrupted() else { throw Self.stop }
    return try inner.read(key)
  }

  mutating func makesIDs(in table: TableName) throws -> Bool {
    guard !isInterrupted() else { throw Self.stop }
    return try inner.makesIDs(in: table)
  }

  mutating func pages(
    of table: TableName, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    let isInterrupted = isInterrupted
    try inner.pages(of: table, from: token) { try each($0) && !isInterrupted() }
    guard !isInterrupted() else { throw Self.stop }
  }
}
