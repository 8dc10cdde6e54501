import Remote

/// An answer as it comes in, line by line and piece by piece, held to the limits.
///
/// It knows nothing of libcurl, which reports success for headers that were cut off and limits a
/// body only before it is unpacked.
struct IncomingAnswer {
  private let limits: TransportLimits
  private var status = 0
  private var headers: [HTTPField] = []
  private var body: [UInt8] = []
  private var isInHeader = false
  private var headerByteCount = 0
  private var interimCount = 0
  private var lineCount = 0
  private var bodyByteCount = 0

  /// Why the answer is not taken, once it is known.
  private(set) var refusal: (kind: TransportError.Kind, message: String)?
  /// Whether the header of the answer proper, not of an interim reply, came to its empty line.
  private(set) var isHeaderComplete = false

  /// Whether a first line came.
  var hasBegun: Bool { headerByteCount > 0 }
  /// The answer as far as it came.
  var answer: HTTPAnswer { HTTPAnswer(status: status, headers: headers, body: body) }

  /// Whether it is how a port for TLS answers plain HTTP: an alert (RFC 8446 §5.1), or the words of nginx,
  /// Go and Apache.
  var isForTLS: Bool {
    guard isHeaderComplete else { return body.first == 21 }
    guard status == 400 else { return false }
    let text = String(decoding: body.prefix(2_000), as: UTF8.self)
    return [
      "plain HTTP request was sent to HTTPS port", "sent an HTTP request to an HTTPS server",
      "speaking plain HTTP to an SSL-enabled server port",
    ].contains { text.contains($0) }
  }

  init(limits: TransportLimits) {
    self.limits = limits
  }

  /// Takes a line of the header with its line end; answers whether to go on.
  ///
  /// Lines after the header's empty line are trailers: they count, but are not kept.
  mutating func take(line: UnsafeRawBufferPointer) -> Bool {
    headerByteCount += line.count
    guard headerByteCount <= limits.headerBytes else {
      return refuse(
        .tooLarge, "the answer's header is larger than \(Amount.bytes(limits.headerBytes))")
    }
    let text = line.trimmingLineEnd()
    if isInHeader, text.isEmpty { return endHeader() }
    if !isInHeader, !isHeaderComplete { return beginHeader(text) }
    lineCount += 1
    guard lineCount <= limits.headerLines else {
      return refuse(.tooLarge, "the answer has more than \(limits.headerLines) header fields")
    }
    return isHeaderComplete || keep(field: text)
  }

  /// Takes a piece of the decoded body; answers whether to go on.
  ///
  /// `wireBytes` tells how many bytes of the body have come over the wire by now.
  mutating func take(piece: UnsafeRawBufferPointer, wireBytes: () -> Int64) -> Bool {
    guard isHeaderComplete else {
      body.append(contentsOf: piece.prefix(1))
      return refuse(.malformed, "the answer is not HTTP")
    }
    bodyByteCount += piece.count
    guard bodyByteCount <= limits.bodyBytes else {
      return refuse(.tooLarge, "the answer is larger than \(Amount.bytes(limits.bodyBytes))")
    }
    if bodyByteCount > limits.ratioFromBytes {
      guard bodyByteCount / limits.unpackedRatio <= Int(wireBytes()) else {
        return refuse(
          .tooLarge, "the answer decompresses to more than \(limits.unpackedRatio) times its size")
      }
    }
    let room = status >= 400 ? limits.errorBodyBytes - body.count : piece.count
    body.append(contentsOf: piece.prefix(room))
    return true
  }

  private mutating func beginHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    // HTTP/1.1 200 OK, or HTTP/2 200
    let digits = line.drop { $0 != 0x20 }.dropFirst().prefix { $0 != 0x20 }
    guard line.starts(with: "HTTP/".utf8), digits.count == 3,
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return refuse(.malformed, "the answer is not HTTP") }
    status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    headers = []
    lineCount = 0
    isInHeader = true
    return true
  }

  private mutating func keep(field line: UnsafeRawBufferPointer) -> Bool {
    // A folded line (RFC 9112 §5.2) begins with a blank: libcurl and we could read it differently.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[0] > 0x20 else {
      return refuse(.malformed, "the answer has a line that is not a header field")
    }
    headers.append(
      HTTPField(
        String(decoding: line[..<colon], as: UTF8.self),
        String(
          decoding: UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks(),
          as: UTF8.self)))
    return true
  }

  private mutating func endHeader() -> Bool {
    isInHeader = false
    if (100...199).contains(status), status != 101 {
      interimCount += 1
      guard interimCount <= limits.interimReplies else {
        return refuse(
          .tooLarge, "the server sent more than \(limits.interimReplies) interim replies")
      }
      return true
    }
    guard (200...599).contains(status) else {
      return refuse(.malformed, "the server sent the unexpected status \(status)")
    }
    guard words(of: "content-encoding").isUnpackable(by: "gzip") else {
      return refuse(.tooLarge, "the answer has an unexpected Content-Encoding")
    }
    guard words(of: "transfer-encoding").isUnpackable(by: "chunked") else {
      return refuse(.tooLarge, "the answer has an unexpected Transfer-Encoding")
    }
    isHeaderComplete = true
    reserveBody()
    return true
  }

  /// Makes room for the body that is announced; for a part only, since the announcement may lie.
  private mutating func reserveBody() {
    guard let length = answer.header("Content-Length").flatMap({ Int($0) }), length > 0 else {
      return
    }
    body.reserveCapacity(min(length, limits.bodyBytes, 1 << 20))
  }

  /// Returns the comma-separated words of all fields with a name, in lower case.
  private func words(of name: String) -> [[UInt8]] {
    headers
      .filter { $0.name.utf8.elementsEqual(name.utf8) { lowered($0) == $1 } }
      .flatMap { Array($0.value.utf8).split(separator: UInt8(ascii: ",")) }
      .map { word in word.filter { $0 != 0x20 && $0 != 0x09 }.map(lowered) }
      .filter { !$0.isEmpty }
  }

  private func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  /// Refuses the answer for a reason; always answers `false`.
  @discardableResult
  mutating func refuse(_ kind: TransportError.Kind, _ message: String) -> Bool {
    refusal = (kind, message)
    return false
  }
}

extension Array where Element == [UInt8] {
  /// Whether a list of codings is empty, `identity`, or one coding alone.
  fileprivate func isUnpackable(by coding: String) -> Bool {
    guard let only = first else { return true }
    return count == 1 && ["identity", coding].contains { $0.utf8.elementsEqual(only) }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func trimmingLineEnd() -> UnsafeRawBufferPointer {
    var end = count
    if end > 0, self[end - 1] == 0x0A { end -= 1 }
    if end > 0, self[end - 1] == 0x0D { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[..<end])
  }

  fileprivate func trimmingBlanks() -> UnsafeRawBufferPointer {
    var range = 0..<count
    while let first = range.first, self[first] == 0x20 || self[first] == 0x09 {
      range.removeFirst()
    }
    while let last = range.last, self[last] == 0x20 || self[last] == 0x09 { range.removeLast() }
    return UnsafeRawBufferPointer(rebasing: self[range])
  }
}
