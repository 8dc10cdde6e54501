import CCurl
import Remote

/// libcurl as it was found on this machine.
///
/// It is opened beside other work, or with the first request, because a program that links it starts 8 to 12 ms
/// later. It is never closed.
// Unchecked: the table is written once, before anybody else sees it, and lives as long as the process.
struct CurlLibrary: @unchecked Sendable {
  /// The library's functions.
  let table: UnsafePointer<tsync_curl>

  /// The names under which Debian installs libcurl; the first is the one it recommends.
  static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

  /// The oldest version with every option that the transport relies on (`PROTOCOLS_STR`).
  static let oldestVersion: UInt32 = 0x07_55_00

  private static let found = Result { () throws(TransportError) in try open(names) }

  /// Returns the library, opened on first use.
  ///
  /// - Throws: ``TransportError`` of the kind `unavailable` when it can't be opened or is too old.
  static func shared() throws(TransportError) -> CurlLibrary { try found.get() }

  /// Opens the first library that has one of these names.
  static func open(_ names: [String]) throws(TransportError) -> CurlLibrary {
    let table = UnsafeMutablePointer<tsync_curl>.allocate(capacity: 1)
    table.initialize(to: tsync_curl())
    guard names.contains(where: { tsync_curl_open(table, $0) }) else {
      table.deallocate()
      throw TransportError(
        .unavailable, "libcurl is not installed (libcurl.so.4): apt-get install libcurl4",
        nothingSent: true)
    }
    guard tsync_curl_version(table) >= oldestVersion else {
      table.deallocate()
      throw TransportError(
        .unavailable, "libcurl is too old: 7.85 or newer is needed", nothingSent: true)
    }
    guard tsync_curl_prepare(table) == CURLE_OK else {
      table.deallocate()
      throw TransportError(.unavailable, "libcurl cannot be initialized", nothingSent: true)
    }
    return CurlLibrary(table: UnsafePointer(table))
  }
}
