import CCurl
import Glibc
import Remote

/// One libcurl handle: it carries one request at a time, and then others.
///
/// It is a class because libcurl's callbacks find it by its address, and because it owns a handle.
final class CurlEasy {
  /// The handle as libcurl knows it.
  let handle: UnsafeMutableRawPointer
  /// The request under way, or the last one.
  private(set) var request = HTTPRequest(method: "GET", url: "")

  let library: CurlLibrary
  let settings: CurlSettings
  /// Room for libcurl's words for a failure.
  let detail: UnsafeMutablePointer<CChar>
  /// The fields that libcurl points to; kept for the next request when it has the same.
  var fieldList: CurlFieldList?
  private var incoming: IncomingAnswer
  /// An address that was not connected to, because the request is in plain HTTP.
  private var refusedAddress: String?

  /// Makes a handle that has carried nothing yet.
  ///
  /// - Throws: ``TransportError`` of the kind `unavailable` when there is no memory.
  init(library: CurlLibrary, settings: CurlSettings) throws(TransportError) {
    guard let handle = tsync_curl_easy(library.table) else { throw Self.outOfMemory }
    self.library = library
    self.settings = settings
    self.handle = handle
    detail = .allocate(capacity: Int(CURL_ERROR_SIZE))
    detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    incoming = IncomingAnswer(limits: settings.limits)
  }

  deinit {
    tsync_curl_easy_free(library.table, handle)
    detail.deallocate()
  }

  /// Makes the handle ready to carry a request.
  ///
  /// - Throws: ``TransportError``, with nothing sent, when the request must not or can't be sent.
  func prepare(_ request: HTTPRequest) throws(TransportError) {
    if let refusal = request.refusal { throw refusal }
    self.request = request
    refusedAddress = nil
    incoming = IncomingAnswer(limits: settings.limits)
    try setOptions()
  }

  /// Whether the request was handed to the socket: not at all, in part, or whole.
  var departure: Departure {
    guard requestBytes > 0 else { return .connecting }
    let uploaded = tsync_curl_size(library.table, handle, CURLINFO_SIZE_UPLOAD_T)
    return uploaded < Int64(request.body?.count ?? 0) ? .begun : .complete
  }

  /// How far a request has left this process.
  enum Departure {
    /// No byte of it has left: the connection is still being made.
    case connecting
    /// A part has left.
    case begun
    /// All of it has left.
    case complete
  }

  /// Returns what became of the request that libcurl has ended with a code.
  func result(_ code: CURLcode) -> Result<HTTPAnswer, TransportError> {
    let nothingSent = requestBytes == 0
    if request.isPlain, incoming.isForTLS {
      return .failure(
        TransportError(.wrongScheme, "\(request.origin) expects TLS", nothingSent: true))
    }
    if let refusal = incoming.refusal {
      return .failure(
        TransportError(refusal.kind, refusal.message, nothingSent: nothingSent))
    }
    if code == CURLE_COULDNT_CONNECT, let refusedAddress {
      return .failure(
        TransportError(.plainHTTP, Self.plainHTTP(to: refusedAddress), nothingSent: true))
    }
    guard code == CURLE_OK else {
      let failure = failure(code, nothingSent: nothingSent)
      return .failure(failure.error(at: request.origin, limits: settings.limits))
    }
    // libcurl reports success when the connection closes in the middle of the header.
    guard incoming.isHeaderComplete else {
      return .failure(
        TransportError(.cut, "the connection was cut", nothingSent: nothingSent))
    }
    return .success(incoming.answer)
  }

  /// Lets go of the answer's bytes.
  func clear() {
    incoming = IncomingAnswer(limits: settings.limits)
  }

  private var requestBytes: Int {
    tsync_curl_long(library.table, handle, CURLINFO_REQUEST_SIZE)
  }

  /// Collects what libcurl knows of a failure.
  func failure(_ code: CURLcode, nothingSent: Bool) -> CurlFailure {
    let table = library.table
    return CurlFailure(
      code: code,
      meaning: tsync_curl_meaning(table, code).map { String(cString: $0) } ?? "",
      detail: String(cString: detail),
      systemError: Int32(truncatingIfNeeded: tsync_curl_long(table, handle, CURLINFO_OS_ERRNO)),
      proxyStatus: tsync_curl_long(table, handle, CURLINFO_HTTP_CONNECTCODE),
      elapsedMilliseconds: Int(tsync_curl_size(table, handle, CURLINFO_TOTAL_TIME_T) / 1000),
      isNameResolved: tsync_curl_size(table, handle, CURLINFO_NAMELOOKUP_TIME_T) > 0,
      nothingSent: nothingSent,
      incoming: incoming)
  }

  static let outOfMemory = TransportError(
    .unavailable, "libcurl failed: out of memory", nothingSent: true)
}

// MARK: - Callbacks

extension CurlEasy {
  /// Takes a line of the header; libcurl ends the transfer when it is refused.
  func take(line: UnsafeRawBufferPointer) -> Int {
    incoming.take(line: line) ? line.count : 0
  }

  /// Takes a piece of the body; libcurl ends the transfer when it is refused.
  func take(piece: UnsafeRawBufferPointer) -> Int {
    let isTaken = incoming.take(piece: piece) {
      tsync_curl_size(library.table, handle, CURLINFO_SIZE_DOWNLOAD_T)
    }
    return isTaken ? piece.count : 0
  }

  /// Looks at the connected address before a byte is sent; answers whether the request may go.
  func mayGo(to address: String) -> Bool {
    guard request.isPlain, !isPlainAllowed(to: address) else { return true }
    incoming.refuse(.plainHTTP, Self.plainHTTP(to: address))
    return false
  }

  /// Looks at an address before it is connected to, so that another machine doesn't even learn of a
  /// request in plain HTTP; a name may have further addresses.
  func mayConnect(to address: UnsafePointer<sockaddr>) -> Bool {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let length =
      address.pointee.sa_family == sa_family_t(AF_INET6)
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    let status = getnameinfo(
      address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let shown = status == 0 ? String(decoding: bytes, as: UTF8.self) : "an unknown address"
    if isPlainAllowed(to: shown) { return true }
    refusedAddress = shown
    return false
  }

  private func isPlainAllowed(to address: String) -> Bool {
    settings.limits.allowsPlainHTTPToLoopback && LoopbackAddress.contains(address)
  }

  private static func plainHTTP(to address: String) -> String {
    "plain http to \(address): use https"
  }
}
