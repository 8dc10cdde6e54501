import Glibc
import Synchronization

/// One connection of a ``ByteProxy``: two sockets, and what passes between them.
///
/// One thread looks after both directions, so that a socket can be closed while nobody reads it:
/// only then does the peer learn of it.
struct ProxiedConnection {
  let client: CInt
  let server: CInt
  let number: Int
  let course: ByteProxy.Course
  private var request: [UInt8] = []
  private var replyCount = 0
  private var hasDoubled = false

  init(client: CInt, server: CInt, number: Int, course: ByteProxy.Course) {
    (self.client, self.server, self.number, self.course) = (client, server, number, course)
  }

  /// Passes bytes on until one side has had enough, or the course is over.
  mutating func run(_ line: ProxyLine) {
    if course.requestBytes == 0 { return end() }
    while true {
      var ready = [
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ready, 2, -1) > 0 || errno == EINTR else { return }
      // A reply that has come passes before the client's next bytes: the order that a test can tell.
      if ready[0].revents != 0 {
        guard let bytes = Socket.receive(from: server) else { return finish(closing: client) }
        guard pass(reply: bytes, line) else { return }
      } else if ready[1].revents != 0 {
        guard let bytes = Socket.receive(from: client) else { return }
        guard pass(request: bytes, line) else { return }
      }
    }
  }

  /// Passes bytes to the server; answers whether to go on.
  private mutating func pass(request bytes: [UInt8], _ line: ProxyLine) -> Bool {
    let room = course.requestBytes - request.count
    let passing = Array(bytes.prefix(room))
    request += passing
    if course.withholds {
      guard let whole = ReceivedRequest.first(in: request, connection: number) else { return true }
      line.withheld.withLock { $0.append(whole.raw) }
      end()
      return false
    }
    line.passages.withLock { $0[number]?.request += passing }
    guard Socket.send(passing, to: server) else { return false }
    guard request.count < course.requestBytes else {
      shutdown(server, CInt(SHUT_WR))
      end()
      return false
    }
    return true
  }

  /// Passes bytes to the client; answers whether to go on.
  private mutating func pass(reply bytes: [UInt8], _ line: ProxyLine) -> Bool {
    if replyCount == 0 {
      if course.doubles, !hasDoubled,
        let whole = ReceivedRequest.first(in: request, connection: number)
      {
        hasDoubled = true
        line.deliver(whole.raw)
      }
      course.beforeReply?()
    }
    let passing = Array(bytes.prefix(course.replyBytes - replyCount))
    replyCount += passing.count
    line.passages.withLock { $0[number]?.reply += passing }
    guard send(passing) else { return false }
    guard replyCount < course.replyBytes else {
      end()
      return false
    }
    return true
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    guard let paces = course.paces else { return Socket.send(bytes, to: client) }
    for byte in bytes {
      paces()
      guard Socket.send([byte], to: client) else { return false }
    }
    return true
  }

  /// Ends the client's connection as the course says.
  private func end() {
    switch course.ending {
    case .close: finish(closing: client)
    case .reset: Socket.reset(client)
    case .stall: Socket.drain(client)
    }
  }

  /// Closes one direction, and waits until the peer has closed the other.
  private func finish(closing socket: CInt) {
    shutdown(socket, CInt(SHUT_WR))
    Socket.drain(socket)
  }
}
