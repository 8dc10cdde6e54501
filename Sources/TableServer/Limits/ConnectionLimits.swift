import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// How many connections there are from each address.
///
/// A class, because all connections share it.
package final class ConnectionCount: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// Counts nothing yet.
  package init() {}

  /// Adds a connection; answers whether the address may have it.
  func enter(_ address: String) -> Bool {
    counts.withLock { counts in
      let count = counts[address, default: 0] + 1
      counts[address] = count
      return count <= ServedLimits.connectionsPerAddress
    }
  }

  /// Takes a connection away.
  func leave(_ address: String) {
    counts.withLock { counts in
      let count = counts[address, default: 1] - 1
      counts[address] = count > 0 ? count : nil
    }
  }
}

/// Closes a connection that is one too many, too slow, or sends too much.
///
/// Hummingbird counts connections and idle time, but neither addresses nor what a body costs.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// About the bytes of an answer's head.
  private static let headSize = 256
  /// `TCP_NOTSENT_LOWAT` of tcp(7).
  private static let unsent: CInt = 25

  private let count: ConnectionCount
  private let times: ConnectionTimes
  private var address: String?
  /// Closes the connection, or looks whether it is to be closed.
  private var arrival: Scheduled<Void>?
  private var body: Body?
  /// The requests that aren't answered, and whether the last one waits to be asked for its body.
  private var unanswered = 0
  private var isUninvited = false
  /// Looks whether the answers are taken; the bytes that were written since it last did.
  private var writing: Scheduled<Void>?
  private var written = 0
  /// When the last answer has been taken.
  private var lastAnswer: EventLoopFuture<Void>?

  /// The body that is coming.
  private struct Body {
    let start: NIODeadline
    var bytes = 0
  }

  init(_ count: ConnectionCount, _ times: ConnectionTimes) {
    self.count = count
    self.times = times
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      body = Body(start: .now())
      watchBody(context)
      isUninvited = Self.waits(head)
      if unanswered == 0 { inviteBody(context) }
      unanswered += 1
    case .body(let part):
      body?.bytes += part.readableBytes
      // The answer 413 has been sent long before; this ends what still comes.
      if let body, body.bytes > 2 * ServedLimits.item { context.close(promise: nil) }
    case .end:
      arrival?.cancel()
      arrival = nil
      body = nil
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head:
      written += Self.headSize
      context.write(data, promise: promise)
    case .body(let part):
      written += part.readableBytes
      context.write(data, promise: promise)
    case .end:
      let end = promise ?? context.eventLoop.makePromise()
      lastAnswer = end.futureResult
      context.write(data, promise: end)
      unanswered -= 1
      if unanswered == 1 { inviteBody(context) }
    }
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    if writing == nil { watchWriting(context) }
  }

  /// Closes the connection once the answers have been taken: a close drops what waits to be sent.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // The input is closed where the time for ending is up.
    guard let lastAnswer, mode != .input else {
      return context.close(mode: mode == .input ? .all : mode, promise: promise)
    }
    context.flush()
    lastAnswer.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: promise) }
  }

  /// Whether a client waits to be asked for a body that the server takes.
  private static func waits(_ head: HTTPRequest) -> Bool {
    guard head.headerFields[.expect] == "100-continue",
      let length = head.headerFields[.contentLength].flatMap({ Int($0) })
    else { return false }
    return length <= ServedLimits.item
  }

  /// Asks a client that waits for it to send its body (RFC 9110 §10.1.1), once the requests before are
  /// answered; Hummingbird doesn't.
  private func inviteBody(_ context: ChannelHandlerContext) {
    guard isUninvited else { return }
    isUninvited = false
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard address == nil else { return }
    let address = context.channel.remoteAddress?.ipAddress ?? "-"
    self.address = address
    // What the system holds unsent isn't seen here, so it must be little.
    let unsent = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: Self.unsent))
    try? context.channel.syncOptions?.setOption(unsent, value: 65_536)
    if count.enter(address) {
      arrival = schedule(in: times.firstHeader, context) { context.close(promise: nil) }
    } else {
      context.close(promise: nil)
    }
  }

  private func end() {
    arrival?.cancel()
    writing?.cancel()
    (arrival, writing, body) = (nil, nil, nil)
    if let address { count.leave(address) }
    address = nil
  }

  /// Closes the connection when a body comes too slowly: looks again when what has come so far
  /// doesn't last any longer.
  private func watchBody(_ context: ChannelHandlerContext) {
    arrival?.cancel()
    guard let body else { return }
    let seconds = Double(body.bytes) / Double(times.bodyBytesPerSecond)
    let earned = TimeAmount.nanoseconds(Int64(seconds * 1_000_000_000))
    let left = body.start + min(times.bodyGrace + earned, times.body) - .now()
    guard left > .zero else { return context.close(promise: nil) }
    arrival = schedule(in: left, context) { self.watchBody(context) }
  }

  /// Closes the connection when the answers are taken too slowly: of what waits now, less than the
  /// floor in the time of ``ConnectionTimes/answer``.
  private func watchWriting(_ context: ChannelHandlerContext) {
    let waiting = Self.waiting(context)
    writing = nil
    guard waiting > 0 else { return }
    written = 0
    writing = schedule(in: times.answer, context) {
      let taken = waiting + self.written - Self.waiting(context)
      let milliseconds = Int(self.times.answer.nanoseconds / 1_000_000)
      let floor = milliseconds * self.times.answerBytesPerSecond / 1_000
      guard taken >= min(floor, waiting) else { return context.close(promise: nil) }
      self.watchWriting(context)
    }
  }

  /// Returns how many bytes the client has not made room for.
  private static func waiting(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
  }

  private func schedule(
    in time: TimeAmount, _ context: ChannelHandlerContext, _ body: @escaping () -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: time, body)
  }
}
