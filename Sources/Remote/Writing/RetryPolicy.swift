import SyncModel

/// How often and after which pause a request is sent again.
struct RetryPolicy {
  /// How often a request is sent at most.
  var attempts = 5
  /// The longest first pause in milliseconds; it doubles with each attempt.
  var base = 500
  /// The longest pause that isn't the server's wish, in milliseconds.
  var ceiling = 30_000
  /// The longest time that a request waits in all, in milliseconds.
  var total = 300_000
  /// The longest wish of a server that is granted, in seconds.
  var longestWish = 120

  /// Returns the pause before the next attempt in milliseconds; `nil` gives up.
  ///
  /// So many attempts were made and waited so many milliseconds; the wish is the server's, in
  /// seconds. Without one the pause is drawn between nothing and the longest (full jitter), so that
  /// many clients don't come back at once.
  func pause(after made: Int, waited: Int, wish: Int?, random: (Int) -> Int) -> Int? {
    guard made < attempts else { return nil }
    if let wish, wish > longestWish { return nil }
    let longest = min(ceiling, base << min(made - 1, 16))
    let pause = wish.map { $0 * 1_000 } ?? random(longest)
    return waited + pause <= total ? pause : nil
  }
}

extension HTTPAnswer {
  /// The seconds that the server asks to wait (RFC 9110 §10.2.3), from now on; `nil` where it asks
  /// for nothing that makes sense: garbage, a negative number, a time that is past.
  var retryAfter: Int? {
    guard let field = header("Retry-After") else { return nil }
    let bytes = Array(field.utf8).trimmed
    if !bytes.isEmpty, bytes.allSatisfy(\.isDigit) { return bytes.decimal ?? .max }
    guard let wished = HTTPDate(.init(field))?.seconds, let date, wished > date else { return nil }
    return Int(wished - date)
  }
}
