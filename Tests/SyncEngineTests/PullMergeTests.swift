import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A pull that meets a local change") struct PullMergeTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    try bench.share("x", #"{"a":1,"b":1}"#)
  }

  private func base() throws -> Item? { try bench.disk.base(of: bench.key("x")).item }

  @Test("changes of other fields are merged; what is ours stays pending over the new version")
  mutating func merges() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    #expect(try bench.pull().words == ["x merged"])
    #expect(bench.item("x") == #"{"a":2,"b":2}"#)
    #expect(try base() == Item(text: #"{"a":1,"b":2}"#))
    #expect(bench.standings == ["x pending update"])
    try bench.push()
    #expect(bench.writes() == [#"PATCH todoitem/x If-Match v2 {"a":2}"#])
    #expect(bench.differences == [])
  }

  @Test("the base of a row that a pull brings is read twice: when it comes, and when it is brought")
  mutating func readsBaseTwice() throws {
    // The newest row that is known is looked at apart.
    try bench.share("y", #"{"a":1}"#)
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    var readings = 0
    bench.disk.willReadBase = { readings += $0.id.description == "x" ? 1 : 0 }
    #expect(try bench.pull().words == ["x updated"])
    #expect(readings == 2)
  }

  @Test("a change of the same field is a conflict: the item stays as it is, the token moves on")
  mutating func conflict() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let row = try bench.elsewhere("x", #"{"a":3,"b":1}"#)
    let report = try bench.pull()
    #expect(report.words == ["x conflict MM"])
    #expect(report.conflicts == 1)
    #expect(bench.item("x") == #"{"a":2,"b":1}"#)
    #expect(try base() == Item(text: #"{"a":1,"b":1}"#))
    #expect(try bench.disk.token(of: bench.table)?.text == row.updatedAt?.text)
    #expect(bench.disk.inConflict[try bench.key("x")] == row)
  }

  @Test("a rejected item is merged like any other")
  mutating func rejected() throws {
    try bench.save("x", #"{"text":"refuse me","a":1,"b":1}"#)
    try bench.push()
    #expect(bench.standings == ["x rejected update 400"])
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    #expect(try bench.pull().words == ["x merged"])
    #expect(bench.item("x") == #"{"text":"refuse me","a":1,"b":2}"#)
  }

  // MARK: - Edits during the pull

  @Test(
    "an edit made during the pull that brings its row stays",
    arguments: [
      #"{"a":1,"b":5}"#, #"{"a":5,"b":1}"#,
    ])
  mutating func editInPull(_ edit: String) throws {
    try bench.elsewhere("x", #"{"a":3,"b":1}"#)
    let (key, item) = (try bench.key("x"), try Item(text: edit))
    // The first step keeps the row: then the item was not looked at yet. The second replaces it.
    bench.ahead(of: 2) { $0.save(item, as: key) }
    let report = try bench.pull()
    bench.disk.beforeStep = nil
    if item["a"] == 1 {
      #expect(report.words == ["x merged"])
      #expect(bench.item("x") == #"{"a":3,"b":5}"#)
      #expect(bench.standings == ["x pending update"])
    } else {
      #expect(report.words == ["x conflict MM"])
      #expect(bench.item("x") == edit)
    }
  }

  @Test("a user who saves all the time is left alone, and the row is taken by the next pull")
  mutating func savesAllTheTime() throws {
    try bench.elsewhere("x", #"{"a":3,"b":1}"#)
    let key = try bench.key("x")
    var count = 1
    bench.disk.beforeStep = { disk in
      count += 1
      disk.save([UInt8]("{\"id\":\"x\",\"a\":1,\"b\":\(count)}".utf8), as: key)
    }
    let report = try bench.pull()
    #expect(report.words == ["x held"])
    #expect(report.events.map(\.hold) == [.changing])
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == "{\"a\":1,\"b\":\(count)}")
    #expect(try bench.pull().words == ["x merged"])
    #expect(bench.item("x") == "{\"a\":3,\"b\":\(count)}")
  }
}
