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
    let requests = (0..<3).map { _ in HTTPRequest(method: "GET", url: "http://127.0.0.1:9/") }
    let outcomes = try transport.send(requests, width: 2)
    #expect(outcomes.map(\.failure) == [Self.missing, Self.missing, Self.missing])
  }

  // In a process of its own: in this one other tests have loaded the library.
  @Test("libcurl is loaded when the first request is made, and not before")
  func loadedLate() async {
    await #expect(processExitsWith: .success) {
      func isLoaded() -> Bool { dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD) != nil }
      try #require(!isLoaded())
      var transport = CurlTransport.forTest()
      try transport.run(width: 1, next: { nil }, done: { _, _ in }, meanwhile: {})
      try #require(!isLoaded())
      let server = try ScriptedServer { _ in .json("{}") }
      _ = try transport.get(server.url).get()
      try #require(isLoaded())
    }
  }
}
