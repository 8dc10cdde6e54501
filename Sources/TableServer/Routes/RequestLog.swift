import HTTPTypes
import SyncModel

/// A line for every request: time, address, user, method, path, status, bytes, milliseconds.
///
/// No query, no header field and no body is in it, and no byte that a terminal would act on.
package struct RequestLog: Sendable {
  private let write: @Sendable (String) -> Void

  ///
  /// - Parameter write: Takes a line with its newline.
  package init(_ write: @escaping @Sendable (String) -> Void) {
    self.write = write
  }

  /// One answered request.
  package struct Entry: Sendable {
    var time: Moment
    var address: String
    var user: Text?
    var method: String
    var target: String
    var status: HTTPResponse.Status
    var bytes: Int
    var duration: Duration
  }

  /// Writes a line.
  func append(_ entry: Entry) {
    let path = String(Substring(entry.target.utf8.prefix { $0 != UInt8(ascii: "?") }))
    let (seconds, attoseconds) = entry.duration.components
    let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
    write(
      """
      \(entry.time) \(entry.address) \(Self.escaped(entry.user?.string ?? "-")) \
      \(Self.escaped(entry.method)) \(Self.escaped(path)) \
      \(entry.status.code) \(entry.bytes) \(tenths / 10).\(tenths % 10)

      """)
  }

  /// Writes what went wrong inside, for the operator only.
  func append(failure: String, at time: Moment) {
    write("\(time) error \(Self.escaped(failure, blanks: true))\n")
  }

  /// Escapes all but the printable characters of ASCII, as in a URL.
  private static func escaped(_ text: String, blanks: Bool = false) -> String {
    let line = Text(text).escaped { (0x21...0x7E).contains($0) || (blanks && $0 == 0x20) }
    return String(decoding: line.utf8.prefix(2_048), as: UTF8.self)
  }
}
