package import SyncModel

/// The scheme, host and port of a server, to which credentials belong (RFC 6454 §4).
package struct Origin: Hashable, Sendable {
  /// The protocol of an origin.
  package enum Scheme: String, Sendable {
    /// HTTP without encryption; for this machine only.
    case http
    /// HTTP over TLS.
    case https

    /// The port that is meant where none is written.
    var port: Int { self == .http ? 80 : 443 }
  }

  /// The scheme.
  package let scheme: Scheme
  /// The host: a name or an address in lower case, an IPv6 address in brackets.
  package let host: Text
  /// The port, 1 to 65535.
  package let port: Int
}

extension Origin: CustomStringConvertible {
  /// The origin as text, the port only where it isn't the scheme's own.
  package var description: String {
    "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
  }
}
