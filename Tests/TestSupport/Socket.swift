import Glibc

/// What the tests' servers do with sockets.
enum Socket {
  /// Returns the address of a port of 127.0.0.1.
  static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }

  /// Reads the next bytes; `nil` when the peer has closed.
  static func receive(from socket: CInt) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// Sends bytes, all of them; answers whether the peer took them.
  static func send(_ bytes: [UInt8], to socket: CInt) -> Bool {
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

  /// Reads until the peer closes: with bytes unread, closing would break the connection off.
  static func drain(_ socket: CInt) {
    while receive(from: socket) != nil {}
  }

  /// Makes the closing of a socket break the connection off (RST).
  static func reset(_ socket: CInt) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }
}

/// A pause that a test chooses, for a server that is slow on purpose.
package enum ServerPause {
  /// Waits so many microseconds.
  package static func microseconds(_ count: UInt32) { usleep(count) }
}
