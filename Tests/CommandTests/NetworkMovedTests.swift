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
  /// The exchange with the new text; the new name is there by then.
  private let exchange = FailingCalls.Rule(call: .renameat2, error: .ioError, argument: (4, 2))

  init() throws {
    server = try RunningServer()
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "one"}"#)
    anna = try Person(cloning: server.url)
  }

  /// Returns a line on which requests of some methods are refused.
  private func refusing(_ methods: Set<String>, by status: Int = 400) throws -> Proxy {
    try Proxy(before: server.url) { request in
      methods.contains(request.method)
        ? .answer(.json(#"{"error": "no"}"#, status: status)) : .forward
    }
  }

  /// Gives an id while a call fails.
  private func cutOff(by rule: FailingCalls.Rule, _ words: String...) throws {
    let anna = anna
    guard let failed = FailingCalls.run([rule], { anna.run(["mv"] + words) }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    #expect(failed.status == 8)
  }

  @Test("a moving without an id in the text that is cut off deletes nothing before its time")
  func cutOffWithoutID() throws {
    let refusing = try refusing(["POST"])
    anna.run("remote", "set", refusing.url)
    anna.directory.write(#"{"text": "one"}"#, to: anna.file("a"))
    // The first to come after the new name.
    try cutOff(by: FailingCalls.Rule(call: .syncfs, error: .ioError), "a", "z")
    #expect(anna.item("a") == nil)
    let pushed = anna.run("push")
    #expect(pushed.output == "rejected z  400 no\n")
    #expect(pushed.error.contains("todoitem/a is deleted on the server once todoitem/z is there\n"))
  }

  @Test("a third name for a file that was moved by hand, cut off, is finished by the same command")
  func cutOffUnderAThirdName() throws {
    rename(anna.directory.path(of: anna.file("a")), anna.directory.path(of: anna.file("b")))
    try cutOff(by: exchange, "todoitem/b", "c")
    #expect(anna.item("b") == nil)
    #expect(
      anna.run("push").error.contains(
        "todoitem/a is deleted on the server once todoitem/c is there\n"))
    #expect(anna.run("mv", "todoitem/c", "c").output == "renamed a to c  one\n")
    #expect(anna.run("push").output == "created c  one\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("a moving back that was cut off is finished by the same command")
  func cutOffBack() throws {
    anna.run("mv", "a", "z")
    let refusing = try refusing(["DELETE"])
    anna.run("remote", "set", refusing.url)
    anna.run("push")
    try cutOff(by: exchange, "z", "a")
    #expect(anna.run("mv", "z", "a").output == "renamed z to a  one\n")
    anna.run("remote", "set", server.url)
    #expect(anna.run("push").output == "deleted z  one\n")
    anna.expectSound()
  }

  @Test("what is moved back while its delete is unknown stays until the server has it again")
  func movesBackUnderADelete() throws {
    let losing = try Proxy(before: server.url) { request in
      request.method == "DELETE" || request.target.hasSuffix("/a") ? .loseAnswer : .forward
    }
    anna.run("mv", "a", "z")
    anna.run("remote", "set", losing.url)
    #expect(anna.run("push").output == "created z  one\nunknown a  one\n")
    #expect(anna.run("mv", "z", "a").status == 0)
    let refusing = try refusing(["POST", "PATCH"], by: 403)
    anna.run("remote", "set", refusing.url)
    let pushed = anna.run("push")
    #expect(pushed.output.contains("rejected a  403 no\n"), "\(pushed)")
    #expect(try Person(cloning: server.url).item("z") != nil)
    anna.run("remote", "set", server.url)
    #expect(anna.run("push", "a").output == "undeleted a  one\ndeleted z  one\n")
    anna.expectSound()
  }
}
