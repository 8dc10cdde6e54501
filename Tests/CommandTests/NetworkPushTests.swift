import CommandSupport
import Commands
import Glibc
import SyncModel
import TestSupport
import Testing

@Suite struct NetworkPushTests {
  private let server: RunningServer
  private let anna: Person

  init() throws {
    server = try RunningServer()
    anna = try Person(cloning: server.url)
  }

  /// A proxy that loses the answer to a write, and everything behind it until the line is back.
  private func proxy(losing method: String, until isBack: Gate) throws -> Proxy {
    let isSent = Gate()
    return try Proxy(before: server.url) { request in
      if isBack.wait(seconds: 0) { return .forward }
      guard request.method == method else {
        return isSent.wait(seconds: 0) ? .answer(.dropped) : .forward
      }
      isSent.open()
      return .loseAnswer
    }
  }

  @Test("an insert of which nobody knows what became is listed so, and its file can be restored")
  func restoresUnknown() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    let isBack = Gate()
    let proxy = try proxy(losing: "POST", until: isBack)
    anna.run("remote", "set", proxy.url)
    #expect(anna.run("push").status == 5)
    #expect(anna.run("status", "-s").output == "?   milk  Buy milk            insert\n")
    #expect(
      anna.run("status", "--porcelain").output == "# tsync.status 1\n?  unknown todoitem/milk -\n")
    #expect(anna.run("journal").output.hasPrefix("sent "))
    anna.directory.write("{", to: anna.file("milk"))
    let all = anna.run("restore", "-a")
    #expect(all.status == 0 && all.output == "", "\(all)")
    #expect(anna.item("milk") == "{")
    isBack.open()
    #expect(anna.run("push").output.contains("deleted") == false)
    #expect(try server.rows("milk").first?["deleted"]?.boolean == false)
    // Now it is known, and comes back.
    #expect(anna.run("restore", "milk").output == "restored milk  Buy milk\n")
  }

  @Test(
    "what waits behind a write of unknown outcome is foretold, sent and told",
    arguments: [
      (["rm", "milk"], "delete", true), (["set", "milk", "due=2027"], "update", true),
      (["set", "milk", "due=2027"], "update", false),
    ])
  func tellsWhatWaitsBehind(command: [String], kind: String, hasArrived: Bool) throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    let (isSent, isBack) = (Gate(), Gate())
    let proxy = try Proxy(before: server.url) { request in
      if request.method == "PATCH" { isSent.open() }
      guard isSent.wait(seconds: 0), !isBack.wait(seconds: 0) else { return .forward }
      return hasArrived && request.method == "PATCH" ? .loseAnswer : .answer(.dropped)
    }
    anna.run("remote", "set", proxy.url)
    anna.run("set", "milk", "text=Oat milk")
    #expect(anna.run("push").status == 5)
    #expect(anna.run(command).status == 0)
    isBack.open()
    let foretold = anna.run("push", "-n")
    #expect(foretold.output == "would \(kind) milk  Oat milk\n")
    #expect(foretold.error.hasPrefix("1 to push"))
    #expect(anna.run("journal").output.contains("pending   \(kind)"))
    let pushed = anna.run("push")
    #expect(pushed.status == 0)
    #expect(pushed.output == "\(kind)d milk  Oat milk\n", "\(pushed)")
    #expect(pushed.error.hasPrefix("1 pushed"))
  }

  @Test("the delete of a file that is back when its outcome is known is no missing file's")
  func countsNoFileThatIsBack() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    let isBack = Gate()
    let proxy = try proxy(losing: "DELETE", until: isBack)
    anna.run("remote", "set", proxy.url)
    unlink(anna.directory.path(of: anna.file("milk")))
    #expect(anna.run("push").status == 5)
    #expect(anna.run("restore", "milk").output == "restored milk  Buy milk\n")
    isBack.open()
    let pushed = anna.run("push")
    #expect(pushed.output == "undeleted milk  Buy milk\n")
    #expect(pushed.error == "1 pushed\n", "\(pushed)")
  }

  @Test("case 80: an item that is edited while it is on its way keeps the edit, which is sent next")
  func keepsEdit() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    let path = anna.directory.path(of: anna.file("milk"))
    let proxy = try Proxy(before: server.url) { request in
      if request.method == "POST" {
        let file = fopen(path, "w")
        fputs(#"{"id": "milk", "text": "Buy oat milk"}"#, file)
        fclose(file)
      }
      return .forward
    }
    anna.run("remote", "set", proxy.url)
    #expect(anna.run("push").output == "created milk  Buy milk\n")
    #expect(anna.item("milk") == #"{"id": "milk", "text": "Buy oat milk"}"#)
    #expect(anna.run("push").output == "updated milk  Buy oat milk\n")
    #expect(anna.conflicts == [])
  }
}
