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
  init<T>(
    _ answer: HTTPAnswer, to target: String, from exchange: Exchange<T>, takesFailure: Bool
  ) {
    // Reading the words of a page would cost more than the page.
    var refusal: Refusal { Refusal(answer, exchange.authorization) }
    if let objection = exchange.facts?.objection(to: answer, from: exchange.address) {
      self = .stop(objection)
      return
    }
    switch AnswerMeaning(answer) {
    case .done, .forbidden, .closed, .absent, .unrouted, .conflict, .refused, .passing:
      self = .take(answer)
    case .failed where takesFailure: self = .take(answer)
    case .moved: self = .stop(.moved(answer, from: exchange.address, target))
    case .unauthorized: self = .renew(.unauthorized(refusal))
    case .network: self = .stop(.network(answer.status, refusal.words))
    case .misdirected: self = .stop(.failed(answer.status, refusal.words))
    case .busy:
      let seconds = answer.retryAfter
      self = .wait(seconds: seconds, .busy(status: answer.status, seconds: seconds))
    case .failed, .uncertain:
      self = .wait(seconds: nil, .failed(answer.status, refusal.words))
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
    case .tooLarge: self = .notSpeaking(error.message)
    case .malformed, .wrongScheme: self = .elsewhere(error.message)
    case .nameNotResolved, .cannotConnect, .insecure, .plainHTTP, .cut, .timedOut, .unavailable,
      .interrupted:
      self = .unreachable(error.message)
    }
  }

  /// The end that a redirection makes: it is never followed, since the token would go along.
  ///
  /// Only 301 and 308 are moves; the address of one is a server's if it ends with the same path.
  static func moved(_ answer: HTTPAnswer, from address: ServerAddress, _ target: String) -> Stop {
    guard let location = answer.header("Location"), !location.utf8.isEmpty else {
      return .elsewhere("\(address) answered \(answer.status) without a new address")
    }
    // A query may have secrets, and a name a password.
    let place = Substring(
      location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    let shown = String(place).replacing(#/\/\/[^\/]*@/#, with: "//").cut(to: 200)
    guard [301, 308].contains(answer.status) else {
      return .elsewhere(
        "\(address) sends to \(shown) (\(answer.status)), a login page or a temporary address;"
          + " tsync does not follow")
    }
    let path = "/\(target)".utf8.prefix { $0 != UInt8(ascii: "?") }
    guard let new = try? ServerAddress(Text(location)), new.path == address.path,
      place.utf8.suffix(path.count).elementsEqual(path)
    else { return .elsewhere("the server moved to \(shown)") }
    return .elsewhere("the server moved to \(new)", .moved(to: "\(new)"))
  }

  /// The end that an HTML page in place of rows makes, such as the login page of a network.
  static func page(_ answer: HTTPAnswer, at address: ServerAddress) -> Stop {
    let status = answer.status == 200 ? "" : " \(answer.status)"
    let title = answer.title.map { " (\"\($0)\")" } ?? ""
    return .elsewhere(
      "\(address) answered\(status) with an HTML page\(title), not with rows", .page)
  }

  /// The end that something between here and the server makes.
  static func network(_ status: Int, _ words: Text) -> Stop {
    .unreachable("the network requires a login first (\(status) \(words))")
  }

  /// The end that a failing server makes.
  static func failed(_ status: Int, _ words: Text) -> Stop {
    .unreachable("the server answered \(status) \(words)")
  }
}
