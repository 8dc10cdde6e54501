import CommandSupport
import Remote
import SyncEngine
import SyncModel
import TestSupport
import Testing

/// What the engine relies on behind SyncEngine/Backend.swift, asked of the model that its simulation
/// has for a server, and of tsync-server in every dialect of the client's.
@Suite(.onThreads) struct BackendContractTests {
  // MARK: - Inserts

  @Test("a new row is answered as it is read, under its id", arguments: Peer.allCases)
  func newRow(peer: Peer) throws {
    let line = try Contact(peer)
    let text = #"{"text":"x","n":1.50,"big":12345678901234567890,"o":{"a":[1,null]},"due":null}"#
    let outcome = try line.send(.insert, "a", text)
    let row = try #require(try line.read("a"))
    #expect(outcome == .done(row))
    #expect(try row.item == Item(text: text))
    #expect(row.version != nil && row.updatedAt != nil && !row.deleted)
    #expect(try !line.backend.makesIDs(in: line.table))
  }

  @Test("an id that is taken is a conflict, and its row stays", arguments: Peer.allCases)
  func takenID(peer: Peer) throws {
    let line = try Contact(peer)
    let row = try line.made("a", "x")
    #expect(try line.send(.insert, "a", .text("y")).status == 409)
    #expect(try line.read("a") == row)
    let tombstone = try line.removed(row)
    #expect(try line.send(.insert, "a", .text("y")).status == 409)
    #expect(try line.read("a") == tombstone)
  }

  @Test("ids are compared by their bytes", arguments: Peer.allCases)
  func ids(peer: Peer) throws {
    let line = try Contact(peer)
    let ids = ["A", "a", "a b", "e\u{301}", "\u{e9}", "%41", "a'b", "-", "日本", "a&b=c", "a#b"]
    let rows = try ids.map { try line.made($0, "of \($0)") }
    #expect(Set(rows.map(\.id)).count == ids.count)
    for (id, row) in zip(ids, rows) {
      #expect(try row.id == ItemID(Text(id)))
      #expect(try line.changed(row, "now").id == row.id)
    }
    #expect(try Set(line.pull().ids) == Set(ids))
  }

  // MARK: - Updates

