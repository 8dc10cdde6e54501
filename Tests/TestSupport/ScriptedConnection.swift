import Glibc

/// One connection of a ``ScriptedServer``, served on one thread; it does not close its socket.
struct ScriptedConnection {
  let socket: CInt
  let number: Int

  /// Answers requests until either side has had enough.
  func serve(_ handler: (ReceivedRequest) -> ScriptedReply) {
    var buffer: [UInt8] = []
    while let request = receive(&buffer) {
      let reply = handler(request)
      guard Socket.send(reply.bytes, to: socket) else { return }
      switch reply.ending {
      case .keepOpen:
        continue
      case .close:
        shutdown(socket, CInt(SHUT_WR))
        Socket.drain(socket)
      case .reset:
        Socket.reset(socket)
      case .stall:
        Socket.drain(socket)
      case .drip:
        while Socket.send([0x20], to: socket) { usleep(50_000) }
      }
      return
    }
  }

  /// Returns the next request; `nil` when the peer closed before it was whole.
  private func receive(_ buffer: inout [UInt8]) -> ReceivedRequest? {
    while true {
      if let request = ReceivedRequest.first(in: buffer, connection: number) {
        buffer.removeFirst(request.raw.count)
        return request
      }
      guard let more = Socket.receive(from: socket) else { return nil }
      buffer += more
    }
  }
}
