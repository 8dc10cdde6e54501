import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

@Suite struct StatIndexTests {
  let bench: RowsBench

  init() throws { bench = try RowsBench() }

  private func stamp(_ name: String) throws -> FileStamp {
    var status = stat()
    try #require(lstat(bench.path(name), &status) == 0)
    return FileStamp(status)
  }

  /// Writes an index by which the file of `a` means what its row says.
  private func writeIndex(_ stamp: FileStamp, device: Int? = nil) throws {
    remove(bench.directory.path(of: "index"))
    let log = try bench.log()
    let entry = try #require(try ItemID("a").withBytes(log.rows.entry(of:)))
    let digest = Digest(of: [])
    let place = log.learn(digest, of: try ItemID("a"), at: entry)
    var walk = TableWalk(generation: log.generation)
    var status = stat()
    try #require(fstat(try #require(bench.items).descriptor.rawValue, &status) == 0)
    walk.device = device ?? Int(truncatingIfNeeded: status.st_dev)
    walk.stamps = [(stamp, digest)]
    walk.rows = [TableWalk.Row(place: .new(UInt32(place)), stamp: .new(0))]
    try StatIndexWriter.write([TableImage(of: log, walk: walk)], to: bench.root)
  }

  /// Lays an item that is not as its base says.
  private func makeEdited() throws {
    try bench.pull([("a", "one")])
    remove(bench.directory.path(of: "index"))
    bench.save("{\"text\": \"edited\"}", as: "a")
  }

  @Test("A file with the index's stamp is not looked into")
  func trustsStamps() throws {
    try makeEdited()
    try writeIndex(stamp("a"))
    #expect(try bench.found(finishing: false).isEmpty)
  }

  @Test("After a restart a file that was changed shortly before the index was written is read")
  func distrustsWhatAPowerLossMayHaveTaken() throws {
    try makeEdited()
    try writeIndex(stamp("a"))
    let descriptor = bench.root.descriptor.rawValue
    func read(startedAfterIndex seconds: Int64, indexWrittenLater later: Int64 = 0) throws -> Int {
      var status = stat()
      try #require(fstatat(descriptor, "index", &status, 0) == 0)
      var times = [status.st_atim, status.st_mtim]
      times[1].tv_sec += Int(later)
      try #require(utimensat(descriptor, "index", times, 0) == 0)
      let started = FileStamp(status).modified + (seconds + later) * 1_000_000_000
      let rows = Rows(
        root: bench.root, trash: bench.trash, isWriting: true, started: started,
        clock: { bench.now })
      defer { rows.finish() }
      return try rows.candidates(in: bench.table, items: bench.items).count
    }
    #expect(try read(startedAfterIndex: -10) == 0)
    // What was changed long before is written down.
    #expect(try read(startedAfterIndex: 10, indexWrittenLater: 7_200) == 0)
    try writeIndex(stamp("a"))
    // The next index, written after the start, doesn't hand the stamp on.
    #expect(try read(startedAfterIndex: 10) == 1)
    #expect(try read(startedAfterIndex: -10) == 1)
  }

  @Test("What was read after a restart isn't read again by the command after that")
  func readsOnceAfterARestart() throws {
    try bench.pull([("a", "one")])
    #expect(try bench.found() == [])
    let rows = Rows(
      root: bench.root, trash: bench.trash, isWriting: true, started: bench.now,
      clock: { bench.now })
    #expect(try rows.candidates(in: bench.table, items: bench.items).isEmpty)
    rows.finish()
    #expect(try #require(try bench.log().rows.known).flags(0).contains(.stamped))
  }

  @Test("What is doubtful after a restart stays so when only another table is looked at")
  func handsOnNothingDoubtful() throws {
    try makeEdited()
    try writeIndex(stamp("a"))
    let started = RowsBench.realTime + 10_000_000_000
    func rows() -> Rows {
      Rows(
        root: bench.root, trash: bench.trash, isWriting: true, started: started,
        clock: { bench.now })
    }
    let others = rows()
    let notes = try TableName("notes")
    try others.log(of: notes).append([try bench.row("n", "note")], atOnce: true, durably: true)
    _ = try others.candidates(in: notes, items: nil)
    others.finish()
    // That index was written after the start.
    let index = open(bench.directory.path(of: "index"), O_RDWR)
    let time = timespec(tv_sec: Int(started / 1_000_000_000) + 10, tv_nsec: 0)
    #expect(futimens(index, [time, time]) == 0)
    close(index)
    #expect(StatIndex(in: bench.root)?.names == [notes, bench.table])
    #expect(try rows().candidates(in: bench.table, items: bench.items).count == 1)
  }

