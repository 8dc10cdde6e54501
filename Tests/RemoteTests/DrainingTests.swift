import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct DrainingTests {
  private let stage = Stage()

  @Test("250 rows of one time, whose order changes with every request, come once each")
  func drains() throws {
    for dialect in Dialect.allCases {
      for counts in [true, false] {
        for (cap, pageSize) in [(1_000, 100), (50, 1_000), (21, 1_000), (250, 250)] {
          let twin = TableTwin(dialect)
          twin.counts = counts
          twin.cap = cap
          twin.shufflesTies = true
          twin.add(["early"], at: 0)
          twin.add(Sample.names(250), at: 5)
          twin.add(["late"], at: 9)
          let found = try stage.pull(twin, pageSize: pageSize).ids
          #expect(found.count == 252 && Set(found).count == 252, "\(dialect) \(counts) \(cap)")
        }
      }
    }
  }

  @Test("1 200 rows of one time at page size 100 on tsync-server take 15 requests")
  func drainsTsyncServer() throws {
    let twin = TableTwin(.datasync)
    let names = (0..<1_200).map { "r\(10_000 + $0)" }
    twin.add(names, at: 5)
    let pages = try stage.pull(twin, pageSize: 100, dataset: "d1")
    #expect(pages.ids == names)
    #expect(twin.requests.count == 15)
    #expect(pages.allSatisfy { $0.token == DeltaToken("2026-03-01T10:00:00.005Z") })
  }

  @Test("a server that shows a time less finely than it compares it is drained, too")
  func coarseTimes() throws {
    for (unit, step) in [(Int64(10_000), Int64(3)), (10_000_000, 30_000), (10_000_000, 7)] {
      for counts in [true, false] {
        let twin = TableTwin(.datasync)
        twin.shownUnit = unit
        twin.counts = counts
        for (index, name) in Sample.names(300).enumerated() {
          twin.entries.append(
            TableTwin.Entry(id: name, ticks: TableTwin.epoch + Int64(index) * step))
        }
        twin.add(["late"], at: 5_000)
        let found = try stage.pull(twin, pageSize: 40).ids
        #expect(Set(found).count == 301 && found.count == 301, "\(unit) \(step) \(counts)")
      }
    }
  }

  @Test("rows without a time come once each, first or last, many or few")
  func untimed() throws {
    for untimedLast in [false, true] {
      for counts in [true, false] {
        for (untimed, timed, pageSize) in [(3, 20, 10), (25, 20, 10), (25, 0, 10), (10, 10, 10)] {
          let twin = TableTwin(.mobileApps)
          twin.untimedLast = untimedLast
          twin.counts = counts
          twin.entries = Sample.names(untimed).map { TableTwin.Entry(id: "n" + $0, ticks: nil) }
          for (index, name) in Sample.names(timed).enumerated() {
            twin.add([name], at: Int64(index))
          }
          let found = try stage.pull(twin, pageSize: pageSize).ids
          let all = untimed + timed
          #expect(Set(found).count == all, "\(untimedLast) \(counts) \(untimed) \(timed)")
        }
      }
    }
  }
}
