import Remote
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Commands

/// One deed done again and again, each time to another item.
struct EngineLife {
  private let server: RunningServer
  private let deed: Deed
  private var client: EngineClient
  private var number = 10_000
  private var refusals = 0
  var id: String { "i\(number)" }
  var text: String { "text \(number)" + (refusals > 0 ? " again" : "") }

  init(_ server: RunningServer, _ url: String, _ dialect: Dialect, _ deed: Deed) throws {
    (self.server, self.deed) = (server, deed)
    client = try EngineClient(of: url, dialect)
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
    refusals = 0
    try save(key)
  }

  /// Saves what the deed is about, as its user.
  private mutating func save(_ key: ItemKey) throws {
    switch deed {
    case .pull: break
    case .delete:
      client.disk.save(Item?.none, as: key)
      let note = Note(kind: .delete, commanded: true)
      try client.disk.append([.noted(key, note)], durably: true)
    default:
      // Who touches an item again changes it as it is by then.
      let here = refusals > 0 ? try client.disk.client(key).item : nil
      var fields = here?.fields ?? JSONObject()
      fields["text"] = .string(text)
      client.disk.save(Item(fields), as: key)
    }
  }

  /// Lets the client know a row, as after a pull.
  private mutating func learn(_ answer: String) throws {
    let object = try #require(try JSON(parsing: Array(answer.utf8)).object)
    let row = try Row(object)
    try client.disk.setBase([row], in: TableName("todoitem"), durably: true)
  }

  /// Does it, whatever comes of it.
  mutating func attempt() throws -> PushReport { try client.push() }

  /// Does it once more; where the server has refused it before, its user touches it first.
  ///
  /// What was in conflict with a row that proves to be another one is decided anew by a pull.
  mutating func performDespiteRefusals() throws -> Stop? {
    if !client.disk.sides.isEmpty, let stop = try client.pull() { return stop }
    let report = try client.push()
    guard !client.disk.journal.rejections.isEmpty else { return report.stop }
    let key = try client.key(id)
    guard deed == .delete else {
      // A row that came without its version is guarded by none until it is pulled again.
      if deed == .merge, let stop = try client.pull() { return stop }
      refusals += 1
      try save(key)
      return try perform()
    }
    client.disk.save(Item(JSONObject([.init(name: "text", value: "old")])), as: key)
    _ = try client.push()
    try save(key)
    return try perform()
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
