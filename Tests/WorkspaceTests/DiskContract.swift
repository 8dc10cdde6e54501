import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

/// A disk, and what a person does to it and finds on it without tsync.
protocol TestedDisk: Disk {
  /// Saves the bytes of an item's file, or removes it.
  mutating func userSaves(_ text: [UInt8]?, as key: ItemKey) throws
  /// Edits the client's side of an open conflict.
  mutating func userEditsSide(_ item: Item, of key: ItemKey) throws
  /// The bytes of an item's file.
  func bytes(of key: ItemKey) throws -> [UInt8]?
  /// Everything in the trash.
  func kept() throws -> [[UInt8]]
  /// Ends the process and starts another one.
  mutating func reopen() throws
}

/// The promises of SyncEngine/Disk.swift, which every disk must keep.
enum Promise: String, CaseIterable, Sendable {
  case anEmptyDiskKnowsNothing
  case whatAUserSavesIsRead
  case aNewItemIsWrittenWhereNothingLies
  case anItemIsReplacedAsSeen
  case aChangedItemIsLeftAlone
  case anItemIsRemovedAsSeen
  case nothingIsRemovedFromNothing
  case aLosingItemIsKept
  case whatIsInvalidIsNeverOverwritten
  case synchronisingChangesNothing
  case oneThatChangedStopsNoOther
  case candidatesAreWhatDiffers
  case equalMeaningIsNoCandidate
  case aMovedFileIsFound
  case aFileMovedAfterTheLookIsFound
  case aStrayFileThatIsMendedIsNone
  case whatWasPulledIsNoCandidate
  case aTombstoneWithoutItemIsNoCandidate
  case aConflictsSidesAreLaid
  case anEditedSideStays
  case aDeletedSideIsAbsent
  case aRemovedConflictIsKept
  case effectiveRowsCountAtOnce
  case appendedRowsWaitForTheirCommit
  case theNewestAppendedRowCounts
  case heldRowsKeepTheirBase
  case aHeldRowIsSupersededByANewerOne
  case aRowKeepsTheVersionThatItReplaces
  case aTokenStaysWithoutANewOne
  case eachQueryHasItsToken
  case aPullsEndIsKept
  case aForgottenTableIsEmpty
  case tablesAreApart
  case idsAreComparedByBytes
  case whatIsGoneIsATombstone
  case anAttemptOutlivesReopening
  case anAnswerEndsItsAttempt
  case aRefusalEndsItsAttempt
  case aPulledRowEndsNone
  case anArrivalIsMeasuredAgainstWhatItSays
  case aNewerArrivalInheritsOver
  case takenLeavesTheNamed
  case anArrivalUnderANewIDIsItsItems
  case aConflictIsOverWithItsRow, marksEndWithWhatTheyMeant
}

/// Checks a promise on a fresh disk.
struct DiskContract<Tested: TestedDisk> {
  var disk: Tested
  let table: TableName
  private let other: TableName

  init(_ disk: Tested) throws {
    self.disk = disk
    table = try TableName("todoitem")
    other = try TableName("other")
  }

