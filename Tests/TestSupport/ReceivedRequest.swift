/// A request as a ``ScriptedServer`` received it.
package struct ReceivedRequest: Sendable {
  /// The number of the connection it came on, counted from 0 in the order of their making.
  package let connection: Int
  /// Its bytes as they came.
  package let raw: [UInt8]
  /// The method, or nothing when the bytes are not HTTP.
  package let method: String
  /// The target as it was written: path and query, not decoded.
  package let target: String
  /// The header fields in order.
  package let fields: [(name: String, value: String)]
  /// The body's bytes.
  package let body: [UInt8]

  /// The request line and the header as text, with its line ends.
  package var head: String { String(decoding: raw.dropLast(body.count), as: UTF8.self) }

  /// Returns the value of the first field with a name, compared without regard to case.
  package func value(of name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Reads the first request in a buffer; `nil` when more bytes are needed.
  ///
  /// Bytes that don't begin like HTTP are taken as they are, as one request without a method.
  static func first(in buffer: [UInt8], connection: Int) -> ReceivedRequest? {
    guard let start = buffer.first else { return nil }
    guard (0x41...0x5A).contains(start) else {
      return ReceivedRequest(
        connection: connection, raw: buffer, method: "", target: "", fields: [], body: [])
    }
    guard let headEnd = endOfHead(in: buffer) else { return nil }
    // "\r\n" is one Character, which makes lines easy to split here, where nobody is hostile.
    let lines = String(decoding: buffer[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    let words = lines[0].split(separator: " ")
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
      return (name: String(parts[0]), value: value)
    }
    let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
    let end = headEnd + (length ?? 0)
    guard buffer.count >= end else { return nil }
    return ReceivedRequest(
      connection: connection,
      raw: Array(buffer[..<end]),
      method: String(words[0]),
      target: words.count > 1 ? String(words[1]) : "",
      fields: fields,
      body: Array(buffer[headEnd..<end]))
  }

  private static func endOfHead(in buffer: [UInt8]) -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    guard buffer.count >= mark.count else { return nil }
    return (0...buffer.count - mark.count)
      .first { buffer[$0..<$0 + mark.count].elementsEqual(mark) }
      .map { $0 + mark.count }
  }
}
