import Remote
import SyncModel
import TestSupport

/// The line between a device and the server while one command runs.
final class Line {
  /// What goes wrong.
  enum Fault: CaseIterable {
    /// No connection is made.
    case refused
    /// The request is lost on its way.
    case requestLost
    /// The server has done what was asked for, and its answer is lost.
    case answerLost
    /// The server is too busy to answer.
    case busy
    /// The device dies before the request leaves.
    case killedBefore
    /// The device dies before the answer comes.
    case killedAfter
  }

  /// When something goes wrong.
  struct Plan {
    /// What goes wrong.
    var fault: Fault
    /// At which request, counted from 0.
    var request: Int
    /// Whether it goes wrong from there on, each time.
    var lasts: Bool
  }

  /// A device's death; nothing after it has happened.
  struct Death: Error {}

  /// What goes wrong; `nil` for nothing.
  let plan: Plan?
  /// The device's files at the moment of its death.
  private(set) var filesAtDeath: Tree?
  /// Whether anything went wrong.
  private(set) var isDisturbed = false
  /// How many requests there were that weren't replayed.
  private(set) var requests = 0

  private let server: Server
  private let files: () -> Tree
  private var random: SplitMix64
  private var recorded: [HTTPRequest: [Result<HTTPAnswer, TransportError>]] = [:]
  private var isReplaying = false

  /// Makes a line; `files` reads the device's files.
  init(to server: Server, _ plan: Plan?, seed: UInt64, files: @escaping () -> Tree) {
    self.server = server
    self.plan = plan
    self.files = files
    random = SplitMix64(seed: seed)
  }

  /// Answers from now on as it has answered until now, and asks the server nothing.
  func replay() { isReplaying = true }

  /// Makes the transport of a command.
  func transport(_ inner: any Transport) -> any Transport {
    LineTransport(line: self, inner: inner)
  }

  /// Whether requests may go several at once through libcurl, as no one is to be disturbed.
  fileprivate var isPlain: Bool { server.kind == .socket && plan == nil && !isReplaying }

  fileprivate func note(_ request: HTTPRequest, _ result: Result<HTTPAnswer, TransportError>) {
    requests += 1
    recorded[request.untagged, default: []].append(result)
  }

  /// Chooses which of several requests is answered first.
  fileprivate func first(of count: Int) -> Int { count == 1 ? 0 : random.below(count) }

  /// Answers one request, the others being under way.
  fileprivate func answer(
    _ request: HTTPRequest, beside others: [HTTPRequest], _ inner: inout any Transport
  ) throws -> Result<HTTPAnswer, TransportError> {
    if isReplaying {
      guard var results = recorded[request.untagged], !results.isEmpty else {
        return .failure(TransportError(.cannotConnect, "it was never asked", nothingSent: true))
      }
      defer { recorded[request.untagged] = results }
      return results.removeFirst()
    }
    let number = requests
    var result: Result<HTTPAnswer, TransportError>
    guard let plan, plan.lasts ? number >= plan.request : number == plan.request else {
      result = try send(request, &inner)
      note(request, result)
      return result
    }
    isDisturbed = true
    switch plan.fault {
    case .refused:
      result = .failure(TransportError(.cannotConnect, "connection refused", nothingSent: true))
    case .requestLost:
      result = .failure(TransportError(.cut, "the connection broke", nothingSent: false))
    case .answerLost:
      _ = try send(request, &inner)
      result = .failure(TransportError(.timedOut, "no answer came", nothingSent: false))
    case .busy: result = .success(HTTPAnswer(status: 503))
    case .killedBefore, .killedAfter:
      for other in others where random.once(in: 2) { _ = try send(other, &inner) }
      if plan.fault == .killedAfter { _ = try send(request, &inner) }
      filesAtDeath = files()
      throw Death()
    }
    note(request, result)
    return result
  }

  private func send(
    _ request: HTTPRequest, _ inner: inout any Transport
  ) throws -> Result<HTTPAnswer, TransportError> {
    guard server.kind == .socket else {
      return .success(shortened(try server.answer(request), to: request))
    }
    var waiting: HTTPRequest? = request
    var result: Result<HTTPAnswer, TransportError>?
    try inner.run(
      width: 1,
      next: {
        defer { waiting = nil }
        return waiting
      }, done: { result = $1 }, meanwhile: {})
    return result ?? .failure(TransportError(.cut, "nothing came", nothingSent: false))
  }
}

extension Line {
  /// Ends a list early at times, with a link, as a server does whose page became too large.
  private func shortened(_ answer: HTTPAnswer, to request: HTTPRequest) -> HTTPAnswer {
    guard random.once(in: 3), request.method == "GET",
      var list = try? JSON(parsing: answer.body).object, let rows = list["items"]?.elements,
      rows.count > 1
    else { return answer }
    list["items"] = .array(Array(rows.prefix(1 + random.below(rows.count - 1))))
    list["nextLink"] = "http://127.0.0.1:1/next"
    var shorter = answer
    shorter.body = JSON.object(list).encoded()
    return shorter
  }
}

/// A command's transport over a line.
private struct LineTransport: Transport {
  let line: Line
  var inner: any Transport

  mutating func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    guard !line.isPlain else {
      let line = line
      return try inner.run(
        width: width, next: next,
        done: { request, result in
          line.note(request, result)
          try done(request, result)
        }, meanwhile: meanwhile)
    }
    var underWay: [HTTPRequest] = []
    while true {
      while underWay.count < width, let request = try next() { underWay.append(request) }
      try meanwhile()
      guard !underWay.isEmpty else { return }
      let request = underWay.remove(at: line.first(of: underWay.count))
      try done(request, try line.answer(request, beside: underWay, &inner))
    }
  }
}

extension HTTPRequest {
  /// The request without the caller's own number.
  fileprivate var untagged: HTTPRequest {
    var other = self
    other.tag = 0
    return other
  }
}
