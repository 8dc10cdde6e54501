import CCurl
import Glibc
import Remote

extension CurlEasy {
  /// Sets all options for the request.
  ///
  /// - Throws: ``TransportError`` of the kind `unavailable` when libcurl lacks an option.
  func setOptions() throws(TransportError) {
    // All of them anew: libcurl counts the resends of all requests that a handle carries, up to 5,
    // and forgets the count in a reset only (curl issue 5974, pull request 19066).
    tsync_curl_easy_reset(library.table, handle)
    try setShared()
    try setCallbacks()
    try setOpener()
    try set(CURLOPT_URL, request.url)
    if request.isSentOnce { try set(CURLOPT_FRESH_CONNECT, 1) }
    // A proxy on this machine would carry plain HTTP further than the check of the address sees.
    try set(CURLOPT_NOPROXY, request.isPlain ? "*" : settings.noProxy)
    try setBody()
    try setFields()
  }

  /// Sets what all requests share.
  private func setShared() throws(TransportError) {
    let limits = settings.limits
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    // Redirects are never followed; an empty list of protocols is refused.
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_MAXREDIRS, 0)
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // What is not HTTP arrives as a body without a header, so that its first byte can be read.
    try set(CURLOPT_HTTP09_ALLOWED, 1)
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_TCP_NODELAY, 1)
    try set(CURLOPT_USERAGENT, settings.userAgent)
    try set(CURLOPT_ACCEPT_ENCODING, "gzip")
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if settings.certificateFile != nil || settings.certificateDirectory != nil {
      // Both: the system's place would stay for the one that is not given.
      try set(CURLOPT_CAINFO, settings.certificateFile)
      try set(CURLOPT_CAPATH, settings.certificateDirectory)
    }
    try set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
    try set(CURLOPT_TIMEOUT_MS, limits.requestMilliseconds)
    // Less than 2 bytes of a body a second is silence.
    try set(CURLOPT_LOW_SPEED_LIMIT, 2)
    try set(CURLOPT_LOW_SPEED_TIME, (limits.stallMilliseconds + 999) / 1000)
  }

  private func setCallbacks() throws(TransportError) {
    let table = library.table
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(tsync_curl_set_pointer(table, handle, CURLOPT_ERRORBUFFER, detail))
    try check(tsync_curl_set_pointer(table, handle, CURLOPT_HEADERDATA, context))
    try check(tsync_curl_set_pointer(table, handle, CURLOPT_WRITEDATA, context))
    try check(tsync_curl_set_pointer(table, handle, CURLOPT_PREREQDATA, context))
    try check(
      tsync_curl_set_writer(table, handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return owner(context)?.take(line: line) ?? 0
      })
    try check(
      tsync_curl_set_writer(table, handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return owner(context)?.take(piece: piece) ?? 0
      })
    try check(
      tsync_curl_set_prerequest(table, handle) { context, address, _, _, _ in
        let address = address.map { String(cString: $0) } ?? ""
        return owner(context)?.mayGo(to: address) == true
          ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      })
  }

  /// Makes libcurl ask before it connects, where the address decides whether it may.
  private func setOpener() throws(TransportError) {
    guard request.isPlain else { return }
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(
      tsync_curl_set_opener(
        library.table, handle,
        { context, _, address in
          guard let address, owner(context)?.mayConnect(to: &address.pointee.addr) == true else {
            return CURL_SOCKET_BAD
          }
          let kind = address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue)
          return socket(address.pointee.family, kind, address.pointee.protocol)
        }, context))
  }

  /// Sets the method and the body; `POST`, `PUT` and `PATCH` without one send an empty one.
  private func setBody() throws(TransportError) {
    let isWrite = request.method.utf8.first == UInt8(ascii: "P")
    if request.body == nil, !isWrite {
      try set(CURLOPT_HTTPGET, 1)
    } else {
      let bytes = request.body ?? []
      try set(CURLOPT_POST, 1)
      let code = bytes.withUnsafeBytes { buffer in
        // An empty array may have no address, which would make libcurl ask for the body.
        var nothing: UInt8 = 0
        guard let start = buffer.baseAddress else {
          return tsync_curl_set_body(library.table, handle, &nothing, 0)
        }
        return tsync_curl_set_body(library.table, handle, start, Int64(buffer.count))
      }
      try check(code)
    }
    try set(CURLOPT_CUSTOMREQUEST, request.method)
  }

  private func setFields() throws(TransportError) {
    if fieldList?.isMade(of: request.headers) != true {
      fieldList = try CurlFieldList(request.headers, library: library)
    }
    try check(tsync_curl_set_fields(library.table, handle, fieldList?.first))
  }

  private func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try check(tsync_curl_set_long(library.table, handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
    try check(tsync_curl_set_text(library.table, handle, option, value))
  }

  private func check(_ code: CURLcode) throws(TransportError) {
    guard code != CURLE_OK else { return }
    throw failure(code, nothingSent: true).error(at: request.origin, limits: settings.limits)
  }
}

/// Returns the handle's owner from the context of a callback.
private func owner(_ context: UnsafeMutableRawPointer?) -> CurlEasy? {
  context.map { Unmanaged<CurlEasy>.fromOpaque($0).takeUnretainedValue() }
}
