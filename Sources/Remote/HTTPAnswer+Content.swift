import SyncModel

extension HTTPAnswer {
  /// The media type of the body, without parameters; empty if the answer names none.
  private var mediaType: ArraySlice<UInt8> {
    let bytes = Array((header("Content-Type") ?? "").utf8)
    return bytes.prefix { $0 != UInt8(ascii: ";") }.trimmed
  }

  /// Whether the body is said to be JSON (RFC 8259 §11, RFC 6839 §3.1).
  package var isJSON: Bool {
    let type = mediaType
    return type.isWord("application/json")
      || (type.begins(withWord: "application/") && type.suffix(5).isWord("+json"))
  }

  /// Whether the body is a page for people: said to be HTML or XML, or, where it isn't said to be
  /// JSON, beginning like them.
  var isMarkup: Bool {
    let type = mediaType
    if type.isWord("text/html") || type.isWord("application/xhtml+xml") { return true }
    return !isJSON && body.first { !$0.isBlank } == UInt8(ascii: "<")
  }

  /// Whether it says that there is no such thing.
  var saysNotFound: Bool { [404, 410].contains(status) }

  /// Whether the answer tells that it has no body, rather than having been cut off before it.
  var isSaidToBeEmpty: Bool {
    body.isEmpty
      && (header("Content-Length").map { Array($0.utf8).trimmed.decimal == 0 } ?? false
        || header("Transfer-Encoding") != nil)
  }

  /// The answer's `Date` in seconds since 1970; `nil` where it tells none.
  var date: Int64? { header("Date").flatMap { HTTPDate(Text($0))?.seconds } }

  /// The body as an object; `nil` where it is none, or not said to be JSON.
  var object: JSONObject? {
    guard isJSON else { return nil }
    return (try? JSON(parsing: body, limits: .item))?.object
  }
}