  mutating func check(_ promise: Promise) throws {
    switch promise {
    case .anEmptyDiskKnowsNothing: try anEmptyDiskKnowsNothing()
    case .whatAUserSavesIsRead: try whatAUserSavesIsRead()
    case .aNewItemIsWrittenWhereNothingLies: try aNewItemIsWrittenWhereNothingLies()
    case .anItemIsReplacedAsSeen: try anItemIsReplacedAsSeen()
    case .aChangedItemIsLeftAlone: try aChangedItemIsLeftAlone()
    case .anItemIsRemovedAsSeen: try anItemIsRemovedAsSeen()
    case .nothingIsRemovedFromNothing: try nothingIsRemovedFromNothing()
    case .aLosingItemIsKept: try aLosingItemIsKept()
    case .whatIsInvalidIsNeverOverwritten: try whatIsInvalidIsNeverOverwritten()
    case .synchronisingChangesNothing: try synchronisingChangesNothing()
    case .oneThatChangedStopsNoOther: try oneThatChangedStopsNoOther()
    case .candidatesAreWhatDiffers: try candidatesAreWhatDiffers()
    case .equalMeaningIsNoCandidate: try equalMeaningIsNoCandidate()
    case .aMovedFileIsFound: try aMovedFileIsFound()
    case .aFileMovedAfterTheLookIsFound: try aFileMovedAfterTheLookIsFound()
    case .aStrayFileThatIsMendedIsNone: try aStrayFileThatIsMendedIsNone()
    case .whatWasPulledIsNoCandidate: try whatWasPulledIsNoCandidate()
    case .aTombstoneWithoutItemIsNoCandidate: try aTombstoneWithoutItemIsNoCandidate()
    case .aConflictsSidesAreLaid: try aConflictsSidesAreLaid()
    case .anEditedSideStays: try anEditedSideStays()
    case .aDeletedSideIsAbsent: try aDeletedSideIsAbsent()
    case .aRemovedConflictIsKept: try aRemovedConflictIsKept()
    case .effectiveRowsCountAtOnce: try effectiveRowsCountAtOnce()
    case .appendedRowsWaitForTheirCommit: try appendedRowsWaitForTheirCommit()
    case .theNewestAppendedRowCounts: try theNewestAppendedRowCounts()
    case .heldRowsKeepTheirBase: try heldRowsKeepTheirBase()
    case .aHeldRowIsSupersededByANewerOne: try aHeldRowIsSupersededByANewerOne()
    case .aRowKeepsTheVersionThatItReplaces: try aRowKeepsTheVersionThatItReplaces()
    case .aTokenStaysWithoutANewOne: try aTokenStaysWithoutANewOne()
    case .eachQueryHasItsToken: try eachQueryHasItsToken()
    case .aPullsEndIsKept: try aPullsEndIsKept()
    case .aForgottenTableIsEmpty: try aForgottenTableIsEmpty()
    case .tablesAreApart: try tablesAreApart()
    case .idsAreComparedByBytes: try idsAreComparedByBytes()
    case .whatIsGoneIsATombstone: try whatIsGoneIsATombstone()
    case .anAttemptOutlivesReopening: try anAttemptOutlivesReopening()
    case .anAnswerEndsItsAttempt: try anAnswerEndsItsAttempt()
    case .aRefusalEndsItsAttempt: try aRefusalEndsItsAttempt()
    case .aPulledRowEndsNone: try aPulledRowEndsNone()
    case .anArrivalIsMeasuredAgainstWhatItSays: try anArrivalIsMeasuredAgainstWhatItSays()
    case .aNewerArrivalInheritsOver: try aNewerArrivalInheritsOver()
    case .takenLeavesTheNamed: try takenLeavesTheNamed()
    case .anArrivalUnderANewIDIsItsItems: try anArrivalUnderANewIDIsItsItems()
    case .aConflictIsOverWithItsRow: try aConflictIsOverWithItsRow()
    case .marksEndWithWhatTheyMeant: try marksEndWithWhatTheyMeant()
    }
  }

  // MARK: Words

  func key(_ id: Text) throws -> ItemKey { ItemKey(table, try ItemID(id)) }

  func item(_ text: String) -> Item {
    Item(JSONObject([.init(name: "text", value: .string(text))]))
  }

  func row(
    _ id: Text, _ text: String, version: Text = "1", deleted: Bool = false, second: Int = 2
  ) throws -> Row {
    Row(
      id: try ItemID(id), item: item(text), version: Version(version),
      updatedAt: Timestamp(Text("2026-03-01T10:15:0\(second)Z")), deleted: deleted)
  }

  private func text(_ item: Item, _ id: Text) throws -> [UInt8] {
    JSON.object(item.object(id: try ItemID(id))).encoded()
  }

  /// Expects something of the disk as it is, and of the disk as another process finds it.
  mutating func twice(_ expectation: (Tested) throws -> Void) throws {
    try expectation(disk)
    try disk.reopen()
    try expectation(disk)
  }

  // MARK: Items

  private mutating func anEmptyDiskKnowsNothing() throws {
    let (table, key) = (table, try key("a"))
    try twice { disk throws in
      #expect(try disk.client(key) == .absent)
      #expect(try disk.candidates(in: table) == [])
      #expect(try disk.base(of: key) == .neverSeen)
      #expect(try disk.liveIDs(in: table) == [])
      #expect(try disk.arrivals(in: table).map(\.row) == [])
      #expect(try disk.token(of: table) == nil)
      #expect(try disk.state(of: table) == TableState())
      #expect(try disk.conflictClient(of: key) == .absent)
    }
  }