  @Test(
    "A file with other times than the index's is read", arguments: [0, 1],
    [-1, 1, 1_000_000_000] as [Int64])
  func distrustsOtherTimes(member: Int, change: Int64) throws {
    try makeEdited()
    var stamp = try stamp("a")
    if member == 0 { stamp.modified += change } else { stamp.changed += change }
    try writeIndex(stamp)
    #expect(try bench.found(finishing: false) == ["a item"])
  }

  @Test("A file with another size, inode or device than the index's is read")
  func distrustsOtherFiles() throws {
    try makeEdited()
    var other = try stamp("a")
    other.size += 1
    try writeIndex(other)
    #expect(try bench.found(finishing: false) == ["a item"])
    other = try stamp("a")
    other.inode += 1
    try writeIndex(other)
    #expect(try bench.found(finishing: false) == ["a item"])
    try writeIndex(stamp("a"), device: 1)
    #expect(try bench.found(finishing: false) == ["a item"])
  }

  @Test("Stamps of another device are not carried over")
  func dropsStampsOfOtherDevices() throws {
    try makeEdited()
    try writeIndex(stamp("a"), device: 1)
    try bench.pull([("b", "two")])
    #expect(try bench.found() == ["a item"])
    let known = try #require(try bench.log().rows.known)
    #expect(known.device != 1)
    #expect(try bench.found() == ["a item"])
  }

  @Test("A stamp of a base that has moved on vouches for nothing")
  func distrustsFormerBases() throws {
    try bench.pull([("a", "one")])
    #expect(try bench.found().isEmpty)
    let log = try bench.log()
    try log.append([try bench.row("a", "two", version: "B")], atOnce: true, durably: true)
    #expect(try bench.found() == ["a item"])
    #expect(try bench.found() == ["a item"])
  }

