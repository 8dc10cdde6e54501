import Synchronization

/// A small HTTP/1.1 server that does what a test tells it, well or badly.
///
/// It listens on 127.0.0.1 at a port of the system's choice. Each connection has a thread, on which
/// the handler is called for one request after another; a handler may block. All requests are
/// recorded before the handler sees them.
///
/// The server ends with ``stop()`` or with its last reference, when all its threads have ended: a
/// handler that waits must be let go before, and a handler must not keep a reference to its server.
package final class ScriptedServer: Sendable {
  /// Decides what to do with a request.
  package typealias Handler = @Sendable (ReceivedRequest) -> ScriptedReply

  /// The port it listens on.
  package let port: UInt16
  private let listener: LoopbackListener
  private let received: ReceivedRequests

  /// Starts a server.
  ///
  /// - Throws: `Errno` when there is no socket or thread to be had.
  package init(handler: @escaping Handler) throws {
    let received = ReceivedRequests()
    self.received = received
    listener = try LoopbackListener { socket, number in
      ScriptedConnection(socket: socket, number: number).serve { request in
        received.list.withLock { $0.append(request) }
        return handler(request)
      }
    }
    port = listener.port
  }

  deinit { stop() }

  /// The server's origin: `http://127.0.0.1:PORT`.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// The requests so far, in the order in which they were complete.
  package var requests: [ReceivedRequest] { received.list.withLock { $0 } }

  /// How many connections were made so far.
  package var connectionCount: Int { listener.connectionCount }

  /// Takes no more connections: they are refused; those that exist go on.
  package func closeListener() { listener.close() }

  /// Closes everything and waits for the threads; a second call does nothing.
  package func stop() { listener.stop() }

  /// Returns a handler that gives replies in order, and the last one for ever.
  package static func inOrder(_ replies: [ScriptedReply]) -> Handler {
    let left = Mutex(replies[...])
    return { _ in
      left.withLock { left in
        guard left.count > 1 else { return left.first ?? .dropped }
        return left.removeFirst()
      }
    }
  }
}

/// The requests that a ``ScriptedServer`` has received.
private final class ReceivedRequests: Sendable {
  let list = Mutex<[ReceivedRequest]>([])
}
