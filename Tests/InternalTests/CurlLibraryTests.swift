import Glibc
import Remote
import TestSupport
import Testing

@testable import CurlTransport

@Suite struct CurlLibraryTests {
  private static let missing = TransportError(
    .unavailable, "libcurl is not installed (libcurl.so.4): apt-get install libcurl4",
    nothingSent: true)

  @Test("a libcurl that is not there says how to install it")
  func missing() {
    #expect(throws: Self.missing) { _ = try CurlLibrary.open(["libcurl.so.none"]) }
  }

  @Test("a library that is not libcurl is not taken for it")
  func other() {
    #expect(throws: Self.missing) { _ = try CurlLibrary.open(["libc.so.6"]) }
  }

  @Test("the second name counts when the first is not there")
  func secondName() throws {
    _ = try CurlLibrary.open(["libcurl.so.none", "libcurl.so.4"])
  }

  @Test("without libcurl each request is told so, and nothing else happens")
  func transportWithout() throws {
    let settings = CurlSettings(
      userAgent: "", certificateFile: nil, noProxy: nil, limits: TransportLimits())
    var transport = CurlTransport(settings: settings) { () throws(TransportError) in
      try CurlLibrary.open(["libcurl.so.none"])
    }
    var requests = (0..<3).map { _ in HTTPRequest(method: "GET", url: "http://127.0.0.1:9/") }
    var failures: [TransportError?] = []
    try transport.run(
      width: 2, next: { requests.popLast() },
      done: { _, result in
        if case .failure(let failure) = result { failures.append(failure) }
      }, meanwhile: {})
    #expect(failures == [Self.missing, Self.missing, Self.missing])
  }
}
