import Remote

/// The waiting for a server's answers: what a person is told meanwhile, and its end where a signal asks
/// for one.
///
/// It is a class because whoever sends and whoever waits look at the same clock.
final class Patience {
  /// How many milliseconds pass until a person is told what is awaited.
  private static let silence = 500
  /// How many milliseconds answers that are under way are still given after a signal.
  ///
  /// It leaves time to tell what is not known before the process ends by itself.
  private static let grace = 1_000

  private let context: Context
  private let address: ServerAddress
  private var lastNews = Surroundings.monotonicMilliseconds()
  private var end: Int?

  /// Waits for the answers of a server.
  init(_ context: Context, _ address: ServerAddress) {
    self.context = context
    self.address = address
  }

  /// Notes that something was sent, or came.
  func hasNews() { lastNews = Surroundings.monotonicMilliseconds() }

  /// Tells a person what is awaited; answers whether to wait on.
  func goesOn() -> Bool {
    let now = Surroundings.monotonicMilliseconds()
    if now - lastNews > Self.silence {
      context.output.progress("waiting for \(address)")
    }
    guard context.invocation.signal() != nil else { return true }
    let end = end ?? now + Self.grace
    self.end = end
    return now < end
  }
}
