package import Remote

/// A transport over libcurl, which is loaded with the first request.
///
/// Connections are kept from one `run` to the next, for as long as the transport or a copy of it
/// lives. HTTP/2 is used over TLS where the server has it, else HTTP/1.1. Redirects are answers like
/// others; cookies and `.netrc` are not used; plain HTTP goes to loopback addresses only. libcurl
/// reads the proxy variables (`https_proxy`, `all_proxy`) itself; plain HTTP uses no proxy.
///
/// When a connection that was kept turns out dead, libcurl sends a request again on a new one; a
/// request may so reach the server twice.
package struct CurlTransport: Transport {
  private let settings: CurlSettings
  private let goesOn: () -> Bool
  private let library: () throws(TransportError) -> CurlLibrary
  private var window: CurlWindow?

  /// Makes a transport; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - userAgent: The value of `User-Agent`: `tsync/VERSION`.
  ///   - certificateFile: The file of trusted certificates (`SSL_CERT_FILE`).
  ///   - certificateDirectory: The directory of trusted certificates (`SSL_CERT_DIR`); where neither
  ///     is given, the system's are trusted.
  ///   - noProxy: What the environment has as `no_proxy`, else as `NO_PROXY`.
  ///   - limits: How large and how slow an answer may be.
  ///   - goesOn: Asked some times a second while no answer is whole; where it answers no, what is
  ///     under way ends as interrupted.
  package init(
    userAgent: String, certificateFile: String?, certificateDirectory: String? = nil,
    noProxy: String?, limits: TransportLimits = TransportLimits(),
    goesOn: @escaping () -> Bool = { true }
  ) {
    self.init(
      settings: CurlSettings(
        userAgent: userAgent, certificateFile: certificateFile,
        certificateDirectory: certificateDirectory, noProxy: noProxy, limits: limits),
      goesOn: goesOn, library: CurlLibrary.shared)
  }

  /// Loads libcurl, if that isn't done yet.
  ///
  /// If it can't be loaded, the first request fails and says why.
  package static func load() { _ = try? CurlLibrary.shared() }

  /// Makes a transport that opens libcurl in its own way.
  init(
    settings: CurlSettings, goesOn: @escaping () -> Bool = { true },
    library: @escaping () throws(TransportError) -> CurlLibrary
  ) {
    self.settings = settings
    self.goesOn = goesOn
    self.library = library
  }

  /// Keeps up to `width` requests under way; see ``Transport``.
  ///
  /// `done` gets the error if a request can't be sent or libcurl can't be opened.
  ///
  /// - Throws: What one of the closures threw; the transfers still under way are then abandoned.
  package mutating func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    var first = try next()
    guard first != nil else { return }
    let window: CurlWindow
    do throws(TransportError) {
      window = try openWindow()
    } catch {
      while let request = first {
        try meanwhile()
        try done(request, .failure(error))
        first = try next()
      }
      return
    }
    try window.run(
      width: width,
      next: {
        guard let request = first else { return try next() }
        first = nil
        return request
      },
      done: done,
      meanwhile: meanwhile)
  }

  private mutating func openWindow() throws(TransportError) -> CurlWindow {
    if let window { return window }
    let opened = try CurlWindow(library: library(), settings: settings, goesOn: goesOn)
    window = opened
    return opened
  }
}
