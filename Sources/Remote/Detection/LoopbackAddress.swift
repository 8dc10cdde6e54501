import Glibc

/// The addresses that never leave this machine.
package enum LoopbackAddress {
  /// Tells whether an address in numbers is in 127.0.0.0/8, is ::1, or maps such an IPv4 address.
  package static func contains(_ address: String) -> Bool {
    var four = in_addr()
    if inet_pton(AF_INET, address, &four) == 1 {
      return withUnsafeBytes(of: four) { $0.first == 127 }
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, address, &six) == 1 else { return false }
    return withUnsafeBytes(of: six) { bytes in
      let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
      let isMapped =
        bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      return isLoopback || isMapped && bytes[12] == 127
    }
  }

  /// Tells whether a text is an address in numbers: IPv4 with four parts, or IPv6.
  static func isNumeric(_ text: String) -> Bool {
    var room = in6_addr()
    return inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
  }
}