  private mutating func whatAUserSavesIsRead() throws {
    let key = try key("a")
    let bytes = Array("{ \"text\" : \"x\" }".utf8)
    try disk.userSaves(bytes, as: key)
    #expect(try disk.client(key) == .item(item("x"), Digest(of: bytes)))
    try disk.userSaves(nil, as: key)
    #expect(try disk.client(key) == .absent)
  }

  private mutating func aNewItemIsWrittenWhereNothingLies() throws {
    let key = try key("a")
    let outcome = try disk.write(item("x"), to: key, expecting: nil)
    let bytes = try #require(try disk.bytes(of: key))
    #expect(outcome == .replaced(Digest(of: bytes)))
    let item = item("x")
    try twice { disk throws in #expect(try disk.client(key) == .item(item, Digest(of: bytes))) }
    #expect(try disk.kept() == [])
  }

  private mutating func anItemIsReplacedAsSeen() throws {
    let key = try key("a")
    let old = try text(item("x"), "a")
    try disk.userSaves(old, as: key)
    let outcome = try disk.write(item("y"), to: key, expecting: Digest(of: old))
    let bytes = try #require(try disk.bytes(of: key))
    #expect(outcome == .replaced(Digest(of: bytes)))
    #expect(try disk.client(key).item == item("y"))
    #expect(try disk.kept() == [old])
  }

  private mutating func aChangedItemIsLeftAlone() throws {
    let key = try key("a")
    let old = try text(item("x"), "a")
    let new = try text(item("mine"), "a")
    #expect(try disk.write(item("y"), to: key, expecting: Digest(of: old)) == .changedMeanwhile)
    #expect(try disk.client(key) == .absent)
    try disk.userSaves(new, as: key)
    #expect(try disk.write(item("y"), to: key, expecting: nil) == .changedMeanwhile)
    #expect(try disk.write(item("y"), to: key, expecting: Digest(of: old)) == .changedMeanwhile)
    #expect(try disk.write(nil, to: key, expecting: Digest(of: old)) == .changedMeanwhile)
    #expect(try disk.write(nil, to: key, expecting: nil) == .changedMeanwhile)
    #expect(try disk.bytes(of: key) == new)
    #expect(try disk.kept() == [])
  }

  private mutating func anItemIsRemovedAsSeen() throws {
    let key = try key("a")
    let old = try text(item("x"), "a")
    try disk.userSaves(old, as: key)
    #expect(try disk.write(nil, to: key, expecting: Digest(of: old)) == .replaced(nil))
    try twice { disk throws in #expect(try disk.client(key) == .absent) }
    #expect(try disk.kept() == [old])
  }

  private mutating func nothingIsRemovedFromNothing() throws {
    #expect(try disk.write(nil, to: key("a"), expecting: nil) == .replaced(nil))
    #expect(try disk.kept() == [])
  }

  private mutating func aLosingItemIsKept() throws {
    try disk.keep(item("lost"), of: key("a"))
    #expect(try disk.client(key("a")) == .absent)
    let kept = try disk.kept()
    #expect(kept.count == 1)
    #expect(try Item(text: String(decoding: kept.first ?? [], as: UTF8.self)) == item("lost"))
  }

  private mutating func whatIsInvalidIsNeverOverwritten() throws {
    let key = try key("a")
    let bytes = Array("{ \"text\": ".utf8)
    try disk.userSaves(bytes, as: key)
    guard case .invalid = try disk.client(key) else {
      Issue.record("taken for an item")
      return
    }
    #expect(try disk.client(key).digest == nil)
    #expect(try disk.write(item("x"), to: key, expecting: nil) == .changedMeanwhile)
    #expect(try disk.write(nil, to: key, expecting: nil) == .changedMeanwhile)
    #expect(try disk.bytes(of: key) == bytes)
  }

  private mutating func synchronisingChangesNothing() throws {
    let key = try key("a")
    try disk.synchronize([key.id], in: table)
    _ = try disk.write(item("x"), to: key, expecting: nil)
    let bytes = try disk.bytes(of: key)
    try disk.synchronize([key.id, ItemID("none")], in: table)
    try twice { disk throws in #expect(try disk.bytes(of: key) == bytes) }
  }

  private mutating func oneThatChangedStopsNoOther() throws {
    let (changed, other, none) = (try key("a"), try key("b"), try key("c"))
    for key in [changed, other] { try disk.userSaves(text(item("seen"), key.id.text), as: key) }
    let seen = try [changed, other].map { try disk.client($0).digest }
    try disk.userSaves(text(item("edited"), "a"), as: changed)
    let outcomes = try disk.write([
      FileChange(changed, to: item("new"), expecting: seen[0]),
      FileChange(other, to: nil, expecting: seen[1]),
      FileChange(none, to: item("made"), expecting: nil),
      FileChange(other, to: item("new"), expecting: seen[1]),
    ])
    let made = try disk.client(none).digest
    #expect(outcomes == [.changedMeanwhile, .replaced(nil), .replaced(made), .changedMeanwhile])
    let items = [item("edited"), nil, item("made")]
    try twice { disk throws in
      #expect(try [changed, other, none].map { try disk.client($0).item } == items)
    }
  }

  // MARK: Candidates

  private mutating func candidatesAreWhatDiffers() throws {
    try disk.setBase(
      [row("clean", "x"), row("changed", "x"), row("missing", "x")], in: table, durably: true)
    for id: Text in ["clean", "changed", "new"] {
      try disk.userSaves(text(item(id == "clean" ? "x" : "y"), id), as: key(id))
    }
    try disk.userSaves(Array("{".utf8), as: key("invalid"))
    let (table, item) = (table, item("y"))
    let ids = ["changed", "invalid", "missing", "new"]
    try twice { disk throws in
      let candidates = try disk.candidates(in: table)
      #expect(candidates.map { $0.key.map { "\($0.id)" } ?? "" } == ids)
      #expect(candidates.map(\.client.item) == [item, nil, nil, item])
      #expect(candidates.map { $0.modified > 0 } == [true, true, false, true])
      if candidates.count == 4 {
        guard case .invalid = candidates[1].client else {
          Issue.record("taken for an item")
          return
        }
        #expect(candidates[2].client == .absent)
      }
    }
  }

  /// Saves an item's text under the name of another id.
  private mutating func userMoves(_ id: Text, to name: Text) throws {
    try disk.userSaves(nil, as: key(id))
    try disk.userSaves(text(item("x"), id), as: key(name))
  }

  private mutating func aMovedFileIsFound() throws {
    try disk.setBase([row("a", "x")], in: table, durably: true)
    try disk.userSaves(text(item("x"), "a"), as: key("a"))
    #expect(try disk.strays(in: table).isEmpty)
    try userMoves("a", to: "b")
    let (table, a) = (table, try key("a"))
    try twice { disk throws in
      let strays = try disk.strays(in: table)
      #expect(Array(strays.keys) == [a.id] && strays[a.id]?.otherID == a.id)
      #expect(try disk.moved(a)?.otherID == a.id)
    }
  }

  private mutating func aFileMovedAfterTheLookIsFound() throws {
    try disk.setBase([row("a", "x")], in: table, durably: true)
    try disk.userSaves(text(item("x"), "a"), as: key("a"))
    #expect(try disk.candidates(in: table).isEmpty)
    try userMoves("a", to: "b")
    #expect(try disk.moved(key("a"))?.otherID == key("a").id)
    _ = try disk.write(item("y"), to: key("d"), expecting: nil)
    try userMoves("a", to: "c")
    try disk.userSaves(nil, as: key("b"))
    #expect(try disk.moved(key("a"))?.fileName.first == "c")
    try disk.userSaves(nil, as: key("c"))
    #expect(try disk.strays(in: table).isEmpty)
  }

  private mutating func aStrayFileThatIsMendedIsNone() throws {
    try disk.setBase([row("a", "x"), row("b", "y")], in: table, durably: true)
    try disk.userSaves(text(item("x"), "a"), as: key("b"))
    #expect(try disk.candidates(in: table).count == 2)
    #expect(try disk.strays(in: table).count == 1)
    // The first of those that say an id counts.
    try disk.userSaves(text(item("x"), "a"), as: key("c"))
    #expect(try disk.moved(key("a"))?.fileName.first == "b")
    // Nobody sees what is written into a file without reading it again.
    try disk.userSaves(text(item("x"), "b"), as: key("b"))
    #expect(try !disk.strays(in: table).isEmpty)
    _ = try disk.candidates(in: table)
    #expect(try disk.moved(key("a"))?.fileName.first == "c")
    try disk.userSaves(text(item("x"), "c"), as: key("c"))
    _ = try disk.candidates(in: table)
    #expect(try disk.strays(in: table).isEmpty)
  }

  private mutating func equalMeaningIsNoCandidate() throws {
    let object = try #require(
      try JSON(
        parsing: Array(#"{"id":"a","n":1.50,"due":null,"o":{"x":1,"y":2},"version":"1"}"#.utf8)
      )
      .object)
    try disk.setBase([Row(object)], in: table, durably: true)
    try disk.userSaves(
      Array("{\r\n \"o\": {\"y\": 2.0, \"x\": 1},\r\n \"n\": 15e-1 }".utf8), as: key("a"))
    let table = table
    try twice { disk throws in #expect(try disk.candidates(in: table) == []) }
  }

  private mutating func whatWasPulledIsNoCandidate() throws {
    let rows = try (0..<20).map { try row(Text("r\($0)"), "text \($0)") }
    try disk.bring(rows, to: table)
    for row in rows { _ = try disk.write(row.item, to: ItemKey(table, row.id), expecting: nil) }
    try disk.take(in: table, token: DeltaToken("2026-03-01T10:15:02Z"))
    let table = table
    try twice { disk throws in #expect(try disk.candidates(in: table) == []) }
  }

  private mutating func aTombstoneWithoutItemIsNoCandidate() throws {
    try disk.setBase([row("a", "x", deleted: true)], in: table, durably: true)
    let (table, key) = (table, try key("a"))
    try twice { disk throws in #expect(try disk.candidates(in: table) == []) }
    try disk.userSaves(text(item("x"), "a"), as: key)
    try twice { disk throws in #expect(try disk.candidates(in: table).map(\.key) == [key]) }
  }

  // MARK: Conflicts

  private func conflict(client: Item?, server: Item?) -> Conflict {
    Conflict(
      base: item("base"), client: client, server: server)
  }

  private mutating func aConflictsSidesAreLaid() throws {
    let key = try key("a")
    let bytes = Array("{ \"text\" :\t\"x\" }".utf8)
    try disk.userSaves(bytes, as: key)
    try disk.writeConflict(conflict(client: item("x"), server: item("y")), of: key)
    let expected = ClientState.item(item("x"), Digest(of: bytes))
    try twice { disk throws in
      #expect(try disk.conflictClient(of: key) == expected)
      #expect(try disk.bytes(of: key) == bytes)
    }
    // Where the file means something else by now, the side still means the client's item.
    let second = try self.key("b")
    try disk.userSaves(text(item("later"), "b"), as: second)
    try disk.writeConflict(conflict(client: item("x"), server: item("y")), of: second)
    #expect(try disk.conflictClient(of: second).item == item("x"))
  }

  private mutating func anEditedSideStays() throws {
    let key = try key("a")
    try disk.writeConflict(conflict(client: item("x"), server: item("y")), of: key)
    try disk.userEditsSide(item("edited"), of: key)
    try disk.writeConflict(conflict(client: item("x"), server: item("z")), of: key)
    let item = item("edited")
    try twice { disk throws in #expect(try disk.conflictClient(of: key).item == item) }
  }

  private mutating func aDeletedSideIsAbsent() throws {
    let key = try key("a")
    try disk.writeConflict(conflict(client: nil, server: item("y")), of: key)
    try twice { disk throws in #expect(try disk.conflictClient(of: key) == .absent) }
  }

  private mutating func aRemovedConflictIsKept() throws {
    let key = try key("a")
    try disk.writeConflict(conflict(client: item("x"), server: item("y")), of: key)
    try disk.userEditsSide(item("edited"), of: key)
    try disk.removeConflict(of: key)
    try twice { disk throws in #expect(try disk.conflictClient(of: key) == .absent) }
    let kept = try disk.kept().map { try Item(text: String(decoding: $0, as: UTF8.self)) }
    #expect(kept.contains(item("edited")))
    #expect(kept.contains(item("y")))
    try disk.removeConflict(of: key)
  }

  // MARK: Rows

  private mutating func effectiveRowsCountAtOnce() throws {
    try disk.setBase(
      [row("a", "x"), row("b", "x"), row("c", "x", deleted: true)], in: table, durably: true)
    try disk.setBase(
      [row("a", "y", version: "2"), row("b", "x", version: "2", deleted: true)], in: table,
      durably: false)
    let table = table
    let (a, b) = (
      Base.row(try row("a", "y", version: "2")),
      Base.tombstone(try row("b", "x", version: "2", deleted: true))
    )
    let keys = try [key("a"), key("b"), key("c")]
    try twice { disk throws in
      #expect(try disk.base(of: keys[0]) == a)
      #expect(try disk.base(of: keys[1]) == b)
      #expect(try disk.base(of: keys[2]).item == nil)
      #expect(try disk.liveIDs(in: table) == [keys[0].id])
      #expect(try disk.arrivals(in: table).map(\.row) == [])
    }
  }

  private mutating func appendedRowsWaitForTheirCommit() throws {
    try disk.setBase([row("a", "x")], in: table, durably: true)
    let rows = try [row("a", "y", version: "2"), row("b", "y")]
    try disk.bring(rows, to: table)
    let table = table
    let (old, a, b) = (Base.row(try row("a", "x")), try key("a"), try key("b"))
    try twice { disk throws in
      #expect(try disk.base(of: a) == old)
      #expect(try disk.base(of: b) == .neverSeen)
      #expect(try disk.arrivals(in: table).map(\.row).sorted { $0.id < $1.id } == rows)
      #expect(try disk.token(of: table) == nil)
    }
    try disk.take(in: table, token: DeltaToken("2026-03-01T10:15:02.1Z"))
    try twice { disk throws in
      #expect(try disk.base(of: a) == .row(rows[0]))
      #expect(try disk.base(of: b) == .row(rows[1]))
      #expect(try disk.arrivals(in: table).map(\.row) == [])
      #expect(try disk.token(of: table) == DeltaToken("2026-03-01T10:15:02.1Z"))
    }
  }

  private mutating func theNewestAppendedRowCounts() throws {
    let newest = try row("a", "z", version: "3")
    try disk.bring([row("a", "x"), row("a", "y", version: "2")], to: table)
    try disk.bring([newest], to: table)
    #expect(try disk.arrivals(in: table).map(\.row) == [newest])
    try disk.take(in: table)
    let key = try key("a")
    try twice { disk throws in #expect(try disk.base(of: key) == .row(newest)) }
  }

  private mutating func heldRowsKeepTheirBase() throws {
    try disk.setBase([row("a", "x")], in: table, durably: true)
    let (held, free) = (try row("a", "y", version: "2"), try row("b", "y"))
    try disk.bring([held, free], to: table)
    try disk.take(in: table, but: [held.id], token: DeltaToken("t"))
    let table = table
    let (a, b, old) = (try key("a"), try key("b"), Base.row(try row("a", "x")))
    let expectation = { (disk: Tested) throws in
      #expect(try disk.base(of: a) == old)
      #expect(try disk.base(of: b) == .row(free))
      #expect(try disk.arrivals(in: table).map(\.row) == [held])
      #expect(try disk.token(of: table) == DeltaToken("t"))
    }
    try twice(expectation)
    try disk.take(in: table, but: [held.id])
    try twice(expectation)
    try disk.take(in: table)
    try twice { disk throws in
      #expect(try disk.base(of: a) == .row(held))
      #expect(try disk.arrivals(in: table) == [])
    }
  }

  private mutating func aHeldRowIsSupersededByANewerOne() throws {
    let (held, newer, newest) = (
      try row("a", "x"), try row("a", "y", version: "2"), try row("a", "z", version: "3")
    )
    try disk.bring([held], to: table)
    try disk.take(in: table, but: [held.id])
    try disk.bring([newer], to: table)
    #expect(try disk.arrivals(in: table).map(\.row) == [newer])
    let (table, key) = (table, try key("a"))
    try disk.setBase([newest], in: table, durably: true)
    try twice { disk throws in
      #expect(try disk.base(of: key) == .row(newest))
      #expect(try disk.arrivals(in: table).map(\.row) == [])
    }
  }

  private mutating func aRowKeepsTheVersionThatItReplaces() throws {
    let (a, b) = (try key("a"), try key("b"))
    let odd: Text = #"W/"1,\"#
    try disk.setBase([row("a", "x", version: odd), row("b", "x")], in: table, durably: true)
    try twice { disk throws in #expect(try disk.base(of: a).row?.had == []) }
    // One of the same version is no other state.
    try disk.append(
      [.base(row("b", "z")), .arrived(Arrival(row("a", "y", version: "2", second: 3)))],
      to: table, durably: true)
    try twice { disk throws in
      #expect(try disk.arrival(of: a)?.row.had.map(\.text) == [odd])
      #expect(try disk.base(of: b).row?.had == [])
    }
    try disk.take(in: table)
    try disk.setBase(
      [row("b", "y", version: "2", second: 3), .gone(a.id)], in: table, durably: true)
    try disk.setBase([row("b", "z", version: "2", second: 3)], in: table, durably: true)
    try twice { disk throws in
      #expect(try disk.base(of: a).row?.had.map(\.text) == [odd, "2"])
      #expect(try disk.base(of: b).row?.had.map(\.text) == ["1"])
    }
  }

  private mutating func aTokenStaysWithoutANewOne() throws {
    try disk.take(in: table, token: DeltaToken("one"))
    try disk.bring([row("a", "x")], to: table)
    try disk.take(in: table)
    let table = table
    try twice { disk throws in #expect(try disk.token(of: table) == DeltaToken("one")) }
  }

  private mutating func eachQueryHasItsToken() throws {
    let (whole, ids) = (Feed(table), Feed.ids(of: table))
    let open = Feed(table, query: "open", filter: "complete eq false")
    let other = Feed(table, query: "open", filter: "complete eq true")
    let (table, a) = (table, try ItemID("a"))
    try disk.setBase([row("a", "x"), row("b", "x")], in: table, durably: true)
    try disk.append(
      [
        .token(whole, DeltaToken("1")), .token(open, DeltaToken("2")), .mayLeave(2), .mayLeave(1),
        .left(a),
      ],
      to: table, durably: true)
    try twice { disk throws in
      #expect(try disk.state(of: table).feeds == [whole, open])
      #expect(try disk.token(of: open) == DeltaToken("2"))
      #expect(try disk.token(of: other) == nil)
      #expect(try disk.state(of: table).left == [a])
      #expect(try disk.state(of: table).mayLeave == 3)
    }
    try disk.append(
      [
        .token(other, DeltaToken("3")), .token(whole, nil), .token(ids, DeltaToken("4")),
        .forgot(a), .pulled,
      ], to: table, durably: true)
    try twice { disk throws in
      #expect(try disk.state(of: table).feeds == [ids, other])
      #expect(try disk.token(of: whole) == nil)
      #expect(try disk.token(of: open) == nil)
      #expect(try disk.state(of: table).left == [])
      #expect(try disk.state(of: table).mayLeave == 0)
      #expect(try disk.base(of: ItemKey(table, a)) == .neverSeen)
      #expect(try disk.liveIDs(in: table).map(\.description) == ["b"])
    }
  }

  private mutating func aForgottenTableIsEmpty() throws {
    try disk.setBase([row("a", "x")], in: table, durably: true)
    try disk.bring([row("b", "x")], to: table)
    try disk.take(in: table, but: [ItemID("b")], token: DeltaToken("t"))
    try disk.setBase([row("a", "x")], in: other, durably: true)
    try disk.forget(table)
    let (table, other, key) = (table, other, try key("a"))
    try twice { disk throws in
      #expect(try disk.base(of: key) == .neverSeen)
      #expect(try disk.liveIDs(in: table) == [])
      #expect(try disk.arrivals(in: table).map(\.row) == [])
      #expect(try disk.token(of: table) == nil)
      #expect(try disk.liveIDs(in: other) == [key.id])
    }
    try disk.setBase([row("a", "y")], in: table, durably: true)
    let again = Base.row(try row("a", "y"))
    try twice { disk throws in #expect(try disk.base(of: key) == again) }
  }

  private mutating func tablesAreApart() throws {
    try disk.setBase([row("a", "x")], in: table, durably: true)
    try disk.take(in: table, token: DeltaToken("t"))
    _ = try disk.write(item("x"), to: key("a"), expecting: nil)
    let there = ItemKey(other, try ItemID("a"))
    let other = other
    try twice { disk throws in
      #expect(try disk.base(of: there) == .neverSeen)
      #expect(try disk.token(of: other) == nil)
      #expect(try disk.client(there) == .absent)
      #expect(try disk.candidates(in: other) == [])
    }
  }

  private mutating func idsAreComparedByBytes() throws {
    let ids: [Text] = ["A", "a", "e\u{301}", "\u{e9}", "../x", "-rf", "a b", "%41"]
    for (number, id) in ids.enumerated() {
      try disk.setBase([row(id, "\(number)")], in: table, durably: true)
      _ = try disk.write(item("\(number)"), to: key(id), expecting: nil)
    }
    let (table, keys) = (table, try ids.map(key))
    let items = ids.indices.map { item("\($0)") }
    try twice { disk throws in
      #expect(try Set(disk.liveIDs(in: table)) == Set(keys.map(\.id)))
      #expect(try keys.map { try disk.base(of: $0).item } == items)
      #expect(try keys.map { try disk.client($0).item } == items)
      #expect(try disk.candidates(in: table) == [])
    }
  }

  private mutating func whatIsGoneIsATombstone() throws {
    let gone = Row.gone(try ItemID("a"))
    try disk.setBase([row("a", "x")], in: table, durably: true)
    try disk.setBase([gone], in: table, durably: true)
    let (table, key) = (table, try key("a"))
    try twice { disk throws in
      let row = try disk.base(of: key).row
      #expect(row?.isGone == true && row?.item.isEmpty == true)
      // When it was there last.
      #expect(row?.updatedAt == Timestamp("2026-03-01T10:15:02Z"))
      #expect(try disk.liveIDs(in: table) == [])
    }
  }

  // MARK: Conflicts

  private mutating func aConflictIsOverWithItsRow() throws {
    let (table, a, b, new) = (table, try key("a"), try key("b"), try key("17"))
    let laid = Laid(file: Digest(of: [1]), row: Digest(of: [2]))
    try disk.append([.laid(a.id, laid)], to: table, durably: false)
    // Without a row that waits it is none.
    try twice { disk throws in #expect(try disk.conflicts(in: table) == []) }
    let sent = Arrival(try row("17", "x"), isMine: true, was: b.id)
    try disk.append(
      [.arrived(Arrival(row("a", "x"))), .arrived(sent), .laid(new.id, laid)], to: table,
      durably: true)
    try twice { disk throws in
      #expect(try disk.state(of: table).laid == [a.id: laid, new.id: laid])
      #expect(try disk.conflicts(in: table) == [new, a])
      #expect(try disk.rowInConflict(of: new) == sent.row)
    }
    try disk.append([.taken(but: [a.id])], to: table, durably: false)
    try twice { disk throws in #expect(try disk.conflicts(in: table) == [a]) }
    try disk.append([.base(row("a", "x"))], to: table, durably: false)
    try twice { disk throws in #expect(try disk.state(of: table).laid == [:]) }
  }

  // MARK: Marks

  private mutating func marksEndWithWhatTheyMeant() throws {
    let (table, a, b, c) = (table, try key("a"), try key("b"), try key("c"))
    try disk.append(
      [
        .marked(a.id, .removed(after: b.id)), .marked(b.id, .undelete), .marked(c.id, .removed()),
      ], to: table, durably: true)
    guard case .removed(b.id, let time)? = try disk.state(of: table).marks[a.id] else {
      Issue.record("no mark")
      return
    }
    #expect(time > 0)
    // Who is told once more was told then.
    try disk.append([.marked(a.id, .removed(after: c.id))], to: table, durably: false)
    try twice { disk throws in
      #expect(try disk.state(of: table).marks[a.id] == .removed(after: c.id, time: time))
      #expect(try disk.formers(of: c) == [a] && disk.formers(of: b) == [])
    }
    // An update that was answered means no delete, and a row that came by itself answers nothing.
    try disk.append(
      [.base(row("a", "x"), ends: a.id), .base(.gone(c.id)), .base(row("b", "x"), ends: b.id)],
      to: table, durably: false)
    try twice { disk throws in
      #expect(try disk.state(of: table).marks.all.keys.sorted() == [a.id, c.id])
    }
    // The server has given the row of c another id.
    try disk.append(
      [.arrived(Arrival(row("17", "x"), isMine: true, was: c.id)), .taken(but: [])], to: table,
      durably: false)
    try twice { disk throws in
      let new = try ItemID("17")
      #expect(try disk.state(of: table).marks[a.id]?.after == new)
      #expect(try disk.state(of: table).marks.all.keys.sorted() == [new, a.id])
    }
    try disk.append(
      [.base(.gone(a.id), ends: a.id), .marked(try ItemID("17"), nil)], to: table, durably: false)
    try twice { disk throws in #expect(try disk.state(of: table).marks == Marks()) }
  }
}
