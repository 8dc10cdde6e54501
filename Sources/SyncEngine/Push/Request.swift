/// A write in the bytes that are sent, recorded first and sent again unchanged.
package struct Request: Equatable, Sendable {
  /// The method.
  package var method: String
  /// The target, relative to the server's address, percent-encoded.
  package var target: String
  /// Name and value of the header fields that belong to the write; no secret is among them.
  package var headers: [Header]
  /// The body; `nil` where there is none.
  package var body: [UInt8]?

  /// A header field.
  package struct Header: Equatable, Sendable {
    /// The name.
    package var name: String
    /// The value.
    package var value: String

    /// Makes a header field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes a request.
  package init(method: String, target: String, headers: [Header] = [], body: [UInt8]? = nil) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }
}
