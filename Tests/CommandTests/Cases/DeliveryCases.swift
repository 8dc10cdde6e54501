import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Requests that come twice, late, or in another order.
@Suite(.onThreads) struct DeliveryCases {
  private let line: CutLine
  private var anna: Person { line.anna }

  init() throws {
    line = try CutLine()
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
  }

  /// Makes a change that is sent by a method.
  private func change(_ method: String) {
    switch method {
    case "POST": anna.run("new", "-s", "id=tea", "Buy tea")
    case "PATCH": anna.run("set", "milk", "text=Buy oat milk")
    default: anna.run("rm", "milk")
    }
  }

  private func expectDone(_ method: String) throws {
    anna.expectSound()
    #expect(anna.conflicts == [])
    let rows = try line.server.rows(method == "POST" ? "tea" : "milk")
    #expect(rows.count == 1)
    let text = ["POST": "Buy tea", "PATCH": "Buy oat milk"][method] ?? "Buy milk"
    #expect(rows.first?["text"]?.text?.string == text)
    #expect(rows.first?["deleted"]?.boolean ?? false == (method == "DELETE"))
  }

  @Test(
    "N4: a request that is delivered twice is done once",
    arguments: ["POST", "PATCH", "DELETE"], [Int.max, 0])
  func twice(method: String, replyBytes: Int) throws {
    change(method)
    var course = ByteProxy.Course.reply(cutAfter: replyBytes)
    course.doubles = true
    let pushed = line.run("push", on: course)
    #expect(pushed.status == 0, "\(pushed)")
    #expect(line.run("push").status == 0)
    try expectDone(method)
  }

  @Test(
    "N4: a request that is delivered after it was sent again changes nothing any more",
    arguments: ["POST", "PATCH", "DELETE"])
  func lateAfterAgain(method: String) throws {
    change(method)
    var course = ByteProxy.Course.clear
    course.withholds = true
    // It is sent again by the same push.
    #expect(line.run("push", on: course).status == 0)
    line.deliverWithheld()
    try expectDone(method)
  }

  @Test(
    "N4: a request that is delivered before it is sent again is found done",
    arguments: ["POST", "PATCH", "DELETE"])
  func lateBeforeAgain(method: String) throws {
    change(method)
    var course = ByteProxy.Course.clear
    course.withholds = true
    #expect(line.run(["push"], on: [course] + CutLine.down).status == 5)
    line.deliverWithheld()
    #expect(line.run("push").status == 0)
    try expectDone(method)
  }

  @Test("N4: an old update that is delivered after a newer one doesn't undo it")
  func overtaken() throws {
    anna.run("set", "milk", "text=Buy soy milk")
    var course = ByteProxy.Course.clear
    course.withholds = true
    #expect(line.run(["push"], on: [course] + CutLine.down).status == 5)
    anna.run("set", "milk", "text=Buy oat milk")
    #expect(line.run("push").status == 0)
    line.deliverWithheld()
    try expectDone("PATCH")
  }

  @Test("N4: replies that come in another order than the requests belong to their items")
  func swapped() throws {
    for id in ["a", "b", "c"] { anna.run("new", "-s", "id=\(id)", "Item \(id)") }
    let isOvertaken = Gate()
    var (slow, fast) = (ByteProxy.Course.clear, ByteProxy.Course.clear)
    slow.beforeReply = { isOvertaken.wait() }
    fast.beforeReply = { isOvertaken.open() }
    // The first write goes alone; then there are two at once, on its connection and on a second.
    let pushed = line.run("push", on: .clear, slow, fast)
    #expect(pushed.status == 0, "\(pushed)")
    #expect(pushed.output == "created a  Item a\ncreated b  Item b\ncreated c  Item c\n")
    for id in ["a", "b", "c"] {
      #expect(try line.server.rows(id).first?["text"]?.text?.string == "Item \(id)")
    }
    anna.expectSound()
  }

  @Test("N10: kept connections that die as they are used again cost no item, and double none")
  func diesWhenUsedAgain() throws {
    let count = 12
    for number in 0..<count { anna.run("new", "-s", "id=n\(number)", "Item \(number)") }
    anna.run("config", "push.jobs", "1")
    // Each connection carries one whole exchange, and a part of the next request or none of it.
    let courses = (0..<count).map { ByteProxy.Course.reply(cutAfter: 700 + $0 * 40, .reset) }
    #expect([0, 5].contains(line.run(["push"], on: courses).status))
    #expect(line.run("push").status == 0)
    for number in 0..<count { #expect(try line.server.rows("n\(number)").count == 1) }
    #expect(anna.conflicts == [])
    anna.expectSound()
  }
}
