import Glibc
import Synchronization
import SystemPackage

/// A listening socket on 127.0.0.1, with a thread for each connection.
///
/// The port is of the system's choice. ``stop()`` must be called before the last reference goes.
final class LoopbackListener: Sendable {
  private struct State {
    var connectionCount = 0
    var sockets: [Int: CInt] = [:]
    var threads: [Int: ServerThread] = [:]
    var ended: [ServerThread] = []
    var isListening = true
    var isStopping = false
  }

  /// The port it listens on.
  let port: UInt16
  private let state = Mutex(State())
  private let socket: CInt
  private let serve: @Sendable (CInt, Int) -> Void

  /// Starts to listen; `serve` gets each connection with its number from 0, on a thread of its own,
  /// and does not close the socket.
  ///
  /// - Throws: `Errno` when there is no socket or thread to be had.
  init(serve: @escaping @Sendable (CInt, Int) -> Void) throws {
    self.serve = serve
    Descriptors.raiseLimit()
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw Errno(rawValue: errno) }
    var address = Socket.loopback(0)
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
    guard let thread = ServerThread.start({ [self] in acceptAll() }) else {
      Glibc.close(socket)
      throw Errno.resourceTemporarilyUnavailable
    }
    state.withLock { $0.threads[-1] = thread }
  }

  /// How many connections were made so far.
  var connectionCount: Int { state.withLock { $0.connectionCount } }

  /// Takes no more connections: they are refused; those that exist go on.
  func close() {
    state.withLock { state in
      // Wakes the thread in accept(); from here on connections are refused.
      if state.isListening { shutdown(socket, CInt(SHUT_RDWR)) }
      state.isListening = false
    }
  }

  /// Closes everything and waits for the threads; a second call does nothing.
  func stop() {
    close()
    let threads = state.withLock { state in
      state.isStopping = true
      for socket in state.sockets.values { shutdown(socket, CInt(SHUT_RDWR)) }
      defer { (state.threads, state.ended) = ([:], []) }
      return state.threads.values + state.ended
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
    // The memory of threads that have ended is given back here: there may be thousands.
    let ended = state.withLock { state in
      defer { state.ended = [] }
      return state.ended
    }
    for thread in ended { thread.join() }
    state.withLock { state in
      let number = state.connectionCount
      guard !state.isStopping else {
        Glibc.close(peer)
        return
      }
      state.connectionCount += 1
      state.sockets[number] = peer
      let thread = ServerThread.start { [self] in
        serve(peer, number)
        self.state.withLock { state in
          state.sockets[number] = nil
          if let thread = state.threads.removeValue(forKey: number) { state.ended.append(thread) }
          _ = Glibc.close(peer)
        }
      }
      if let thread { state.threads[number] = thread } else { Glibc.close(peer) }
    }
  }
}
