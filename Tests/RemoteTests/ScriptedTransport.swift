import Remote

/// A transport whose answers a closure gives, in the order in which requests were made.
struct ScriptedTransport: Transport {
  /// What went through a transport and all its copies.
  final class Log {
    var requests: [HTTPRequest] = []
    var mostAtOnce = 0

    var targets: [String] { requests.map { String($0.url.dropFirst("https://x.test/".count)) } }
  }

  let log = Log()
  /// Whether the last request is answered first.
  var answersLastFirst = false
  var answer: (HTTPRequest) -> Result<HTTPAnswer, TransportError>

  init(_ answer: @escaping (HTTPRequest) -> Result<HTTPAnswer, TransportError>) {
    self.answer = answer
  }

  /// Answers one after another, the last for ever.
  init(_ answers: HTTPAnswer...) {
    var rest = answers[...]
    self.init { _ in
      .success(rest.count > 1 ? rest.removeFirst() : rest.first ?? HTTPAnswer(status: 500))
    }
  }

  mutating func run(
    width: Int, next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    var flying: [HTTPRequest] = []
    while true {
      while flying.count < width, let request = try next() {
        log.requests.append(request)
        flying.append(request)
        log.mostAtOnce = max(log.mostAtOnce, flying.count)
      }
      if flying.isEmpty { return }
      try meanwhile()
      let request = answersLastFirst ? flying.removeLast() : flying.removeFirst()
      try done(request, answer(request))
    }
  }
}

extension HTTPAnswer {
  static func json(_ status: Int, _ text: String, _ fields: [HTTPField] = []) -> HTTPAnswer {
    HTTPAnswer(
      status: status,
      headers: [HTTPField("Content-Type", "application/json; charset=utf-8")] + fields,
      body: Array(text.utf8))
  }

  static func plain(_ status: Int, _ text: String, _ fields: [HTTPField] = []) -> HTTPAnswer {
    HTTPAnswer(
      status: status, headers: [HTTPField("Content-Type", "text/plain")] + fields,
      body: Array(text.utf8))
  }

  static func page(_ status: Int) -> HTTPAnswer {
    HTTPAnswer(
      status: status, headers: [HTTPField("Content-Type", "text/html; charset=utf-8")],
      body: Array("<!DOCTYPE html><title>Sorry</title>".utf8))
  }

  static func empty(_ status: Int, _ fields: [HTTPField] = []) -> HTTPAnswer {
    HTTPAnswer(status: status, headers: [HTTPField("Content-Length", "0")] + fields)
  }
}
