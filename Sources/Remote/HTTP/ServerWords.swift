import SyncEngine
import SyncModel

extension Refusal {
  /// Takes an answer's status and its words for people.
  ///
  /// Of an object that is the first text among `error`, `description`, `message`, `title` and
  /// `detail`, and what it says of single fields; a JSON text is itself; any other text is taken as
  /// it is. Pages for people, rows and empty bodies say nothing: there the status has its name.
  /// Tokens that the server repeats are taken out.
  package init(_ answer: HTTPAnswer, _ authorization: Authorization, passes: Bool = false) {
    let words = ServerWords(answer).text ?? Text(StatusPhrase.of(answer.status))
    let bytes = ServerWords.cut(authorization.redacted(words.bytes))
    self.init(
      status: answer.status, words: Text(decoding: bytes), passes: passes)
  }
}

/// What a server says to people in the body of an answer.
private struct ServerWords {
  /// The words; `nil` where there are none.
  let text: Text?

  /// The bytes that are read and kept: 64 KiB.
  static let limit = 64 << 10

  init(_ answer: HTTPAnswer) {
    // A body that is called HTML may be a sentence, as servers on Express send it.
    guard answer.body.first(where: { !$0.isBlank }) != UInt8(ascii: "<") else {
      text = nil
      return
    }
    // An error document may be larger than an item; what is cut off is no JSON, and raw text then.
    let body = Array(answer.body.prefix(Self.limit))
    switch try? JSON(parsing: body, limits: .item) {
    case .object(let object): text = Self.words(in: object)
    case .string(let words): text = words.isEmpty ? nil : words
    case .null, .array: text = nil
    case .bool, .number, nil:
      let raw = body.trimmed
      text = raw.isEmpty ? nil : Text(decoding: raw)
    }
  }

  /// Returns bytes of UTF-8 cut off after a whole scalar.
  static func cut(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > limit else { return bytes }
    var kept = bytes[..<limit]
    if bytes[limit] & 0xC0 == 0x80 {
      while let last = kept.popLast(), last & 0xC0 == 0x80 {}
    }
    return Array(kept)
  }

  private static func words(in object: JSONObject) -> Text? {
    for name: Text in ["error", "description", "message", "title", "detail"] {
      let words: Text?
      switch object[name] {
      case .string(let text): words = text
      case .object(let inner): words = inner["message"]?.text
      default: words = nil
      }
      guard let words, !words.isEmpty else { continue }
      let details = ["errors", "modelState"].flatMap { fieldWords(object[$0]) }
      return details.isEmpty ? words : Text("\(words): \(details.joined(separator: "; "))")
    }
    return nil
  }

  /// Returns what is said of single fields: an object of lists of texts.
  private static func fieldWords(_ value: JSON?) -> [String] {
    (value?.object?.members ?? []).flatMap { member in
      (member.value.elements ?? [member.value]).compactMap(\.text?.string)
    }
  }
}
