import Remote

/// The wait for a server's answers: it shows progress, and ends after a signal.
///
/// It is a class because sender and waiter share one clock.
final class WaitIndicator {
  /// Milliseconds without news until a person sees a progress line.
  private static let silence = 500
  /// Milliseconds for answers after a signal; the rest of two seconds is for the report.
  private static let grace = 1_000

  private let context: Context
  private let address: ServerAddress
  private var lastNews = Dependencies.monotonicMilliseconds()
  private var end: Int?

  init(_ context: Context, _ address: ServerAddress) {
    self.context = context
    self.address = address
  }

  /// Notes that a request was sent or an answer came.
  func hasActivity() { lastNews = Dependencies.monotonicMilliseconds() }

  /// Shows progress; returns whether to go on waiting.
  func goesOn() -> Bool {
    let now = Dependencies.monotonicMilliseconds()
    if now - lastNews > Self.silence {
      context.output.progress("waiting for \(address)")
    }
    guard context.invocation.signal() != nil else { return true }
    let end = end ?? now + Self.grace
    self.end = end
    return now < end
  }
}
