import ArgumentParser
import Glibc

/// An address and a port to listen on, as `--listen` takes them.
struct ListenAddress: ExpressibleByArgument, Hashable {
  /// The address in numbers, IPv4 or IPv6.
  let host: String
  /// The port; 0 for any that is free.
  let port: Int

  /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; `nil` for everything else.
  ///
  /// Other names aren't taken: what they stand for can change.
  init?(argument: String) {
    let bytes = argument.utf8
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = bytes[colon...].dropFirst()
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(Substring(digits)), port <= 65_535
    else { return nil }
    var host = String(Substring(bytes[..<colon]))
    if bytes.first == UInt8(ascii: "["), bytes[..<colon].last == UInt8(ascii: "]") {
      host = String(Substring(bytes[..<colon].dropFirst().dropLast()))
      guard Self.isNumeric(host, AF_INET6) else { return nil }
    } else if host.utf8.elementsEqual("localhost".utf8) {
      host = "127.0.0.1"
    } else {
      guard Self.isNumeric(host, AF_INET) else { return nil }
    }
    self.host = host
    self.port = port
  }

  /// Whether only this machine can reach the address.
  var isLoopback: Bool {
    host.utf8.starts(with: "127.".utf8) || host.utf8.elementsEqual("::1".utf8)
  }

  /// The URL of the server when it listens on a port of this address.
  func url(port: Int) -> String {
    let isSix = host.utf8.contains(UInt8(ascii: ":"))
    return "http://\(isSix ? "[\(host)]" : host):\(port)"
  }

  private static func isNumeric(_ host: String, _ family: Int32) -> Bool {
    var address = in6_addr()
    return withUnsafeMutablePointer(to: &address) { inet_pton(family, host, $0) } == 1
  }
}
