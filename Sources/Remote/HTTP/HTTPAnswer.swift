/// A complete HTTP answer, within the limits and decompressed.
package struct HTTPAnswer: Hashable, Sendable {
  /// The status code, 200 to 599.
  package var status: Int
  /// The header fields in the order in which they came.
  package var headers: [HTTPField]
  /// The decoded body.
  package var body: [UInt8]

  /// Makes an answer: 203, which a proxy makes of 200 (RFC 9110 §15.3.4), is 200 again, and a byte
  /// order mark before the body is skipped (RFC 8259 §8.1).
  package init(status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status == 203 ? 200 : status
    self.headers = headers
    self.body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
  }

  /// Returns the value of the first field with a name, compared without regard to ASCII case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.utf8.isWord(name) }?.value
  }
}
