import Glibc

/// The descriptors that this process may have.
package enum Descriptors {
  /// Asks for as many as the system lets it have, and returns how many that are; the first call
  /// does it.
  ///
  /// Hundreds of tests run at once, most of them with a server; the usual 1,024 are not enough.
  @discardableResult
  package static func raiseLimit() -> Int { raised }

  private static let raised: Int = {
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(kind, &limit)
    getrlimit(kind, &limit)
    return Int(clamping: limit.rlim_cur)
  }()
}
