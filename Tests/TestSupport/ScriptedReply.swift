/// What a ``ScriptedServer`` does with a request: the bytes it sends, and what comes after them.
package struct ScriptedReply: Sendable {
  /// What happens to the connection after the bytes.
  package enum Ending: Sendable {
    /// The next request is awaited.
    case keepOpen
    /// The connection is closed in order (FIN).
    case close
    /// The connection is broken off (RST).
    case reset
    /// Nothing more is sent, until the peer closes or the server stops.
    case stall
    /// A byte is sent twenty times a second, until the peer closes.
    case drip
  }

  /// The bytes that are sent.
  package var bytes: [UInt8]
  /// What comes after them.
  package var ending: Ending

  /// Makes a reply from bytes as they are.
  package static func raw(_ bytes: [UInt8], then ending: Ending = .close) -> ScriptedReply {
    ScriptedReply(bytes: bytes, ending: ending)
  }

  /// Makes a reply from a text as it is.
  package static func raw(_ text: String, then ending: Ending = .close) -> ScriptedReply {
    raw(Array(text.utf8), then: ending)
  }

  /// Makes an HTTP/1.1 answer; `Content-Length` is added when the fields have no framing.
  package static func answer(
    _ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []
  ) -> ScriptedReply {
    var head = "HTTP/1.1 \(status) Scripted\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    let names = fields.map { $0.name.lowercased() }
    if !names.contains("content-length"), !names.contains("transfer-encoding"), status != 204 {
      head += "Content-Length: \(body.count)\r\n"
    }
    return raw(Array("\(head)\r\n".utf8) + body, then: .keepOpen)
  }

  /// Makes an HTTP/1.1 answer with a text of JSON.
  package static func json(_ text: String, status: Int = 200) -> ScriptedReply {
    answer(status, [("Content-Type", "application/json")], body: Array(text.utf8))
  }

  /// Closes the connection without an answer, whatever the handler did before: a lost reply.
  package static let dropped = raw([], then: .close)

  /// Breaks the connection off without an answer.
  package static let broken = raw([], then: .reset)

  /// Never answers.
  package static let silent = raw([], then: .stall)

  /// Returns the reply with its first bytes only, and then this ending.
  package func cut(after count: Int, then ending: Ending = .close) -> ScriptedReply {
    ScriptedReply(bytes: Array(bytes.prefix(count)), ending: ending)
  }
}
