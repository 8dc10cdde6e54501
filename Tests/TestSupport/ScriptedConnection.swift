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
      guard send(reply.bytes) else { return }
      switch reply.ending {
      case .keepOpen:
        continue
      case .close:
        shutdown(socket, CInt(SHUT_WR))
        drain()
      case .reset:
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
      case .stall:
        drain()
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
      guard let more = read() else { return nil }
      buffer += more
    }
  }

  private func read() -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// Reads until the peer closes: with bytes unread, closing would break the connection off.
  private func drain() {
    while read() != nil {}
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest.removeFirst(count)
    }
    return true
  }
}
