import SyncEngine
import SyncModel

/// What an answer to a reading request calls for.
enum ReadingStep {
  /// It is an answer to what was asked.
  case take(HTTPAnswer)
  /// The server wants to know who asks; where nobody else can be named, the stop holds.
  case renew(Stop)
  /// It may go better later, after so many seconds where the server says; else the stop holds.
  case wait(seconds: Int?, Stop)
  /// There is no going on.
  case stop(Stop)

  /// Decides for an answer; `takesFailure` says that 500 has come often enough to be one, too.
  init<T>(_ answer: HTTPAnswer, from exchange: Exchange<T>, takesFailure: Bool) {
    // Reading the words of a page would cost more than the page.
    var refusal: Refusal { Refusal(answer, exchange.authorization) }
    if let objection = exchange.facts?.objection(to: answer, from: exchange.address) {
      self = .stop(objection)
      return
    }
    switch answer.status {
    case 200..<300, 400, 402...406, 409...420, 422...424, 426...428, 430...499: self = .take(answer)
    case 500 where takesFailure: self = .take(answer)
    case 300..<400: self = .stop(.moved(answer))
    case 401: self = .renew(.unauthorized(refusal))
    case 407, 511: self = .stop(.network(refusal))
    case 421: self = .stop(.failed(refusal))
    case 429, 503:
      let seconds = answer.retryAfter
      self = .wait(seconds: seconds, .busy(status: answer.status, seconds: seconds))
    default: self = .wait(seconds: nil, .failed(refusal))
    }
  }

  /// Decides where no whole answer came: a broken connection is tried again, for it may be an old
  /// one that the server had given up.
  init(_ error: TransportError) {
    self = error.kind == .cut ? .wait(seconds: nil, Stop(error)) : .stop(Stop(error))
  }
}

extension Stop {
  /// The end that a failing transport makes.
  init(_ error: TransportError) {
    switch error.kind {
    case .tooLarge, .malformed: self = .notSpeaking(error.message)
    case .nameNotResolved, .cannotConnect, .insecure, .plainHTTP, .cut, .timedOut, .unavailable,
      .interrupted:
      self = .unreachable(error.message)
    }
  }

  /// The end that a redirection makes: it is never followed, since the token would go along
  /// (safety.md S8).
  static func moved(_ answer: HTTPAnswer) -> Stop {
    guard let place = answer.header("Location") else {
      return .notSpeaking("the server answered \(answer.status) without a new address")
    }
    guard let address = try? ServerAddress(Text(place)) else {
      return .notSpeaking(
        "the server moved to another address",
        ways: ["to follow it: \(typed: "remote", "set", "URL")"])
    }
    return .notSpeaking(
      "the server moved to \(address)",
      ways: ["to follow it: \(typed: "remote", "set", "\(address)")"])
  }

  /// The end that something between here and the server makes.
  static func network(_ refusal: Refusal) -> Stop {
    .unreachable("the network requires a login first (\(refusal.status) \(refusal.words))")
  }

  /// The end that a failing server makes.
  static func failed(_ refusal: Refusal) -> Stop {
    .unreachable("the server answered \(refusal.status) \(refusal.words)")
  }
}
