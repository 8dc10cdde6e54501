import Dispatch
import Synchronization
import TableServer

/// A connection and the thread that uses it, one piece of work after another.
// Unchecked: the connection is touched on the queue alone.
final class PostgresLane: @unchecked Sendable {
  private let queue: DispatchQueue
  private let options: [(name: String, value: String)]
  private let library: PostgresLibrary
  private var open: PostgresConnection?
  /// How many pieces of work wait or are under way.
  private let queued = Atomic(0)

  /// Makes a lane; it connects when it is first needed.
  init(_ name: String, _ options: [(name: String, value: String)], _ library: PostgresLibrary) {
    queue = DispatchQueue(label: name)
    (self.options, self.library) = (options, library)
  }

  /// How many pieces of work wait or are under way.
  var load: Int { queued.load(ordering: .relaxed) }

  /// Does a piece of work on the lane's thread.
  ///
  /// - Throws: What the work throws.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable (PostgresLane) throws -> Result
  ) async throws -> Result {
    queued.add(1, ordering: .relaxed)
    defer { queued.subtract(1, ordering: .relaxed) }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try work(self) }) }
    }
  }

  /// Carries out statements in one transaction of the server's own, or in the one that is open; connects
  /// before where there is no connection.
  ///
  /// - Throws: ``PostgresFault``; a connection that is lost is left.
  func send(_ calls: [PostgresCall]) throws(PostgresFault) -> [PostgresRows] {
    do throws(PostgresFault) {
      if let open { return try open.run(calls) }
      let connection = try connected()
      open = connection
      return try connection.run(calls)
    } catch {
      if case .lost = error { open = nil }
      throw error
    }
  }

  /// Carries out one statement.
  ///
  /// - Throws: ``PostgresFault``.
  func send(_ statement: PostgresStatement, _ values: String?...) throws(PostgresFault)
    -> PostgresRows
  {
    let rows = try send([PostgresCall(statement, values: values)])
    guard let first = rows.first else { throw .lost("a statement has no answer") }
    return first
  }

  /// Ends a transaction that is open.
  func rollBack() { _ = try? send(.rollback) }

  /// Leaves the connection.
  func close() { open = nil }

  private func connected() throws(PostgresFault) -> PostgresConnection {
    let connection = try PostgresConnection(options, library)
    for setting in [PostgresStatement.statementTimeout, .lockTimeout, .idleTimeout, .planning] {
      do throws(PostgresFault) { _ = try connection.run([PostgresCall(setting)]) } catch {
        // Not every engine knows each of them.
        if case .lost = error { throw error }
      }
    }
    return connection
  }
}
