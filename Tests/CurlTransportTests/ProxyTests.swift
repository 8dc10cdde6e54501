import CurlTransport
import Glibc
import Remote
import TestSupport
import Testing

/// Each test has a process of its own: libcurl reads the environment, which all tests share.
@Suite struct ProxyTests {
  @Test("hosts on this machine are reached without the proxy of the environment")
  func loopback() async {
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "https_proxy", "all_proxy"] {
        setenv(name, "http://127.0.0.1:1", 1)
      }
      let server = try ScriptedServer { _ in .json("{}") }
      var transport = CurlTransport.forTest()
      try #require(try transport.get(server.url).text == "{}")
      let failure = try transport.get("https://127.0.0.1:\(server.port)").failure
      try #require(failure?.kind == .wrongScheme)
    }
  }

  @Test("N6: https goes through the proxy of the environment, but not plain http")
  func proxied() async {
    await #expect(processExitsWith: .success) {
      let proxy = try ScriptedServer { _ in .answer(407) }
      setenv("http_proxy", proxy.url, 1)
      setenv("https_proxy", proxy.url, 1)
      var transport = CurlTransport.forTest()
      let plain = try transport.get("http://todo.tsync.invalid/").failure
      try #require(plain?.kind == .nameNotResolved)
      try #require(proxy.requests.isEmpty)
      // The proxy was told something, so that it is not said that nothing was sent.
      try #require(
        try transport.get("https://todo.tsync.invalid/").failure
          == TransportError(
            .cannotConnect,
            "cannot reach https://todo.tsync.invalid: the proxy answered 407", nothingSent: false))
      try #require(proxy.requests.map(\.method) == ["CONNECT"])
    }
  }

  @Test("hosts in no_proxy are reached without the proxy")
  func noProxy() async {
    await #expect(processExitsWith: .success) {
      let proxy = try ScriptedServer { _ in .answer(407) }
      setenv("https_proxy", proxy.url, 1)
      var transport = CurlTransport(
        userAgent: "tsync/0.0.0", certificateFile: nil, noProxy: ".tsync.invalid")
      let failure = try transport.get("https://todo.tsync.invalid/").failure
      try #require(failure?.kind == .nameNotResolved)
      try #require(proxy.requests.isEmpty)
    }
  }
}
