/// How much a pull takes from a server before it is called endless.
enum PullLimits {
  /// Pages in one pull.
  static let pages = 1_000_000
  /// Requests in a row that may bring nothing new and move nothing.
  static let barrenRequests = 2
  /// Pages in a row that may be empty although more is said to follow.
  static let emptyPages = 10
  /// Bytes of one row's text: 1 MiB.
  static let rowBytes = 1 << 20
}
