import CurlTransport
import Remote
import TestSupport
import Testing

/// libcurl would take our fields along to another host (safety.md §0, finding 6).
@Suite struct RedirectTests {
  @Test(
    "case 36, S8: a redirect is an answer, and nothing goes where it points",
    arguments: [301, 302, 303, 307, 308])
  func notFollowed(status: Int) throws {
    let other = try ScriptedServer { _ in .json("{}") }
    let location = "\(other.url)/tables/todoitem"
    let server = try ScriptedServer { _ in .answer(status, [("Location", location)]) }
    var transport = CurlTransport.forTest()
    let request = HTTPRequest(
      method: "POST", url: server.url, headers: [HTTPField("X-ZUMO-AUTH", "canary")],
      body: Array("canary".utf8))
    let answer = try transport.send(request).get()
    #expect(answer.status == status)
    #expect(answer.header("location") == location)
    #expect(server.requests.count == 1)
    #expect(other.connectionCount == 0)
  }

  @Test("case 36, S8: a redirect to a file is an answer like others")
  func notToFile() throws {
    let server = try ScriptedServer { _ in .answer(302, [("Location", "file:///etc/passwd")]) }
    var transport = CurlTransport.forTest()
    #expect(try transport.get(server.url).get().body == [])
  }
}
