import Glibc

/// The descriptors that this process may have.
package enum Descriptors {
  /// How many it may have, after as many were asked for as the system lets it have.
  ///
  /// Hundreds of tests run at once, most of them with a server; the usual 1,024 are not enough.
  package static let limit: Int = {
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(kind, &limit)
    getrlimit(kind, &limit)
    return Int(clamping: limit.rlim_cur)
  }()
}
