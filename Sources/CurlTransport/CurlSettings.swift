/// What all requests of a transport have in common.
struct CurlSettings {
  /// The value of `User-Agent`.
  var userAgent: String
  /// The file of certificates that are trusted.
  var certificateFile: String?
  /// The directory of certificates that are trusted; the system's are where neither is given.
  var certificateDirectory: String?
  /// The hosts, separated by commas, that are reached without a proxy; `*` stands for all.
  var noProxy: String
  var limits: TransportLimits

  /// Makes the settings; hosts on this machine are always reached without a proxy.
  init(
    userAgent: String, certificateFile: String?, certificateDirectory: String? = nil,
    noProxy: String?, limits: TransportLimits
  ) {
    self.userAgent = userAgent
    self.certificateFile = certificateFile
    self.certificateDirectory = certificateDirectory
    self.limits = limits
    let loopback = "localhost,127.0.0.1,::1"
    switch noProxy {
    case "*": self.noProxy = "*"  // libcurl takes a star for all only when it stands alone
    case let others? where !others.isEmpty: self.noProxy = "\(loopback),\(others)"
    default: self.noProxy = loopback
    }
  }
}
