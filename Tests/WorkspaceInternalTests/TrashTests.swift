import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct TrashTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  @Test("What is older than 30 days goes, once a day, and nothing else")
  func emptiesItself() throws {
    for name in [
      "items/todoitem/a.20260129T235959Z.1.json", "items/todoitem/a.20260130T101503Z.1.json",
      "conflicts/todoitem/a.client.20200101T000000Z.1.json", "journal-tail.20200101T000000Z.1",
      "items/todoitem/20200101T000000Z.20260228T000000Z.1.json", "items/todoitem/note.txt",
      // A directory that lay in the place of a file.
      "index.20200101T000000Z.1/a/b",
    ] { playground.directory.write("x", to: ".todosync/trash/\(name)") }
    playground.directory.write("2026-02-28\n", to: ".todosync/trash/.emptied")
    _ = try playground.open()
    let items = [
      "20200101T000000Z.20260228T000000Z.1.json", "a.20260130T101503Z.1.json", "note.txt",
    ]
    #expect(playground.directory.names(in: ".todosync/trash/items/todoitem") == items)
    #expect(playground.trash("conflicts/todoitem") == [])
    #expect(
      playground.directory.names(in: ".todosync/trash") == [".emptied", "conflicts", "items"])
    // Later on the same day nothing is looked at.
    playground.now += 3_600 * 1_000_000_000
    _ = try playground.open()
    #expect(playground.directory.names(in: ".todosync/trash/items/todoitem") == items)
    playground.now += 86_400 * 1_000_000_000
    _ = try playground.open()
    #expect(
      playground.directory.names(in: ".todosync/trash/items/todoitem")
        == ["20200101T000000Z.20260228T000000Z.1.json", "note.txt"])
  }

  @Test("L9: a clock that was ahead once doesn't keep the trash from being emptied")
  func goesOnAfterAClockAhead() throws {
    try replace(0)
    try replace(1)
    let right = playground.now
    playground.now += 2_000 * 86_400_000_000_000
    try replace(2)
    for day in 1...70 as ClosedRange<Int64> {
      playground.now = right + day * 86_400_000_000_000
      if day == 2 { try replace(3) }
      #expect(
        try playground.open().displaced(playground.key())
          == Item(text: "{\"n\": \(day < 2 ? 0 : day < 63 ? 2 : 1)}"), "day \(day)")
      // What is named by a time to come is the last copy, and stays. The copy of day 2 has the day after
      // the 30 on which nothing goes.
      #expect(
        playground.trash().count == (day < 2 ? 2 : day < 32 ? 3 : day < 63 ? 2 : 1), "day \(day)")
    }
  }

  @Test("L9: a clock that was ahead for some days is waited for, and names its own day again")
  func waitsForAClockAhead() throws {
    try replace(0)
    let right = playground.now
    playground.now += 10 * 86_400_000_000_000
    try replace(1)
    for day in 1...11 as ClosedRange<Int64> {
      playground.now = right + day * 86_400_000_000_000
      try replace(Int(day) + 1)
      // On the day of the mark the clock is believed, though names of the day after it are there.
      #expect(
        try playground.open().displaced(playground.key())
          == Item(text: "{\"n\": \(day == 10 ? 9 : day)}"), "day \(day)")
    }
    let last = playground.directory.names(in: ".todosync/trash/items/todoitem").last
    #expect(last?.contains(".20260312T101502Z.") == true)
    #expect(playground.directory.text(".todosync/trash/.emptied") == "2026-03-12\n")
  }

  @Test(
    "L9: what is displaced while the clock is some days behind is kept for 30 days",
    arguments: [1, 20, 30] as [Int64])
  func bearsAClockSomeDaysBehind(days: Int64) throws {
    try replace(0)
    let right = playground.now
    playground.now -= days * 86_400_000_000_000
    try replace(1)
    for day in 0...30 as ClosedRange<Int64> {
      playground.now = right + day * 86_400_000_000_000
      _ = try playground.open()
      #expect(playground.trash().count == 1, "day \(day)")
    }
  }

  @Test("the newest copy is found after the clock was set back by some seconds")
  func findsTheNewestAfterASmallStep() throws {
    for number in 0...2 {
      try replace(number)
      playground.now += 100_000_000_000
    }
    playground.now -= 110_000_000_000
    #expect(try playground.open().displaced(playground.key()) == Item(text: #"{"n": 1}"#))
  }

  @Test("L9: a clock that stands before 1970 empties nothing")
  func bearsOddClocks() throws {
    playground.directory.write("x", to: ".todosync/trash/items/todoitem/a.19700101T000000Z.1.json")
    playground.now = -5_000_000_000
    _ = try playground.open()
    #expect(playground.trash() == ["x"])
  }

  /// Replaces an item's text, as a command does that begins and ends.
  private func replace(_ number: Int) throws {
    var workspace = try playground.open()
    let key = try playground.key()
    let expected = try workspace.client(key).digest
    _ = try workspace.write(Item(text: "{\"n\": \(number)}"), to: key, expecting: expected)
  }

  @Test(
    "L9: what is displaced while the clock is behind is kept for 30 days",
    arguments: [1, 4, 40, 100] as [Int64])
  func bearsAClockOfAnotherYear(days: Int64) throws {
    let right = playground.now
    try replace(0)
    try replace(1)
    // What the firmware says.
    for day in 0..<days {
      playground.now = (1_685_613_600 + day * 86_400) * 1_000_000_000
      _ = try playground.open()
    }
    try replace(2)
    for day in 0..<31 as Range<Int64> {
      playground.now = right + (days + day) * 86_400_000_000_000
      _ = try playground.open()
      #expect(playground.trash().count == 2, "day \(day)")
    }
    playground.now += 86_400_000_000_000
    _ = try playground.open()
    #expect(playground.trash() == [])
  }

  @Test(
    "what is displaced of an item with a long name is found again, and no other's",
    arguments: [226, 227, 240])
  func findsLongNames(length: Int) throws {
    // They differ in their last byte only.
    let stem = String(repeating: "x", count: length - 1)
    let keys = try ["a", "b"].map { ItemKey(playground.table, try ItemID(Text(stem + $0))) }
    var workspace = try playground.open()
    for (number, key) in keys.enumerated() {
      let item = try Item(text: "{\"n\": \(number)}")
      let written = try workspace.write(item, to: key, expecting: nil)
      guard case .replaced(let digest) = written else {
        Issue.record("not written")
        return
      }
      _ = try workspace.write(nil as Item?, to: key, expecting: digest)
    }
    for (number, key) in keys.enumerated() {
      #expect(try workspace.displaced(key) == Item(text: "{\"n\": \(number)}"))
    }
  }

  @Test("L9: what is displaced before a clock is set that began in 1970 is kept for 30 days")
  func bearsAClockBehind() throws {
    let right = playground.now
    try replace(0)
    try replace(1)
    func newest() throws -> Item? { try playground.open().displaced(playground.key()) }
    #expect(try newest() == Item(text: #"{"n": 0}"#))
    // A machine without a clock of its own begins in 1970.
    playground.now = 60_000_000_000
    for number in 2...12 {
      try replace(number)
      #expect(try newest() == Item(text: "{\"n\": \(number - 1)}"))
    }
    // The clock is right again, on the same day.
    playground.now = right + 600_000_000_000
    try replace(13)
    #expect(try newest() == Item(text: #"{"n": 12}"#))
    #expect(playground.trash().count == 13)
    for day in [1, 2, 20, 29] as [Int64] {
      playground.now = right + day * 86_400_000_000_000
      _ = try playground.open()
      #expect(playground.trash().count == 13)
    }
    try replace(14)
    #expect(try newest() == Item(text: #"{"n": 13}"#))
    for day in [31, 32] as [Int64] {
      playground.now = right + day * 86_400_000_000_000
      _ = try playground.open()
    }
    // How old the eleven of 1970 are nobody knows; the two since have the day after the 30 on which
    // nothing goes.
    #expect(playground.trash().count == 13)
  }

  @Test("L9: what was displaced before the clock was ever right is not taken for old")
  func bearsAClockThatBeginsBehind() throws {
    let right = playground.now
    playground.now = 60_000_000_000
    try replace(0)
    try replace(1)
    for day in [0, 1, 2] as [Int64] {
      playground.now = right + day * 86_400_000_000_000
      _ = try playground.open()
      #expect(playground.trash().count == 1)
    }
  }

  @Test("The newest document of a conflict is found among more than ten of one second")
  func findsTheNewestDocument() throws {
    let workspace = try playground.open()
    let key = try playground.key()
    for number in 1...12 {
      let document = MarkedDocument(Array("// client \(number)".utf8), of: key.id)
      _ = try workspace.prepare(document, of: key)
    }
    #expect(
      try workspace.displaced(.edit, of: key)
        == "trash/conflicts/todoitem/a.edit.20260301T101502Z.11.json")
  }
}
