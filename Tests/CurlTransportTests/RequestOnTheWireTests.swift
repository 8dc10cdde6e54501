import CurlTransport
import Remote
import TestSupport
import Testing

/// The bytes that reach the server.
@Suite struct RequestOnTheWireTests {
  let server: ScriptedServer
  var transport = CurlTransport.forTest()

  init() throws {
    server = try ScriptedServer { _ in .json("{}") }
  }

  /// Sends a request to the server and returns the head and the body that it received.
  private mutating func received(
    _ method: String, _ target: String, _ headers: [HTTPField] = [], body: [UInt8]? = nil
  ) throws -> (head: String, body: [UInt8]) {
    let request = HTTPRequest(
      method: method, url: server.url + target, headers: headers, body: body)
    _ = try transport.send(request).get()
    let last = try #require(server.requests.last)
    return (last.head, last.body)
  }

  @Test("a GET has its own fields, Host, User-Agent and Accept-Encoding, and no others")
  mutating func get() throws {
    let (head, body) = try received(
      "GET", "/tables/todoitem?$top=50", [HTTPField("ZUMO-API-VERSION", "2.0.0")])
    #expect(
      head == """
        GET /tables/todoitem?$top=50 HTTP/1.1\r
        Host: 127.0.0.1:\(server.port)\r
        User-Agent: tsync/0.0.0\r
        Accept-Encoding: gzip\r
        ZUMO-API-VERSION: 2.0.0\r
        \r\n
        """)
    #expect(body == [])
  }

  @Test(
    "a PATCH has the caller's fields and body, byte for byte", arguments: [0, 1, 700, 1_500_000])
  mutating func patch(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let (head, body) = try received(
      "PATCH", "/tables/todoitem/a%2Fb",
      [HTTPField("If-Match", "\"AAAA\""), HTTPField("content-type", "application/json")],
      body: bytes)
    #expect(
      head == """
        PATCH /tables/todoitem/a%2Fb HTTP/1.1\r
        Host: 127.0.0.1:\(server.port)\r
        User-Agent: tsync/0.0.0\r
        Accept-Encoding: gzip\r
        If-Match: "AAAA"\r
        content-type: application/json\r
        Content-Length: \(size)\r
        \r\n
        """)
    // Compared apart, so that a failure doesn't print a million numbers.
    let isWhole = body == bytes
    #expect(isWhole)
  }

  @Test("a write without a body says that it is empty", arguments: ["POST", "PUT", "PATCH"])
  mutating func emptyWrite(method: String) throws {
    let (head, _) = try received(method, "/a")
    #expect(
      head == """
        \(method) /a HTTP/1.1\r
        Host: 127.0.0.1:\(server.port)\r
        User-Agent: tsync/0.0.0\r
        Accept-Encoding: gzip\r
        Content-Length: 0\r
        \r\n
        """)
  }

  @Test("a DELETE without a body has no length, with a body it has")
  mutating func delete() throws {
    #expect(try !received("DELETE", "/a").head.contains("Content-Length"))
    let (head, body) = try received("DELETE", "/a", body: [0x7B, 0x7D])
    #expect(head.hasPrefix("DELETE /a HTTP/1.1\r\n"))
    #expect(head.contains("Content-Length: 2\r\n"))
    #expect(body == [0x7B, 0x7D])
  }

  @Test(
    "the path goes as it is",
    arguments: ["/a/../b", "/./a", "//a//b", "/..%2f..", "/a;b=c", "/?q='a%20b'&&"])
  mutating func pathAsIs(target: String) throws {
    #expect(try received("GET", target).head.hasPrefix("GET \(target) HTTP/1.1\r\n"))
  }

  @Test("an empty field is sent, and fields that libcurl would add can be the caller's own")
  mutating func ownFields() throws {
    let (head, _) = try received(
      "POST", "/a",
      [
        HTTPField("X-Empty", ""), HTTPField("Accept", "application/json"),
        HTTPField("X-Text", "\u{E9}"),
      ], body: [])
    #expect(head.contains("\r\nX-Empty:\r\n"))
    #expect(head.contains("\r\nAccept: application/json\r\n"))
    #expect(head.contains("\r\nX-Text: \u{E9}\r\n"))
    #expect(!head.contains("Content-Type"))
    #expect(!head.contains("Expect"))
  }

  @Test("one handle after the other kind of request keeps nothing of the one before")
  mutating func nothingRemains() throws {
    _ = try received("POST", "/a", [HTTPField("X-Secret", "s")], body: Array("body".utf8))
    let (head, body) = try received("GET", "/b")
    #expect(!head.contains("X-Secret"))
    #expect(!head.contains("Content-Length"))
    #expect(body == [])
    #expect(try received("PUT", "/c").head.contains("Content-Length: 0\r\n"))
    #expect(try received("DELETE", "/d").head.hasPrefix("DELETE /d HTTP/1.1\r\nHost"))
    #expect(server.connectionCount == 1)
  }

  @Test("values that are equal as text but not as bytes are each sent as they are")
  mutating func bytesNotCharacters() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    for text in [composed, decomposed, composed] {
      _ = try received("GET", "/", [HTTPField("X-Text", text)])
      let value = try #require(server.requests.last?.value(of: "X-Text"))
      #expect(Array(value.utf8) == Array(text.utf8))
    }
  }

  @Test(
    "S6: fields with bytes that could end a line are not sent",
    arguments: [
      HTTPField("X-A", "b\r\nX-Evil: 1"), HTTPField("X-A", "b\nX-Evil: 1"), HTTPField("X-A", "b\r"),
      HTTPField("X-A", "\u{0}"), HTTPField("X-A", "a\tb"), HTTPField("X-A", "\u{7F}"),
      HTTPField("X-A", "\u{1B}[2J"), HTTPField("X-A: b\r\nX-B", "c"), HTTPField("", "b"),
      HTTPField("X A", "b"), HTTPField("X-A:", "b"), HTTPField("X-\u{E9}", "b"),
    ])
  mutating func forbiddenBytes(field: HTTPField) throws {
    let request = HTTPRequest(method: "GET", url: server.url, headers: [field])
    #expect(
      try transport.send(request).failure
        == TransportError(
          .malformed, "a header field of the request has a byte that is not allowed",
          nothingSent: true))
    #expect(server.connectionCount == 0)
  }

  @Test(
    "URLs that are not plain http or https are not sent",
    arguments: [
      "file:///etc/passwd", "ftp://127.0.0.1/", "http:/127.0.0.1/", "http://", "https:///a",
      "127.0.0.1", "", "http", "://a", "http://user:secret@127.0.0.1/", "http://secret@127.0.0.1/",
      "http://127.0.0.1\\@x/", "http://127.0.0.1/a b", "http://127.0.0.1/a\r\nX: y",
      "http://127.0.0.1/\u{E9}",
    ])
  mutating func forbiddenURLs(url: String) throws {
    let failure = try #require(try transport.get(url).failure)
    #expect(failure.kind == .malformed)
    #expect(failure.nothingSent)
    #expect(!failure.message.contains("secret"))
  }

  @Test("S9: no cookie comes back, and no password from .netrc goes out")
  mutating func noAmbientSecrets() throws {
    let server = try ScriptedServer { _ in .answer(200, [("Set-Cookie", "a=b; Path=/")]) }
    _ = try transport.get(server.url).get()
    _ = try transport.get(server.url).get()
    #expect(server.requests.count == 2)
    #expect(server.requests[1].value(of: "Cookie") == nil)
    #expect(server.requests[1].value(of: "Authorization") == nil)
  }
}
