import CCurl
import Remote

/// A window of transfers that go on at once, on the calling thread.
///
/// It is a class because it owns libcurl's multi handle, and with it the connections that are kept
/// alive from one run to the next.
final class CurlWindow {
  private let library: CurlLibrary
  private let settings: CurlSettings
  private let goesOn: () -> Bool
  private let multi: UnsafeMutableRawPointer
  private var active: [UnsafeMutableRawPointer: CurlEasy] = [:]
  private var idle: [CurlEasy] = []
  private var started: [CurlEasy] = []
  private var ended: [(request: HTTPRequest, result: Result<HTTPAnswer, TransportError>)] = []

  /// Opens a window; `goesOn` is asked some times a second while nothing comes.
  init(
    library: CurlLibrary, settings: CurlSettings, goesOn: @escaping () -> Bool
  ) throws(TransportError) {
    guard let multi = tsync_curl_multi(library.table) else { throw CurlEasy.outOfMemory }
    self.library = library
    self.settings = settings
    self.goesOn = goesOn
    self.multi = multi
    _ = tsync_curl_multi_set_long(
      library.table, multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
  }

  deinit {
    abandon()
    idle = []
    tsync_curl_multi_free(library.table, multi)
  }

  /// Does what ``Transport/run(width:next:done:meanwhile:)`` says.
  func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    defer { abandon() }
    var isNewRound = try fill(to: width, from: next)
    while !active.isEmpty || !ended.isEmpty {
      if isNewRound {
        sendStarted()
        try meanwhile()
        isNewRound = false
      }
      if ended.isEmpty { awaitAnswer() }
      while !ended.isEmpty {
        let first = ended.removeFirst()
        try done(first.request, first.result)
        if try fill(to: width, from: next) { isNewRound = true }
      }
    }
  }

  /// Starts requests until the window is full or there are none; answers whether there were any.
  private func fill(to width: Int, from next: () throws -> HTTPRequest?) throws -> Bool {
    var hasNew = false
    while active.count + ended.count < max(width, 1), let request = try next() {
      start(request)
      hasNew = true
    }
    return hasNew
  }

  private func start(_ request: HTTPRequest) {
    do throws(TransportError) {
      let easy: CurlEasy
      if let last = idle.last {
        easy = last
      } else {
        easy = try CurlEasy(library: library, settings: settings)
        idle.append(easy)
      }
      try easy.prepare(request)
      guard tsync_curl_add(library.table, multi, easy.handle) == CURLM_OK else {
        throw CurlEasy.outOfMemory
      }
      idle.removeLast()
      active[easy.handle] = easy
      started.append(easy)
    } catch {
      ended.append((request, .failure(error)))
    }
  }

  /// Performs until the started requests have left, as far as their sockets take them.
  ///
  /// It stops early when an answer is there: one connection that is slow to be made holds up neither
  /// the others' answers nor the caller's own work.
  private func sendStarted() {
    defer { started = [] }
    let before = ended.count
    while true {
      perform()
      let departures = started.map(\.departure)
      guard ended.count == before, departures.contains(where: { $0 != .complete }) else { return }
      let isConnecting = departures.contains(.connecting)
      let ready = poll(milliseconds: isConnecting ? Self.longestPoll : 0)
      guard isConnecting || ready > 0 else { return }
      if isConnecting { lookUp() }
    }
  }

  /// Waits until at least one transfer has ended.
  private func awaitAnswer() {
    perform()
    while ended.isEmpty {
      _ = poll(milliseconds: Self.longestPoll)
      perform()
      lookUp()
    }
  }

  /// Ends all transfers where nothing has come and nobody waits any longer.
  private func lookUp() {
    guard ended.isEmpty, !goesOn() else { return }
    endAll(.interrupted, "interrupted")
  }

  // libcurl returns earlier when one of its own timers is due.
  private static let longestPoll: Int32 = 250

  /// Lets libcurl read and write what it can, and takes the transfers that have ended.
  private func perform() {
    let code = tsync_curl_perform(library.table, multi)
    var handle: UnsafeMutableRawPointer?
    var result = CURLE_OK
    while tsync_curl_ended(library.table, multi, &handle, &result) {
      guard let easy = handle.flatMap({ active[$0] }) else { continue }
      end(easy, easy.result(result))
    }
    if code != CURLM_OK { endAll(.unavailable, "libcurl failed") }
  }

  private func poll(milliseconds: Int32) -> Int32 {
    var ready: Int32 = 0
    let code = tsync_curl_poll(library.table, multi, milliseconds, &ready)
    if code != CURLM_OK { endAll(.unavailable, "libcurl failed") }
    return ready
  }

  private func end(_ easy: CurlEasy, _ result: Result<HTTPAnswer, TransportError>) {
    ended.append((easy.request, result))
    release(easy)
  }

  /// Ends all transfers at once; what came of requests that have left is unknown.
  private func endAll(_ kind: TransportError.Kind, _ message: String) {
    for easy in active.values {
      end(
        easy,
        .failure(TransportError(kind, message, nothingSent: easy.departure == .connecting)))
    }
  }

  /// Drops the transfers under way; their connections are closed, idle ones are kept.
  private func abandon() {
    for easy in active.values { release(easy) }
    ended = []
    started = []
  }

  private func release(_ easy: CurlEasy) {
    _ = tsync_curl_remove(library.table, multi, easy.handle)
    active[easy.handle] = nil
    easy.clear()
    idle.append(easy)
  }
}
