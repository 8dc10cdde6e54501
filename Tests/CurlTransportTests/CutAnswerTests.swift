import CurlTransport
import Remote
import TestSupport
import Testing

/// Answers that break off: libcurl calls some of them a success.
@Suite struct CutAnswerTests {
  static let body = #"{"text":"Hello world 3"}"#

  static let answers: [(name: String, reply: ScriptedReply)] = [
    ("by length", .json(body)),
    (
      "in chunks",
      .raw(
        """
        HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\
        e\r\n{"text":"Hello\r\na\r\n world 3"}\r\n0\r\n\r\n
        """, then: .keepOpen)
    ),
    ("packed", .answer(200, [("Content-Encoding", "gzip")], body: Gzipped.helloWorld)),
    (
      "after an interim reply",
      .raw(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        then: .keepOpen)
    ),
  ]

  @Test(
    "case 60, N1: an answer that ends after any of its bytes is cut, never a success",
    arguments: ["by length", "in chunks", "packed", "after an interim reply"],
    [ScriptedReply.Ending.close, .reset])
  func everyByte(name: String, ending: ScriptedReply.Ending) throws {
    let reply = try #require(Self.answers.first { $0.name == name }).reply
    let server = try ScriptedServer { request in
      reply.cut(after: Int(request.target.dropFirst()) ?? 0, then: ending)
    }
    var transport = CurlTransport.forTest()
    // The last byte of the last chunk, a line feed, adds nothing: libcurl does not wait for it.
    let needed = reply.bytes.count - (name == "in chunks" ? 1 : 0)
    for count in 0..<needed {
      let outcome = try transport.get("\(server.url)/\(count)")
      #expect(outcome.failure?.kind == .cut, "after byte \(count)")
      #expect(outcome.failure?.nothingSent == false, "after byte \(count)")
    }
    let whole = try transport.get("\(server.url)/\(reply.bytes.count)")
    if ending == .close { #expect(whole.failure == nil) }
  }

  @Test("a body shorter than announced says so")
  func shortBody() throws {
    let server = try ScriptedServer { _ in ScriptedReply.json(Self.body).cut(after: 90) }
    var transport = CurlTransport.forTest()
    #expect(
      try transport.get(server.url).failure
        == TransportError(.cut, "the answer was cut off", nothingSent: false))
  }
}
