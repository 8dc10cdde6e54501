import CurlTransport
import Glibc
import TestSupport
import Testing

@Suite struct LoadingTests {
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
