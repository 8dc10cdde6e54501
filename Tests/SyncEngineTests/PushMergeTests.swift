import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A push that meets somebody else's change") struct PushMergeTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    try bench.share("x", #"{"a":1,"b":1}"#)
  }

  private mutating func policy(_ rule: MergePolicy.Rule) {
    bench.settings.policies[bench.table] = MergePolicy(rule)
  }

  @Test("changes of other fields are merged and sent again with the new version")
  mutating func merges() throws {
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    let report = try bench.push()
    #expect(report.words == ["x merged", "x pushed update"])
    #expect(
      bench.writes() == [
        #"PATCH todoitem/x If-Match v1 {"a":2}"#, #"PATCH todoitem/x If-Match v2 {"a":2}"#,
      ])
    #expect(bench.item("x") == #"{"a":2,"b":2}"#)
    #expect(bench.differences == [])
  }

  @Test("a change of the same field is a conflict: the item stays, and the row too")
  mutating func conflict() throws {
    try bench.elsewhere("x", #"{"a":3,"b":2}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    let report = try bench.push()
    #expect(report.words == ["x conflict MM"])
    #expect(report.conflicts == 1 && report.pushed == 0)
    #expect(bench.item("x") == #"{"a":2,"b":1}"#)
    #expect(bench.row("x") == #"{"a":3,"b":2}"#)
    let key = try bench.key("x")
    let open = try #require(bench.disk.inConflict[key])
    #expect(open == bench.server.rows[key])
    let sides = try #require(bench.disk.sides[key])
    #expect(sides.client == bench.disk.files[key]?.bytes)
    #expect(sides.server == (try Item(text: #"{"a":3,"b":2}"#)))
    #expect(sides.base == (try Item(text: #"{"a":1,"b":1}"#)))
    // The base is still what the item was made from.
    #expect(try bench.disk.base(of: key).item == sides.base)
  }

  @Test("a conflict is not sent again, and holds up nothing else")
  mutating func blocksNothing() throws {
    try bench.elsewhere("x", #"{"a":3,"b":1}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.save("y", #"{"n":1}"#)
    #expect(Set(try bench.push().words) == ["x conflict MM", "y pushed insert"])
    _ = bench.writes()
    try bench.save("x", #"{"a":4,"b":1}"#)
    try bench.save("z", #"{"n":1}"#)
    #expect(try bench.push().words == ["z pushed insert"])
    #expect(bench.writes().count == 1)
    #expect(bench.standings == ["x conflict MM"])
  }

  @Test("by the rule manual what was only touched there is sent again in the same push")
  mutating func manualTouched() throws {
    policy(.manual)
    try bench.elsewhere("x", #"{"a":1,"b":1}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    #expect(try bench.push().words == ["x pushed update"])
    #expect(bench.row("x") == #"{"a":2,"b":1}"#)
    #expect(bench.differences == [])
  }

  @Test("by the rule client the client's value is sent, and the server's is kept in the trash")
  mutating func client() throws {
    policy(.client)
    try bench.elsewhere("x", #"{"a":3,"b":2}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    #expect(try bench.push().words == ["x merged", "x pushed update"])
    #expect(bench.row("x") == #"{"a":2,"b":2}"#)
    #expect(bench.disk.trash.contains { String(decoding: $0, as: UTF8.self).contains(#""a":3"#) })
    #expect(bench.differences == [])
  }

  @Test("by the rule server the server's value is taken, and the client's is kept in the trash")
  mutating func server() throws {
    policy(.server)
    try bench.elsewhere("x", #"{"a":3,"b":2}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    #expect(try bench.push().words == ["x merged"])
    #expect(bench.item("x") == #"{"a":3,"b":2}"#)
    #expect(bench.disk.trash.contains { String(decoding: $0, as: UTF8.self).contains(#""a":2"#) })
    #expect(bench.differences == [])
  }

  @Test("a server that moves on each time is tried five times, then the change waits")
  mutating func rounds() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let (server, key) = (bench.server, try bench.key("x"))
    bench.line.beforeWrite = {
      let row = server.rows[key]
      var item = row?.item ?? Item(JSONObject())
      item["b"] = .integer((item["b"]?.integer ?? 0) + 1)
      _ = server.store(item, key, by: 2, over: row)
    }
    let report = try bench.push()
    #expect(bench.writes().count == 5)
    #expect(report.stop == .unreachable("the server did not keep changes that were sent 5 times"))
    #expect(bench.standings == ["x pending update"])
    bench.line.beforeWrite = nil
    #expect(try bench.push().words == ["x pushed update"])
    #expect(bench.differences == [])
  }

  @Test("an item that was merged is sent again, others are not looked at a second time")
  mutating func againOnly() throws {
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.save("y", #"{"text":"refuse me"}"#)
    try bench.push()
    #expect(
      bench.writes().map { $0.prefix(16) } == [
        "PATCH todoitem/x", "POST todoitem/y ", "PATCH todoitem/x",
      ])
  }
}
