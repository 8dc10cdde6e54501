/// A complete HTTP request.
package struct HTTPRequest: Hashable, Sendable {
  /// A number of the caller's own, by which it knows the request again.
  package var tag: Int
  /// The method: `GET`, `POST`, `PATCH`, `PUT`, `DELETE`.
  package var method: String
  /// The absolute URL, percent-encoded, without user information.
  package var url: String
  /// The header fields in order; names and values hold no byte below 0x20 and no 0x7F.
  package var headers: [HTTPField]
  /// The body's bytes; `nil` sends none.
  package var body: [UInt8]?
  /// Whether it goes on a new connection: libcurl sends a request again whose kept connection dies
  /// without an answer.
  package var isSentOnce = false

  package init(
    tag: Int = 0, method: String, url: String, headers: [HTTPField] = [], body: [UInt8]? = nil
  ) {
    self.tag = tag
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}