  @Test("A stamp that was taken before its base moved on vouches for nothing")
  func distrustsStampsOfFormerBases() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    remove(bench.directory.path(of: "index"))
    let rows = bench.rows()
    #expect(try rows.candidates(in: bench.table, items: bench.items).isEmpty)
    let newer = try bench.row("a", "newer", version: "B")
    try rows.log(of: bench.table).append([newer], atOnce: true, durably: true)
    rows.finish()
    let known = try #require(try bench.log().rows.known)
    #expect(
      (0..<2).map { known.flags($0).contains(.stamped) }.sorted { !$0 && $1 } == [false, true])
    #expect(try bench.found() == ["a item"])
  }

  @Test(
    "L10: a stamp has settled when it is more than two seconds old, in both its times",
    arguments: [
      (0, 0, 2_000_000_001, true), (0, 0, 2_000_000_000, false), (5, 0, 2_000_000_005, false),
      (0, 5, 2_000_000_005, false), (5, 5, 2_000_000_006, true), (9_000_000_000, 0, 1, false),
    ] as [(Int64, Int64, Int64, Bool)])
  func settles(modified: Int64, changed: Int64, time: Int64, expected: Bool) {
    let stamp = FileStamp(modified: modified, changed: changed, inode: 1, size: 1)
    #expect(stamp.isSettled(by: time) == expected)
  }

  @Test("A file that was modified just now is read again, until its stamp has settled")
  func rereadsFreshFiles() throws {
    try bench.pull([("a", "one")])
    var scanner = Scanner(of: try bench.log(), in: bench.items, at: RowsBench.realTime)
    try scanner.run()
    #expect(scanner.candidates.isEmpty)
    #expect(scanner.walk.stamps.isEmpty)
    scanner = Scanner(of: try bench.log(), in: bench.items, at: bench.now)
    try scanner.run()
    #expect(scanner.walk.stamps.map(\.stamp) == [try stamp("a")])
  }

  @Test(
    "A command reads a file once, and the next one nothing of what that has pushed",
    arguments: [true, false])
  func readsOnce(isNew: Bool) throws {
    if !isNew { try bench.pull([("a", "one"), ("b", "two")]) }
    bench.save("{\"text\": \"mine\"}", as: "a")
    let rows = bench.rows()
    let items = try #require(bench.items)
    let key = ItemKey(bench.table, try ItemID("a"))
    let former = try rows.candidates(in: bench.table, items: items)
    #expect(rows.client(key, in: items, "a.json") == former[0].client)
    let row = try bench.row("a", "mine", version: "B")
    try rows.log(of: bench.table).append([row], atOnce: true, durably: true)
    rows.recognise([row], in: bench.table)
    rows.finish()
    let known = try #require(try bench.log().rows.known)
    for place in 0..<known.count {
      #expect(known.flags(place).isSuperset(of: [.stamped, .digest]))
    }
    #expect(try bench.found() == [])
  }

  @Test("What was changed just now, or since, is read again")
  func readsWhatMayHaveChanged() throws {
    bench.save("{\"text\": \"mine\"}", as: "a")
    let key = ItemKey(bench.table, try ItemID("a"))
    let items = try #require(bench.items)
    let rows = bench.rows()
    _ = try rows.candidates(in: bench.table, items: items)
    bench.save("{\"text\": \"again\"}", as: "a")
    #expect(rows.client(key, in: items, "a.json") == nil)
    #expect(try rows.candidates(in: bench.table, items: items)[0].client.item?["text"] == "again")
    bench.now = RowsBench.realTime
    let unsettled = bench.rows()
    _ = try unsettled.candidates(in: bench.table, items: items)
    #expect(unsettled.client(key, in: items, "a.json") == nil)
  }

  @Test("L10: the same size and the same modification time don't hide another content")
  func seesEditsWithFrozenTimes() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    #expect(try bench.found().isEmpty)
    let before = try stamp("a")
    let text = try #require(bench.directory.text("items/todoitem/a.json"))
    let other = String(
      decoding: text.utf8.map { $0 == UInt8(ascii: "o") ? 0x78 : $0 }, as: UTF8.self)
    // The system's clock of files must have ticked since; then nothing is left to luck.
    var now = before
    while now.changed <= before.changed {
      bench.save(other, as: "a")
      now = try stamp("a")
    }
    let time = timespec(
      tv_sec: Int(before.modified / 1_000_000_000), tv_nsec: Int(before.modified % 1_000_000_000))
    #expect(utimensat(AT_FDCWD, bench.path("a"), [time, time], 0) == 0)
    now = try stamp("a")
    #expect(now.modified == before.modified && now.size == before.size && now.inode == before.inode)
    #expect(try bench.found() == ["a item"])
  }

  @Test("Rows are found by the index at the places that it says, and so is what waits")
  func keepsRows() throws {
    let ids = (0..<100).map { Text("id \($0)/\u{e9}") }
    try bench.pull(ids.map { ($0, "text") })
    let waiting = try bench.row("waits", "w")
    let held = try bench.row("id 7/\u{e9}", "held", version: "B")
    let tombstone = try bench.row("gone", "g", deleted: true)
    let log = try bench.log()
    try log.append([tombstone], atOnce: true, durably: true)
    try log.append([held], atOnce: false, durably: true)
    try log.commit(token: DeltaToken("T\u{1F}2"), held: [held.id])
    try log.append([waiting], atOnce: false, durably: true)
    try StatIndexWriter.write([TableImage(of: log, walk: nil)], to: bench.root)
    let again = try bench.log()
    #expect(again.rows.known?.count == 101)
    #expect(again.rows.newer.count == 0)
    #expect(again.rows.token == DeltaToken("T\u{1F}2"))
    #expect(again.rows.liveCount == 100)
    #expect(again.rows.commitNumber == log.rows.commitNumber)
    #expect(again.rows.effectiveBytes == log.rows.effectiveBytes)
    #expect(try again.incomingRows() == [held, waiting])
    for id in ids { #expect(try again.base(of: ItemID(id)) == .row(try bench.row(id, "text"))) }
    #expect(try again.base(of: tombstone.id) == .tombstone(tombstone))
    #expect(try again.base(of: waiting.id) == .neverSeen)
    try again.commit(token: nil, held: [])
    #expect(try bench.log().base(of: waiting.id) == .row(waiting))
    #expect(try bench.log().incomingRows() == [held])
  }

  @Test("The index of a log that was replaced, cut or put back is not used")
  func distrustsOtherLogs() throws {
    try bench.pull([("a", "one")])
    let path = "base/todoitem.jsonl"
    let former = try #require(bench.directory.read(path))
    let log = try bench.log()
    try log.append([try bench.row("b", "two")], atOnce: true, durably: true)
    try StatIndexWriter.write([TableImage(of: log, walk: nil)], to: bench.root)
    #expect(try bench.log().rows.known != nil)
    bench.directory.write(former, to: path)
    #expect(try bench.log().rows.known == nil)
    #expect(try bench.log().base(of: ItemID("b")) == .neverSeen)
    // Other lines of the same length in the same places.
    let other = try bench.log()
    try other.append([try bench.row("c", "two")], atOnce: true, durably: true)
    #expect(other.position.offset == log.position.offset)
    #expect(try bench.log().rows.known == nil)
    #expect(try bench.log().base(of: ItemID("c")).row?.id == ItemID("c"))
    try StatIndexWriter.write([TableImage(of: other, walk: nil)], to: bench.root)
    try other.forget()
    #expect(try bench.log().rows.known == nil)
    #expect(try bench.log().base(of: ItemID("c")) == .neverSeen)
  }

  /// Some items of each sort, an index that knows them, and what is to be found.
  private func makeMixture() throws -> [String] {
    try bench.pull((0..<6).map { (Text("item\($0)"), "text \($0)") })
    _ = try bench.found()
    bench.save("{\"text\": \"edited\"}", as: "item1")
    remove(bench.path("item2"))
    bench.save("{\"text\": \"new\"}", as: "new")
    let log = try bench.log()
    try log.append(
      [try bench.row("item4", "text 4", version: "C", deleted: true)], atOnce: true, durably: true)
    try log.append([try bench.row("item5", "x", version: "D")], atOnce: false, durably: true)
    let expected = ["item1 item", "item2 absent", "item4 item", "new item"]
    #expect(try bench.found(finishing: false) == expected)
    try StatIndexWriter.write(
      [TableImage(of: try bench.log(), walk: nil)], to: bench.root)
    return expected
  }

  @Test("case 101: an index that was cut somewhere, or in which a byte is another, is made anew")
  func survivesDamage() throws {
    let expected = try makeMixture()
    let index = try #require(bench.directory.read("index"))
    #expect(try bench.found(finishing: false) == expected)
    for length in stride(from: 0, to: index.count, by: 13) {
      bench.directory.write(Array(index[..<length]), to: "index")
      #expect(try bench.found(finishing: false) == expected, "cut at \(length)")
    }
    var random = SplitMix64(seed: 5)
    for offset in index.indices where offset < 32 || offset % 7 == 0 {
      var damaged = index
      damaged[offset] ^= UInt8.random(in: 1...255, using: &random)
      bench.directory.write(damaged, to: "index")
      #expect(try bench.found(finishing: false) == expected, "another byte at \(offset)")
    }
    bench.directory.write(Array(index[..<100]), to: "index")
    #expect(try bench.found() == expected)
    #expect(try bench.log().rows.known?.count == 6)
  }

  @Test(
    "What is no index is none",
    arguments: ["", "x", "{\"tables\":[]}", String(repeating: "\0", count: 4_096)])
  func ignoresOtherFiles(text: String) throws {
    try bench.pull([("a", "one")])
    bench.directory.write(text, to: "index")
    #expect(try bench.found().isEmpty)
    #expect(try bench.log().rows.known?.count == 1)
  }

  @Test("W4, W5: a directory, a pipe and a link in the index's place are none")
  func ignoresOtherKinds() throws {
    try bench.pull([("a", "one")])
    let path = bench.directory.path(of: "index")
    try #require(rename(path, path + "-real") == 0)
    try #require(symlink(path + "-real", path) == 0)
    #expect(try bench.log().rows.known == nil)
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try bench.log().rows.known == nil)
    unlink(path)
    try #require(mkdir(path, 0o700) == 0)
    #expect(try bench.found().isEmpty)
  }

  @Test("W7: an index of crafted numbers with the right checksums harms nothing")
  func survivesCraftedNumbers() throws {
    let expected = try makeMixture()
    let index = try #require(bench.directory.read("index"))
    let start = StatIndex.headerLength + Int(index[8]) + Int(index[9]) << 8
    let text = Array(index[StatIndex.headerLength..<start])
    for name in ["offset", "number", "count", "incoming", "names", "at", "live", "bytes", "commit"]
    {
      for value in [-1, 0, 1, 7, 1 << 20, Int(Int32.max), 1 << 52, .max] {
        var object = try #require(try JSON(parsing: text).object)
        var table = try #require(object["tables"]?.elements?.first?.object)
        table[Text(name)] = .integer(value)
        object["tables"] = .array([.object(table)])
        var crafted = JSON.object(object).encoded()
        crafted += [UInt8](repeating: 0x20, count: text.count - crafted.count)
        let checksum = crafted.withUnsafeBytes { Checksum(of: $0).value }
        var file = index
        file.replaceSubrange(StatIndex.headerLength..<start, with: crafted)
        for byte in 0..<4 { file[12 + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * byte)) }
        bench.directory.write(file, to: "index")
        let live = try? bench.log().rows.liveIDs
        #expect((live?.count ?? 0) <= index.count / IndexedTable.stride)
        let found = try? bench.found(finishing: false)
        if ["offset", "number", "count", "names", "at"].contains(name), let found {
          #expect(found == expected, "\(name) \(value)")
        }
      }
    }
  }

  @Test("What is known of one table stays when another one is looked at")
  func keepsOtherTables() throws {
    try bench.pull([("a", "one")])
    _ = try bench.found()
    let notes = try TableName("notes")
    let rows = bench.rows()
    let log = try rows.log(of: notes)
    try log.append([try bench.row("n", "note")], atOnce: true, durably: true)
    _ = try rows.candidates(in: notes, items: nil)
    rows.finish()
    let index = try #require(StatIndex(in: bench.root))
    #expect(index.names == [notes, bench.table])
    #expect(index.table(notes)?.count == 1)
    #expect(index.table(bench.table)?.flags(0).contains(.stamped) == true)
    var scanner = Scanner(of: try bench.log(), in: bench.items, at: bench.now)
    try scanner.run()
    #expect(scanner.walk.stamps.isEmpty)
  }

  @Test("A reader keeps what it found out, but not while a writer has the lock")
  func savesWhenTheLockIsFree() throws {
    try bench.pull([("a", "one")])
    remove(bench.directory.path(of: "index"))
    let descriptor = open(bench.directory.path(of: "lock"), O_RDWR)
    try #require(flock(descriptor, LOCK_EX) == 0)
    #expect(try bench.found(writing: false).isEmpty)
    #expect(bench.directory.read("index") == nil)
    close(descriptor)
    #expect(try bench.found(writing: false).isEmpty)
    #expect(bench.directory.read("index") != nil)
  }

  @Test("An index that would say the same is not written again")
  func savesOnlyNews() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    #expect(try bench.found().isEmpty)
    bench.save("{\"text\": \"edited\"}", as: "b")
    bench.save("{\"text\": \"new\"}", as: "c")
    func inode() throws -> UInt64 {
      var status = stat()
      try #require(lstat(bench.directory.path(of: "index"), &status) == 0)
      return UInt64(status.st_ino)
    }
    let before = try inode()
    for _ in 0..<3 { #expect(try bench.found() == ["b item", "c item"]) }
    #expect(try inode() == before)
    bench.save("{\"text\": \"two\"}", as: "b")
    #expect(try bench.found() == ["c item"])
    #expect(try inode() != before)
    #expect(bench.directory.names().filter { $0.hasPrefix("index") } == ["index"])
  }

  @Test("An entry has at most 110 bytes with an id of 36")
  func isSmall() throws {
    let ids = (0..<1_000).map { number in
      Text("0f0e0d0c-0b0a-4909-8807-\(100_000_000_000 + number)")
    }
    try bench.pull(ids.map { ($0, "text") })
    _ = try bench.found()
    let size = try #require(bench.directory.read("index")).count
    #expect(size <= 110 * 1_000 + 2_048)
  }
}
