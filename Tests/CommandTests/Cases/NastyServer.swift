import SyncModel
import Synchronization
import TestSupport

/// A server whose rows and words are nasty.
final class NastyServer: Sendable {
  private struct State {
    /// The rows that the next list gives.
    var rows: [String] = []
    /// How often something was refused.
    var refusals = 0
  }

  /// The state, which the server's threads share with the test.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  /// The texts that it has.
  let texts: [String]
  private let shared: Shared
  private let server: ScriptedServer

  /// Its address.
  var url: String { server.url }

  /// Starts a server of some texts.
  init(_ texts: [String]) throws {
    self.texts = texts
    let shared = Shared()
    self.shared = shared
    server = try ScriptedServer { request in
      shared.state.withLock { state in
        guard request.method == "GET" else {
          let words = texts[state.refusals % texts.count]
          state.refusals += 1
          return .json("{\"error\": \(Self.quoted(words))}", status: 400)
        }
        // Who asks for one row only wants to know whether the server speaks the dialect.
        guard !request.target.hasSuffix("?$top=1") else { return .json(#"{"items": []}"#) }
        defer { state.rows = [] }
        return .json("{\"items\": [\(state.rows.joined(separator: ","))]}")
      }
    }
  }

  /// Lets the next pull bring rows: texts and names of fields that are nasty, and ids, too.
  func offer(version: Int, ids: Bool = false) {
    let rows = texts.enumerated().flatMap { number, text -> [String] in
      let plain = Self.row("t-\(number)", "\(text) \(version)", field: text, version)
      return ids ? [plain, Self.row("\(text)\(number)", "id", field: "a", version)] : [plain]
    }
    shared.state.withLock { $0.rows = rows }
  }

  private static func row(_ id: String, _ text: String, field: String, _ version: Int) -> String {
    "{\"id\": \(quoted(id)), \"text\": \(quoted(text)), \(quoted("f\(field)")): \(quoted(text)), "
      + "\"version\": \"v\(version)\", \"updatedAt\": \"2026-03-01T10:00:0\(version).000Z\", "
      + "\"deleted\": false}"
  }

  /// Returns a text as JSON.
  static func quoted(_ text: String) -> String {
    String(decoding: JSON.string(Text(text)).encoded(.compactASCII), as: UTF8.self)
  }
}
