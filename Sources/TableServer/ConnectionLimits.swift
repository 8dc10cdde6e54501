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
final class ConnectionLimits: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let count: ConnectionCount
  private var address: String?
  private var deadline: Scheduled<Void>?
  private var bodyBytes = 0

  init(_ count: ConnectionCount) {
    self.count = count
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
      bodyBytes = 0
      closeAfter(ServedLimits.bodySeconds, context)
      inviteBody(of: head, context)
    case .body(let part):
      bodyBytes += part.readableBytes
      // The answer 413 has been sent long before; this ends what still comes.
      if bodyBytes > 2 * ServedLimits.item { context.close(promise: nil) }
    case .end:
      deadline?.cancel()
      deadline = nil
    }
    context.fireChannelRead(data)
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
      closeAfter(ServedLimits.firstHeaderSeconds, context)
    } else {
      context.close(promise: nil)
    }
  }

  private func end() {
    deadline?.cancel()
    deadline = nil
    if let address { count.leave(address) }
    address = nil
  }

  private func closeAfter(_ seconds: Int64, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: .seconds(seconds)) {
      channel.close(promise: nil)
    }
  }
}
