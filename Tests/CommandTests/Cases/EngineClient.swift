import CurlTransport
import Remote
import SyncEngine
import SyncModel
import TestSupport

/// A client without its commands: the engine, a disk in memory, and real sockets to a server.
///
/// Each push and each pull has connections of its own, as each command has.
struct EngineClient {
  var disk = MemoryDisk()
  private let address: ServerAddress
  private let dialect: Dialect
  private let table: TableName

  /// Makes a client that speaks a dialect to a server.
  ///
  /// - Throws: Where the address is none.
  init(of url: String, _ dialect: Dialect) throws {
    address = try ServerAddress(Text(url))
    self.dialect = dialect
    table = try TableName("todoitem")
  }

  /// Returns the key of an item.
  func key(_ id: String) throws -> ItemKey { ItemKey(table, try ItemID(Text(id))) }

  private var backend: RESTBackend<CurlTransport> {
    RESTBackend(
      Exchange(
        CurlTransport(userAgent: "test", certificateFile: nil, noProxy: nil), with: address,
        surroundings: Surroundings(pause: { _ in })),
      facts: ServerFacts(dialect: dialect))
  }

  /// Pushes as the command does: what was interrupted is finished first.
  mutating func push() throws -> PushReport {
    var report = PushReport()
    var backend = backend
    report.events += try Recovery.run([table], on: &disk, settings: Settings())
    try Push(settings: Settings()).run([table], on: &disk, to: &backend, report: &report)
    return report
  }

  /// Pulls as the command does; tells what ended it.
  mutating func pull() throws -> Stop? {
    var report = PullReport(table: table)
    var backend = backend
    _ = try Recovery.run([table], on: &disk, settings: Settings())
    do {
      try Pull(settings: Settings())
        .run(table, on: &disk, from: &backend, report: &report)
      return nil
    } catch let stop as Stop {
      return stop
    }
  }
}
