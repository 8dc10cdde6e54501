import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Files over deleted rows") struct RevivalTests {
  private var bench: Bench

  init() throws { bench = try Bench() }

  /// The server deletes a row that this workspace has never had.
  private mutating func deleteUnknown(_ id: String) throws {
    try bench.elsewhere(id, #"{"a":2}"#)
    try bench.elsewhere(id, nil)
  }

  @Test("a file that was never synced over a deleted row is a conflict, in a pull and in a push")
  mutating func unknown() throws {
    try deleteUnknown("x")
    try deleteUnknown("y")
    try bench.save("x", #"{"a":1}"#)
    try bench.pull()
    #expect(bench.standings == ["x conflict AD"])
    try bench.save("y", #"{"a":1}"#)
    #expect(try bench.push().words == ["y conflict AD"])
    #expect(bench.standings == ["x conflict AD", "y conflict AD"])
    #expect(bench.writes() == [])
    // Neither what comes again nor a newer tombstone settles it.
    try bench.pull(full: true)
    for id in ["x", "y"] {
      try bench.elsewhere(id, #"{"a":3}"#)
      try bench.elsewhere(id, nil)
    }
    try bench.pull()
    try bench.push()
    #expect(bench.standings == ["x conflict AD", "y conflict AD"])
    #expect(bench.item("x") == #"{"a":1}"#)
  }

  @Test("what a person decides is done once, and asked about no more", arguments: [true, false])
  mutating func resolved(inPull: Bool) throws {
    try deleteUnknown("x")
    try deleteUnknown("y")
    if !inPull { try bench.pull() }
    for id in ["x", "y"] { try bench.save(id, #"{"a":1}"#) }
    if inPull { try bench.pull() } else { try bench.push() }
    try bench.resolve("x", .client)
    try bench.resolve("y", .server)
    #expect(bench.item("y") == nil)
    #expect(bench.standings == ["x pending undelete"])
    try bench.push()
    #expect(bench.row("x") != nil && bench.row("y") == nil)
    #expect(bench.standings == [])
    try bench.pull()
    #expect(try bench.push().words == [])
  }

  @Test("the rule of a table decides nothing about a file that was never synced")
  mutating func unknownUnderRule() throws {
    bench.settings.policies = [bench.table: MergePolicy(.client)]
    try deleteUnknown("x")
    try bench.save("x", #"{"a":1}"#)
    try bench.pull()
    #expect(bench.standings == ["x conflict AD"])
  }

  /// So many rows that were here are deleted.
  private mutating func delete(_ count: Int) throws -> [String] {
    let ids = (0..<count).map { "n\($0)" }
    for id in ids { try bench.elsewhere(id, #"{"a":1}"#) }
    try bench.pull()
    for id in ids { try bench.elsewhere(id, nil) }
    bench.settings.maxDelete = count
    try bench.pull()
    bench.settings.maxDelete = nil
    return ids
  }

  @Test("up to ten files that are here again bring their rows back; more are asked about")
  mutating func back() throws {
    let ids = try delete(12)
    for id in ids { try bench.save(id, #"{"a":1}"#) }
    let others = try ids.filter { $0 != "n0" }.map(bench.key).sorted()
    let stop = Stop.unsafe(.unmeant(.back(others, in: bench.table)))
    // A push of one of them doesn't make the others meant.
    #expect(try bench.push(only: ["n0"]).pushed == 1)
    #expect(throws: stop) { try bench.push() }
    try bench.save("n11", nil)
    #expect(try bench.push().pushed == 10)
  }

  @Test("who names the files means them, and so does a command that made them")
  mutating func named() throws {
    let ids = try delete(24)
    for id in ids { try bench.save(id, #"{"a":1}"#) }
    #expect(try bench.push(only: Array(ids.prefix(12))).pushed == 12)
    for id in ids.suffix(12) {
      let key = try bench.key(id)
      let facts = try bench.disk.presence(of: key, as: bench.disk.client(key).item)
      #expect(facts == [.marked(key.id, .undelete)])
      try bench.disk.append(facts, to: key.table, durably: true)
    }
    #expect(try bench.push().pushed == 12)
  }

  @Test("edits that a person, or the table's rule, keeps over deletes are not asked about again")
  mutating func kept() throws {
    let ids = (0..<12).map { "n\($0)" }
    for rule in [false, true] {
      if rule { bench.settings.policies = [bench.table: MergePolicy(.client)] }
      for id in ids { try bench.elsewhere(id, #"{"a":1}"#) }
      try bench.pull()
      for id in ids {
        try bench.save(id, #"{"a":\#(rule ? 5 : 2)}"#)
        try bench.elsewhere(id, nil)
      }
      bench.settings.maxDelete = 12
      try bench.pull()
      bench.settings.maxDelete = nil
      if !rule { for id in ids { try bench.resolve(id, .client) } }
      try bench.push()
      for id in ids { #expect(bench.row(id) != nil) }
    }
  }

  @Test("a row that was deleted from here was here, also when its tombstone comes later")
  mutating func deletedHere() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", nil)
    try bench.push()
    try bench.save("x", #"{"a":2}"#)
    try bench.pull(full: true)
    try bench.push()
    #expect(bench.row("x") == #"{"a":2}"#)
  }

  @Test("a row that left no tombstone was here, too")
  mutating func gone() throws {
    let ids = (0..<12).map { "n\($0)" }
    for id in ids { try bench.elsewhere(id, #"{"a":1}"#) }
    try bench.pull()
    for id in ids.prefix(11) { bench.server.deleteForGood(try bench.key(id)) }
    bench.settings.maxDelete = 11
    try bench.pull(full: true)
    bench.settings.maxDelete = nil
    for id in ids.prefix(11) { try bench.save(id, #"{"a":1}"#) }
    #expect(throws: Stop.self) { try bench.push() }
    #expect(bench.writes() == [])
    #expect(try bench.push(only: ["n0"]).pushed == 1)
  }
}