  @Test("an update is answered as it is read: another version, no older", arguments: Peer.allCases)
  func update(peer: Peer) throws {
    let line = try Contact(peer)
    let old = try line.made("a", "x", #","gone":1,"kept":{"b":2}"#)
    let text = #"{"text":"y","kept":{"b":2},"new":true}"#
    let outcome = try line.send(.update, "a", text, over: old)
    let row = try #require(try line.read("a"))
    #expect(outcome == .done(row))
    #expect(try row.item == Item(text: text))
    #expect(row.version != old.version && !row.isOlder(than: old))
  }

  @Test("over an old version nothing is written", arguments: Peer.allCases, Contact.guarded)
  func oldVersion(peer: Peer, kind: Operation.Kind) throws {
    let line = try Contact(peer)
    var old = try line.made("a", "x")
    if kind == .undelete { old = try line.removed(old) }
    var row = try line.changed(old, "y")
    // The version alone decides: the content is as it was.
    row = try line.changed(row, "x")
    if kind == .undelete { row = try line.removed(row) }
    #expect(try line.send(kind, "a", .text("z"), over: old).status == 412)
    #expect(try line.read("a") == row)
  }

  @Test("where there is no row, none is made", arguments: Peer.allCases, Contact.guarded)
  func noRow(peer: Peer, kind: Operation.Kind) throws {
    let line = try Contact(peer)
    let base = try line.made("b", "x")
    let status = try line.send(kind, "a", .text("z"), over: base).status
    #expect([404, 410].contains(status))
    #expect(try line.read("a") == nil)
  }

  @Test(
    "a tombstone is neither changed nor deleted again", arguments: Peer.allCases,
    [Operation.Kind.update, .delete])
  func tombstone(peer: Peer, kind: Operation.Kind) throws {
    let line = try Contact(peer)
    let row = try line.made("a", "x")
    let tombstone = try line.removed(row)
    for base in [row, tombstone] {
      #expect(try line.send(kind, "a", .text("y"), over: base).status != nil)
      #expect(try line.read("a") == tombstone)
    }
  }

  @Test("what has no version can't be sent", arguments: Peer.allCases, Contact.guarded)
  func noVersion(peer: Peer, kind: Operation.Kind) throws {
    let line = try Contact(peer)
    let id = try line.made("a", "x").id
    let base = try Row(
      id: id, item: Item(text: .text("x")), version: nil, updatedAt: nil,
      deleted: kind == .undelete)
    #expect(throws: Refusal.self) { try line.send(kind, "a", .text("y"), over: base) }
  }

  // MARK: - Deletes and their undoing

  @Test("a delete leaves a tombstone that holds the item", arguments: Peer.allCases)
  func delete(peer: Peer) throws {
    let line = try Contact(peer)
    let row = try line.made("a", "x")
    let outcome = try line.send(.delete, "a", nil, over: row)
    let tombstone = try #require(try line.read("a"))
    #expect(outcome == .done(nil) || outcome == .done(tombstone))
    #expect(tombstone.deleted && tombstone.item == row.item)
    #expect(tombstone.version != nil && tombstone.version != row.version)
    #expect(!tombstone.isOlder(than: row))
  }

  @Test("an undelete brings a row back, as it was or as it is sent", arguments: Peer.allCases)
  func undelete(peer: Peer) throws {
    let line = try Contact(peer)
    let old = try line.made("a", "x", #","gone":1"#)
    let tombstone = try line.removed(old)
    let outcome = try line.send(.undelete, "a", .text("y"), over: tombstone)
    let row = try #require(try line.read("a"))
    #expect(outcome == .done(nil) || outcome == .done(row))
    #expect(try !row.deleted && [old.item, Item(text: .text("y"))].contains(row.item))
    #expect(row.version != nil && row.version != tombstone.version)
    #expect(!row.isOlder(than: tombstone))
    #expect(try line.send(.undelete, "a", .text("z"), over: tombstone).status == 412)
    #expect(try line.read("a") == row)
  }

  @Test("a write that comes twice is done once", arguments: Peer.allCases, Contact.kinds)
  func twice(peer: Peer, kind: Operation.Kind) throws {
    let line = try Contact(peer)
    var base: Row?
    if kind != .insert { base = try line.made("a", "x") }
    if kind == .undelete, let row = base { base = try line.removed(row) }
    let write = try line.write(kind, "a", .text("y"), over: base)
    guard case .done = try line.send([write])[write.attempt.key] else {
      Issue.record("not done")
      return
    }
    let row = try line.read("a")
    #expect(try line.send([write])[write.attempt.key]?.status != nil)
    #expect(try line.read("a") == row)
  }

  @Test("of writes that are sent together each gets its own reply", arguments: Peer.allCases)
  func together(peer: Peer) throws {
    let line = try Contact(peer)
    _ = try line.made("taken", "x")
    let ids = ["a", "taken", "b", "c", "d", "e", "f"]
    let writes = try ids.map { try line.write(.insert, $0, .text($0)) }
    let outcomes = try line.send(writes)
    #expect(outcomes.count == ids.count)
    for (id, write) in zip(ids, writes) where id != "taken" {
      #expect(try outcomes[write.attempt.key] == .done(line.read(id)))
    }
    #expect(outcomes[writes[1].attempt.key]?.status == 409)
  }

  // MARK: - Pulls

  @Test("a pull brings each row once, by pages, the oldest change first", arguments: Peer.allCases)
  func pull(peer: Peer) throws {
    let line = try Contact(peer)
    let rows = try ["a", "b", "c", "d", "e"].map { try line.made($0, "x") }
    let changed = try line.changed(rows[1], "y")
    let tombstone = try line.removed(rows[2])
    let pages = try line.pull()
    #expect(pages.flatMap(\.rows) == [rows[0], rows[3], rows[4], changed, tombstone])
    #expect(pages.count > 1 && pages.allSatisfy { $0.rows.count <= 2 && $0.total == 5 })
    #expect(pages.last?.token?.timestamp == tombstone.updatedAt)
  }

  @Test("from a pull's token comes what was changed since", arguments: Peer.allCases)
  func since(peer: Peer) throws {
    let line = try Contact(peer)
    let rows = try ["a", "b", "c"].map { try line.made($0, "x") }
    let token = try #require(try line.pull().last?.token)
    // What has the token's own time may have come since.
    #expect(try line.pull(from: token).ids.allSatisfy { $0 == "c" })
    let news = try [
      line.made("d", "x"), line.changed(rows[0], "y"),
      line.changed(line.removed(rows[1]), "y"),
    ]
    #expect(try line.pull(from: token).flatMap(\.rows).filter { $0.id != rows[2].id } == news)
  }

  @Test("a pull that is ended after any page goes on from its token", arguments: Peer.allCases)
  func goesOn(peer: Peer) throws {
    let line = try Contact(peer)
    _ = try line.made("first", "x")
    let token = try #require(try line.pull().last?.token)
    let ids = ["a", "b", "c", "d", "e"]
    for id in ids { _ = try line.made(id, "x") }
    for count in 1...3 {
      var left = count
      let first = try line.pull(from: token) { _ in
        left -= 1
        return left > 0
      }
      #expect(first.count == count)
      let rest = try line.pull(from: #require(first.last?.token))
      #expect(Set(first.ids).union(rest.ids).subtracting(["first"]) == Set(ids))
      #expect(rest.ids.allSatisfy { !first.ids.dropLast().contains($0) })
    }
  }

  @Test("a row that is changed while it is pulled comes as it is now", arguments: Peer.allCases)
  func changesMeanwhile(peer: Peer) throws {
    let line = try Contact(peer)
    let rows = try ["a", "b", "c", "d", "e"].map { try line.made($0, "x") }
    var other = line.backend
    var changes = [rows[0], rows[4], rows[3]]
    let pages = try line.pull { _ in
      if let row = changes.popLast() {
        let write = try line.write(.update, "\(row.id)", .text("now"), over: row)
        _ = try Contact.send([write], over: &other)
      }
      return true
    }
    var found: [ItemID: Row] = [:]
    for row in pages.flatMap(\.rows) { found[row.id] = row }
    for row in rows { #expect(try found[row.id] == line.read("\(row.id)")) }
  }

  @Test("an empty table brings no row and no token", arguments: Peer.allCases)
  func empty(peer: Peer) throws {
    let pages = try Contact(peer).pull()
    #expect(pages.ids == [] && pages.allSatisfy { $0.token == nil })
  }

  // MARK: - Tables

  @Test("the tables are apart", arguments: Peer.allCases)
  func tables(peer: Peer) throws {
    let line = try Contact(peer)
    let row = try line.made("a", "x")
    line.table = try TableName("other")
    #expect(try line.read("a") == nil)
    #expect(try line.pull().ids == [])
    let other = try line.made("a", "y")
    line.table = try TableName("todoitem")
    #expect(try line.read("a") == row)
    #expect(other.item != row.item)
  }

  @Test("a table that isn't there is told as such", arguments: Peer.allCases)
  func noTable(peer: Peer) throws {
    let line = try Contact(peer)
    _ = try line.made("a", "x")
    line.table = try TableName("nowhere")
    let status = try line.send(.insert, "a", .text("x")).status
    #expect([404, 410].contains(status))
    let stop = Stop.noTable(line.table)
    #expect(throws: stop) { try line.read("a") }
    #expect(throws: stop) { try line.pull() }
    #expect(throws: stop) { try line.backend.makesIDs(in: line.table) }
  }
}
