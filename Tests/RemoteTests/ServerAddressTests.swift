import Remote
import SyncModel
import Testing

@Suite struct ServerAddressTests {
  @Test(
    "an address is brought to one form",
    arguments: [
      ("https://todo.example.net", "https://todo.example.net"),
      ("https://todo.example.net/", "https://todo.example.net"),
      ("HTTPS://Todo.Example.NET:443/", "https://todo.example.net"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
      ("http://localhost:80", "http://localhost"),
      ("http://localhost:443/a", "http://localhost:443/a"),
      ("https://x.test:", "https://x.test"),
      ("https://x.test/api/v1/", "https://x.test/api/v1"),
      ("https://x.test/API//v1", "https://x.test/API//v1"),
      ("https://x.test/tables", "https://x.test"),
      ("https://x.test/tables/todoitem", "https://x.test"),
      ("https://x.test/api/tables/todoitem/a1?$top=1#x", "https://x.test/api"),
      ("https://x.test/mytables", "https://x.test/mytables"),
      ("https://x.test/a%20b", "https://x.test/a%20b"),
      ("https://[::1]:8443/", "https://[::1]:8443"),
      ("https://[FE80::1]", "https://[fe80::1]"),
    ])
  func isBroughtToOneForm(text: String, expected: String) throws {
    #expect(try ServerAddress(Text(text)).description == expected)
  }

  @Test(
    "plain http is taken to this machine, and to a name until it is known where it leads",
    arguments: [
      "http://127.0.0.1", "http://127.8.9.1:80", "http://[::1]:8080", "http://[::ffff:127.0.0.1]",
      "http://localhost", "http://todo.example.net",
    ])
  func takesPlainHTTP(text: String) throws {
    #expect(try ServerAddress(Text(text)).origin.scheme == .http)
  }

  @Test(
    "what is no address is refused",
    arguments: [
      ("", "must begin with https:// or http://"),
      ("x.test", "must begin with https:// or http://"),
      ("ftp://x.test", "must begin with"), ("file:///etc/passwd", "must begin with"),
      ("https:/x.test", "must begin with"), ("https://", "no host"), ("https:///tables", "no host"),
      ("https://:80", "no host"), ("https://x test", "printable ASCII"),
      ("https://x.test/\u{e9}", "printable ASCII"), ("https://x.test\r\nX-Evil: 1", "printable"),
      ("https://x.test/a\\b", "printable ASCII"), ("https://x.test/\u{7f}", "printable ASCII"),
      ("https://x.test:0", "port"), ("https://x.test:65536", "port"),
      ("https://x.test:99999999999999999999", "port"), ("https://x.test:8a", "port"),
      ("https://-x.test", "host in the address"), ("https://.test", "host in the address"),
      ("https://a%2fb", "host in the address"), ("https://[::1", "host in the address"),
      ("https://[1234]", "host in the address"), ("https://[::g]", "host in the address"),
      ("https://x.test?a=b", "cannot contain '?' or '#'"),
      ("https://x.test/#top", "cannot contain '?' or '#'"),
      ("https://x.test/../a", "'.' or '..'"), ("https://x.test/./a", "'.' or '..'"),
      ("https://x.test/%zz", "not an escape"), ("https://x.test/a%2", "not an escape"),
    ])
  func isRefused(text: String, fact: String) {
    let error = #expect(throws: RemoteError.self) { try ServerAddress(Text(text)) }
    #expect(error?.description.contains(fact) == true)
  }

  @Test("two thousand bytes are enough for an address")
  func isNotTooLong() throws {
    let rest = String(repeating: "a", count: 2_000 - 15)
    #expect(try ServerAddress(Text("https://x.test/\(rest)")).path.bytes.count == 1_986)
    #expect(throws: RemoteError.self) { try ServerAddress(Text("https://x.test/\(rest)b")) }
  }

  @Test("an origin is scheme, host and port")
  func hasOrigin() throws {
    let one = try ServerAddress("https://X.test/a").origin
    #expect(one == (try ServerAddress("https://x.test:443/b")).origin)
    #expect(one != (try ServerAddress("http://x.test/a")).origin)
    #expect(one != (try ServerAddress("https://x.test:444/a")).origin)
    #expect(one.host == "x.test" && one.port == 443 && one.scheme == .https)
    #expect("\(try ServerAddress("http://x.test:8080/a").origin)" == "http://x.test:8080")
  }
}
