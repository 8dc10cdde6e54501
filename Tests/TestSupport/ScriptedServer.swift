import Glibc
import Synchronization
import SystemPackage

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
  private let listener: ScriptedListener

  /// Starts a server.
  ///
  /// - Throws: `Errno` when there is no socket or thread to be had.
  package init(handler: @escaping Handler) throws {
    listener = try ScriptedListener(handler: handler)
    port = listener.port
    try listener.start()
  }

  deinit { stop() }

  /// The server's origin: `http://127.0.0.1:PORT`.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// The requests so far, in the order in which they were complete.
  package var requests: [ReceivedRequest] { listener.state.withLock { $0.requests } }

  /// How many connections were made so far.
  package var connectionCount: Int { listener.state.withLock { $0.connectionCount } }

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

/// The part of a ``ScriptedServer`` that its threads share.
final class ScriptedListener: Sendable {
  struct State {
    var requests: [ReceivedRequest] = []
    var connectionCount = 0
    var sockets: [Int: CInt] = [:]
    var threads: [ServerThread] = []
    var isListening = true
    var isStopping = false
  }

  let port: UInt16
  let state = Mutex(State())
  private let socket: CInt
  private let handler: ScriptedServer.Handler

  init(handler: @escaping ScriptedServer.Handler) throws {
    self.handler = handler
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw Errno(rawValue: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 512) == 0
          && getsockname(socket, $0, &length) == 0
      }
    }
    guard isReady else {
      let reason = Errno(rawValue: errno)
      Glibc.close(socket)
      throw reason
    }
    self.socket = socket
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Starts the thread that takes connections; it closes the listening socket when it ends.
  func start() throws {
    guard let thread = ServerThread.start({ [self] in acceptAll() }) else {
      Glibc.close(socket)
      throw Errno.resourceTemporarilyUnavailable
    }
    state.withLock { $0.threads.append(thread) }
  }

  func close() {
    state.withLock { state in
      // Wakes the thread in accept(); from here on connections are refused.
      if state.isListening { shutdown(socket, CInt(SHUT_RDWR)) }
      state.isListening = false
    }
  }

  func stop() {
    close()
    let threads = state.withLock { state in
      state.isStopping = true
      for socket in state.sockets.values { shutdown(socket, CInt(SHUT_RDWR)) }
      defer { state.threads = [] }
      return state.threads
    }
    for thread in threads { thread.join() }
  }

  private func acceptAll() {
    while true {
      let peer = accept(socket, nil, nil)
      if peer >= 0 {
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        open(peer)
      } else if errno != EINTR && errno != ECONNABORTED {
        break
      }
    }
    // Under the lock, so that `close` never shuts down a number that is somebody else's by now.
    state.withLock { state in
      state.isListening = false
      _ = Glibc.close(socket)
    }
  }

  private func open(_ peer: CInt) {
    state.withLock { state in
      let number = state.connectionCount
      guard !state.isStopping else {
        Glibc.close(peer)
        return
      }
      state.connectionCount += 1
      state.sockets[number] = peer
      let thread = ServerThread.start { [self] in
        ScriptedConnection(socket: peer, number: number).serve { [self] request in
          self.state.withLock { $0.requests.append(request) }
          return handler(request)
        }
        self.state.withLock { state in
          state.sockets[number] = nil
          _ = Glibc.close(peer)
        }
      }
      if let thread { state.threads.append(thread) } else { Glibc.close(peer) }
    }
  }
}
