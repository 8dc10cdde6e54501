import CurlTransport
import Remote
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Commands

/// The line cut after each byte of a whole conversation, in both directions (safety.md N1): the
/// engine on a disk in memory, libcurl, sockets, tsync-server.
///
/// Every day a sample is cut, chosen by a seed that is printed and that `TSYNC_SEED` sets; with
/// `TSYNC_CAMPAIGN=1` every byte.
@Suite struct SweepCases {
  @Test(
    "cases 38, 60, N1, N3: cut after each byte, each deed is done once, and nothing is in conflict",
    arguments: Dialect.allCases, Deed.allCases)
  func sweeps(dialect: Dialect, deed: Deed) throws {
    let server = try RunningServer()
    let course = NextCourse()
    let proxy = try ByteProxy(before: server.port) { _ in course.take() }
    var life = try EngineLife(server, proxy, dialect, deed)
    try life.begin()
    #expect(try life.perform() == nil)
    let whole = try #require(proxy.passages.last)
    try life.check("whole")
    #expect(String(decoding: whole.request, as: UTF8.self).hasPrefix(deed.method(in: dialect)))
    var chance = SplitMix64(seed: Cuts.seed &+ UInt64(deed.hashed(with: dialect)))
    var count = 0
    for cut in Cuts.of(whole, every: 40, &chance) {
      try life.begin()
      course.set([cut.course])
      let stop = try life.perform()
      course.set([])
      if let stop, case .unreachable = stop {} else { #expect(stop == nil, "\(cut)") }
      #expect(try life.perform() == nil, "\(cut)")
      try life.check("\(cut)")
      count += 1
    }
    print("\(dialect.rawValue), \(deed): \(count) cuts, all settled (seed \(Cuts.seed))")
  }
}

extension Deed {
  /// The method of the first request that the deed sends.
  func method(in dialect: Dialect) -> String {
    switch (self, dialect) {
    case (.pull, _): "GET "
    case (.insert, _), (.undelete, .mobileApps): "POST "
    case (.delete, _): "DELETE "
    case (_, .communityToolkit): "PUT "
    case (.update, _), (.merge, _), (.undelete, .datasync): "PATCH "
    }
  }

  fileprivate func hashed(with dialect: Dialect) -> UInt32 {
    "\(self) \(dialect)".utf8.reduce(0) { $0 &* 31 &+ UInt32($1) }
  }
}

/// One deed done again and again, each time to another item.
private struct EngineLife {
  private let server: RunningServer
  private let deed: Deed
  private var client: EngineClient
  private var number = 10_000
  private var id: String { "i\(number)" }
  private var text: String { "text \(number)" }

  init(_ server: RunningServer, _ proxy: ByteProxy, _ dialect: Dialect, _ deed: Deed) throws {
    (self.server, self.deed) = (server, deed)
    client = try EngineClient(of: proxy.url, dialect)
  }

  /// Brings the client and the server to where the deed begins.
  mutating func begin() throws {
    number += 1
    let key = try client.key(id)
    // A disk that keeps all items would make each step slower than the one before.
    if deed != .pull { client.disk = MemoryDisk() }
    if deed != .insert {
      let old = deed == .pull ? text : "old"
      var answer = try server.request(
        "POST", "tables/todoitem", #"{"id": "\#(id)", "text": "\#(old)"}"#)
      if deed == .undelete {
        try server.request("DELETE", "tables/todoitem/\(id)")
        answer = try server.request("GET", "tables/todoitem/\(id)?__includedeleted=true")
      }
      if deed != .pull { try learn(answer) }
    }
    if deed == .merge {
      try server.request("PATCH", "tables/todoitem/\(id)", #"{"notes": "theirs"}"#)
    }
    switch deed {
    case .pull: break
    case .delete: client.disk.save(Item?.none, as: key)
    default:
      client.disk.save(Item(JSONObject([.init(name: "text", value: .string(text))])), as: key)
    }
    if deed == .delete {
      let note = Note(kind: .delete, commanded: true)
      try client.disk.append([.noted(key, note)], durably: true)
    }
  }

  /// Lets the client know a row, as after a pull.
  private mutating func learn(_ answer: String) throws {
    let object = try #require(try JSON(parsing: Array(answer.utf8)).object)
    let row = try Row(object)
    try client.disk.setBase([row], in: TableName("todoitem"), durably: true)
  }

  /// Does it; answers what ended it early.
  mutating func perform() throws -> Stop? {
    guard deed != .pull else { return try client.pull() }
    let report = try client.push()
    #expect(report.rejected == 0 && report.conflicts == 0, "\(report)")
    return report.stop
  }

  /// Looks at both sides: one row, the right content, no conflict, nothing left to do.
  mutating func check(_ place: String) throws {
    let idle = try client.push()
    #expect(idle == PushReport(), "\(deed), \(place)")
    #expect(client.disk.sides.isEmpty && client.disk.journal.intents.isEmpty, "\(deed), \(place)")
    let rows = try server.rows(id)
    #expect(rows.count == 1, "\(deed), \(place)")
    let row = try #require(rows.first)
    let here = try client.disk.client(client.key(id)).item
    #expect(row["deleted"]?.boolean ?? false == (deed == .delete), "\(deed), \(place)")
    #expect((here == nil) == (deed == .delete), "\(deed), \(place)")
    guard let here else { return }
    #expect(row["text"] == .string(text), "\(deed), \(place)")
    #expect(here.fields["text"] == .string(text), "\(deed), \(place)")
    if deed == .merge {
      #expect(row["notes"] == "theirs" && here.fields["notes"] == "theirs", "\(deed), \(place)")
    }
  }
}
