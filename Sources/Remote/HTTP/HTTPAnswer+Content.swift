import SyncModel

extension HTTPAnswer {
  /// The media type of the body, without parameters; empty if the answer names none.
  private var mediaType: ArraySlice<UInt8> {
    let bytes = Array((header("Content-Type") ?? "").utf8)
    return bytes.prefix { $0 != UInt8(ascii: ";") }.trimmed
  }

  /// Whether the body is a page for people: it begins like HTML and XML, or is said to be HTML and
  /// begins like no JSON object or array.
  package var isMarkup: Bool {
    switch body.first(where: { !$0.isBlank }) {
    case UInt8(ascii: "<"): true
    case UInt8(ascii: "{"), UInt8(ascii: "["): false
    default: mediaType.isWord("text/html") || mediaType.isWord("application/xhtml+xml")
    }
  }

  /// The title of an HTML page on one line, at most 60 characters of it; `nil` if it has none.
  package var title: String? {
    var rest = body.prefix(64 << 10)
    while !rest.begins(withWord: "<title") {
      guard rest.popFirst() != nil else { return nil }
    }
    let words = Array(
      rest.drop { $0 != UInt8(ascii: ">") }.dropFirst().prefix { $0 != UInt8(ascii: "<") }
        .split(whereSeparator: \.isBlank).joined(separator: [0x20]))
    return words.isEmpty ? nil : String(decoding: words, as: UTF8.self).cut(to: 60)
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

  /// The body as an object; `nil` where it is none.
  var object: JSONObject? { (try? JSON(parsing: body, limits: .item))?.object }
}

extension String {
  /// The text, or its first characters and `…`: what others send doesn't fill the terminal.
  func cut(to count: Int) -> String {
    let scalars = unicodeScalars
    return scalars.count > count ? String(scalars.prefix(count)) + "…" : self
  }
}
