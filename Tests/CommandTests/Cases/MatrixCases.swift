import Remote
import SyncEngine
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Commands

/// 15 statuses × 8 bodies × 5 verbs over real sockets (safety.md S19): whatever the first answer was,
/// with a good server afterwards there is one row, with the right content, and no conflict.
///
/// Each write is answered so twice: once it was done, once it was not; but no server is good that says
/// a plain yes to what it hasn't done, or a plain no to what it has (safety.md S21).
@Suite struct MatrixCases {
  private static let statuses = [
    200, 201, 204, 302, 400, 401, 403, 404, 405, 409, 412, 429, 500, 502, 503,
  ]
  private static let bodies = [
    "row", "other", "no version", "error", "cut", "empty", "page", "as text",
  ]
  private static let verbs: [Deed] = [.insert, .update, .delete, .undelete, .merge]

  @Test("S19, N9: after any answer a good server makes everything good", arguments: verbs)
  func settles(deed: Deed) throws {
    var matrix = try Matrix(deed)
    var (cells, count) = (0, 0)
    for status in Self.statuses {
      for body in Self.bodies {
        let before = count
        for isDone in deed == .merge ? [false] : [false, true] {
          // A row that is read is always one that the server has.
          let isPossible =
            isDone ? !Matrix.isNo(status) : deed == .merge || !Matrix.isYes(status, body, deed)
          // Nor does a good server say another row's id than that of the row it has made.
          guard isPossible, !(deed == .insert && status / 100 == 2 && body == "other") else {
            continue
          }
          try matrix.settle(status, body, isDone: isDone)
          count += 1
        }
        if count > before { cells += 1 }
      }
    }
    // 15 statuses with 8 bodies each, for 5 verbs: 600; those that are neither a plain yes nor a plain
    // no are tried both ways.
    #expect(cells == (deed == .insert ? 117 : 120))
    #expect(
      count == [.insert: 203, .update: 215, .delete: 205, .undelete: 214, .merge: 120][deed])
    print("S19, \(deed == .merge ? "read" : deed.rawValue): \(count) answers, all made good")
  }
}

/// One verb's cells.
private struct Matrix {
  private let deed: Deed
  private let server: RunningServer
  private let proxy: Proxy
  private let next = NextAnswer()
  private var life: EngineLife

  init(_ deed: Deed) throws {
    self.deed = deed
    let server = try RunningServer()
    let next = next
    let url = server.url
    proxy = try Proxy(before: url) { request in next.take(request)?(request) ?? .forward }
    self.server = server
    life = try EngineLife(server, proxy.url, .datasync, deed)
  }

  /// Whether an answer is a yes that a client has to believe.
  static func isYes(_ status: Int, _ body: String, _ deed: Deed) -> Bool {
    switch (deed, status) {
    case (.delete, 204): true
    case (.merge, 200): ["row", "no version"].contains(body)
    case (.delete, 200): ["row", "no version", "empty"].contains(body)
    case (.insert, 200): ["row", "no version"].contains(body)
    case (.insert, 201): ["row", "no version", "error", "empty", "as text"].contains(body)
    case (.undelete, 200), (.undelete, 201), (.update, 200): body == "row"
    default: false
    }
  }

  /// Whether an answer to a write is a no that a client has to believe.
  static func isNo(_ status: Int) -> Bool { [400, 403, 405].contains(status) }

  /// Lets the first request be answered so, and then everything be made good.
  mutating func settle(_ status: Int, _ body: String, isDone: Bool) throws {
    try life.begin()
    let place = "\(status) \(body)\(isDone ? ", done" : "")"
    let (url, reply) = (server.url, reply(status, body))
    let isRead = deed == .merge && Self.isYes(status, body, deed)
    // Of a merge it is the reading that is answered so, after the write was refused.
    next.set(deed == .merge ? "GET" : nil) { request in
      if isRead { return body == "row" ? .forward : Self.unversioned(request, url) }
      if isDone { _ = try? Wire.forward(request, to: url) }
      return .answer(reply)
    }
    _ = try life.attempt()
    next.clear()
    if try life.performDespiteRefusals() != nil { Issue.record("\(deed), \(place)") }
    try life.check(place)
  }

  /// The server's own row, without its version.
  private static func unversioned(_ request: ReceivedRequest, _ url: String) -> Proxy.Treatment {
    guard let answer = try? Wire.forward(request, to: url),
      let row = try? JSON(parsing: answer.body).object
    else { return .forward }
    let members = row.members.filter { $0.name != "version" }
    let text = JSON.object(JSONObject(members)).encoded()
    return .answer(.json(String(decoding: text, as: UTF8.self)))
  }

  private func reply(_ status: Int, _ body: String) -> ScriptedReply {
    let row = #"{"id": "\#(life.id)", "text": "\#(life.text)", "version": "v2"}"#
    let json = "application/json"
    let (type, text) =
      switch body {
      case "row": (json, row)
      case "other": (json, row.replacing(life.id, with: "other"))
      case "no version": (json, #"{"id": "\#(life.id)", "text": "\#(life.text)"}"#)
      case "error": (json, #"{"error": "no"}"#)
      case "cut": (json, String(row.dropLast(5)))
      case "page": ("text/html; charset=utf-8", "<!DOCTYPE html><title>Sorry</title>")
      case "as text": ("text/plain", row)
      default: ("", "")
      }
    let fields = type == "" ? [] : [("Content-Type", type)]
    return .answer(status, fields, body: status == 204 ? [] : Array(text.utf8))
  }
}

/// What becomes of the next request of a kind.
private final class NextAnswer: Sendable {
  typealias Treat = @Sendable (ReceivedRequest) -> Proxy.Treatment

  private struct Answer {
    /// The method that it is meant for; any that writes where there is none.
    var method: String?
    var treat: Treat
  }

  private let answer = Mutex<Answer?>(nil)

  func set(_ method: String?, _ treat: @escaping Treat) {
    answer.withLock { $0 = Answer(method: method, treat: treat) }
  }

  func clear() { answer.withLock { $0 = nil } }

  /// Takes the answer where it is meant for a request.
  func take(_ request: ReceivedRequest) -> Treat? {
    answer.withLock { answer in
      guard let taken = answer, taken.method ?? request.method == request.method,
        taken.method != nil || request.method != "GET"
      else { return nil }
      answer = nil
      return taken.treat
    }
  }
}
