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

  private let count: ConnectionCount
  private let times: ConnectionTimes
  private var address: String?
  /// Closes the connection, or looks whether it is to be closed.
  private var arrival: Scheduled<Void>?
  private var body: Body?
  private var writing: Scheduled<Void>?
  private var hasWritten = false

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
      inviteBody(of: head, context)
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
    hasWritten = true
    if writing == nil { watchWriting(context, since: 0) }
    context.write(data, promise: promise)
  }

  /// Tells a client that waits for it to send its body (RFC 9110 §10.1.1); Hummingbird doesn't.
  private func inviteBody(of head: HTTPRequest, _ context: ChannelHandlerContext) {
    guard head.headerFields[.expect] == "100-continue",
      let length = head.headerFields[.contentLength].flatMap({ Int($0) }),
      length <= ServedLimits.item
    else { return }
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard address == nil else { return }
    let address = context.channel.remoteAddress?.ipAddress ?? "-"
    self.address = address
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

  /// Closes the connection when nobody takes the answer: `buffered` bytes waited the last time.
  private func watchWriting(_ context: ChannelHandlerContext, since buffered: Int) {
    hasWritten = false
    // Half of the time, because the first look only sees how much there is.
    writing = schedule(in: .nanoseconds(times.writeStall.nanoseconds / 2), context) {
      self.writing = nil
      let options = context.channel.syncOptions
      let left = (try? options?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
      guard left > 0 else { return }
      // What was written meanwhile found room: something had been taken.
      guard self.hasWritten || buffered == 0 || left < buffered else {
        return context.close(promise: nil)
      }
      self.watchWriting(context, since: left)
    }
  }

  private func schedule(
    in time: TimeAmount, _ context: ChannelHandlerContext, _ body: @escaping () -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: time, body)
  }
}
