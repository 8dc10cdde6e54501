import CommandSupport
import Commands
import Glibc
import SystemPackage
import TestSupport
import Testing

/// Items that get another id while calls fail, or answers are lost.
@Suite struct NetworkMovedTests {
  private let server: RunningServer
  private let anna: Person

  init() throws {
    server = try RunningServer()
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "one"}"#)
    anna = try Person(cloning: server.url)
  }

  @Test("what is renamed back while its delete is unknown waits for that")
  func movesBackUnderADelete() throws {
    let losing = try Proxy(before: server.url) { request in
      request.method == "DELETE" || request.target.contains("todoitem/a") ? .loseAnswer : .forward
    }
    anna.run("mv", "a", "z")
    anna.run("remote", "set", losing.url)
    #expect(anna.run("push").output == "created z  one\nunknown a  one\n")
    let refused = anna.run("mv", "z", "a")
    #expect(refused.status == 2)
    #expect(refused.error.contains("the outcome of todoitem/a is unknown"))
    anna.run("remote", "set", server.url)
    #expect(anna.run("push").status == 0)
    #expect(anna.run("mv", "z", "a").status == 0)
    #expect(anna.run("push").output == "undeleted a  one\ndeleted z  one\n")
    anna.expectSound()
  }
}
