import Glibc
import Synchronization
import SystemPackage

/// A line of bytes between a client and a server that a test can cut, hold up, slow and double.
///
/// It listens on 127.0.0.1 and connects to another port there for each connection. What becomes of a
/// connection is a ``Course``, which the test gives by the connection's number. It knows nothing of
/// HTTP but where a request ends, and that only for courses that send one again or keep it back.
///
/// Each connection has one thread. The proxy ends with ``stop()`` or with its last reference.
package final class ByteProxy: Sendable {
  /// What becomes of one connection.
  package struct Course: Sendable {
    /// What happens when the bytes that may pass have passed.
    package enum Ending: Sendable {
      /// The client's connection is closed in order (FIN).
      case close
      /// The client's connection is broken off (RST).
      case reset
      /// Nothing more passes, and nobody is told.
      case stall
    }

    /// How many bytes pass to the server.
    package var requestBytes = Int.max
    /// How many bytes pass to the client; the first of them has come before the line is cut.
    package var replyBytes = Int.max
    /// What happens then.
    package var ending = Ending.close
    /// Whether the server gets the first request a second time, before the client sees the reply.
    package var doubles = false
    /// Whether the first request is kept back whole, for ``ByteProxy/deliverWithheld()``; the ending
    /// follows at once.
    package var withholds = false
    /// Called before each byte of the reply, which then pass one at a time.
    package var paces: (@Sendable () -> Void)?
    /// Called when the first byte of a reply has come, before it passes.
    package var beforeReply: (@Sendable () -> Void)?

    /// Makes a course on which everything passes.
    package init() {}

    /// Everything passes.
    package static let clear = Course()

    /// So many bytes pass to the server, and then the connection ends.
    package static func request(cutAfter count: Int, _ ending: Ending = .close) -> Course {
      var course = Course()
      (course.requestBytes, course.ending) = (count, ending)
      return course
    }

    /// The server gets all; so many bytes pass to the client, and then the connection ends.
    package static func reply(cutAfter count: Int, _ ending: Ending = .close) -> Course {
      var course = Course()
      (course.replyBytes, course.ending) = (count, ending)
      return course
    }
  }

  /// What has passed on a connection.
  package struct Passage: Sendable {
    /// The bytes that passed to the server.
    package var request: [UInt8] = []
    /// The bytes that passed to the client.
    package var reply: [UInt8] = []
  }

  /// The port it listens on.
  package let port: UInt16
  private let listener: LoopbackListener
  private let line: ProxyLine

  /// Stands before a port of 127.0.0.1; `course` is asked about each connection, counted from 0.
  ///
  /// - Throws: `Errno` when there is no socket or thread to be had.
  package init(before target: UInt16, course: @escaping @Sendable (Int) -> Course) throws {
    let line = ProxyLine(target: target)
    self.line = line
    listener = try LoopbackListener { socket, number in
      line.serve(socket, number, course(number))
    }
    port = listener.port
  }

  deinit { stop() }

  /// Its origin: `http://127.0.0.1:PORT`.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// What has passed on the connections so far, by their numbers.
  package var passages: [Passage] {
    line.passages.withLock { passages in
      passages.keys.sorted().compactMap { passages[$0] }
    }
  }

  /// Sends the server the requests that were kept back, each on a connection of its own, and waits
  /// until each is being answered.
  package func deliverWithheld() {
    let requests = line.withheld.withLock { withheld in
      defer { withheld = [] }
      return withheld
    }
    for request in requests { line.deliver(request) }
  }

  /// Closes everything and waits for the threads; a second call does nothing.
  package func stop() { listener.stop() }
}

/// The part of a ``ByteProxy`` that its connections share.
final class ProxyLine: Sendable {
  let passages = Mutex<[Int: ByteProxy.Passage]>([:])
  let withheld = Mutex<[[UInt8]]>([])
  private let target: UInt16

  init(target: UInt16) { self.target = target }

  func serve(_ client: CInt, _ number: Int, _ course: ByteProxy.Course) {
    passages.withLock { $0[number] = ByteProxy.Passage() }
    guard let server = connect() else { return Socket.reset(client) }
    var passing = ProxiedConnection(client: client, server: server, number: number, course: course)
    passing.run(self)
    close(server)
  }

  /// Connects to the server; `nil` where it takes no connection.
  private func connect() -> CInt? {
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    var address = Socket.loopback(target)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status == 0 { return socket }
    close(socket)
    return nil
  }

  /// Sends the server a request on a connection of its own, until it is being answered.
  func deliver(_ request: [UInt8]) {
    guard let server = connect() else { return }
    defer { close(server) }
    if Socket.send(request, to: server) { _ = Socket.receive(from: server) }
  }
}
