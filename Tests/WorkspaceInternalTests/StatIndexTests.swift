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
  private func writeIndex(
    _ stamp: FileStamp, device: Int? = nil, directory: FileStamp? = nil
  ) throws {
    remove(bench.directory.path(of: "index"))
    let log = try bench.log()
    let entry = try #require(try ItemID("a").withBytes(log.rows.entry(of:)))
    let digest = Digest(of: [])
    let place = log.learn(digest, of: try ItemID("a"), at: entry)
    var walk = TableWalk(generation: log.generation)
    var status = stat()
    try #require(fstat(try #require(bench.items).descriptor.rawValue, &status) == 0)
    walk.device = device ?? Int(truncatingIfNeeded: status.st_dev)
    walk.settled = directory
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

  private func rows(after boot: Text = LogHeader.currentBoot) -> Rows {
    Rows(
      root: bench.root, trash: bench.trash, isWriting: true, boot: boot, clock: { bench.now })
  }

  @Test("After a restart each file is read once")
  func distrustsWhatAPowerLossMayHaveTaken() throws {
    try makeEdited()
    try writeIndex(stamp("a"))
    func read(after boot: Text) throws -> Int {
      let rows = rows(after: boot)
      defer { rows.finish() }
      return try rows.candidates(in: bench.table, items: bench.items).count
    }
    #expect(try read(after: LogHeader.currentBoot) == 0)
    // The next index, written after the start, doesn't hand the stamp on.
    #expect(try read(after: "next") == 1)
    #expect(try read(after: "next") == 1)
    // Where nobody can tell, nothing is trusted.
    try writeIndex(stamp("a"))
    #expect(try read(after: "") == 1)
  }

  @Test("What is doubtful after a restart stays so when only another table is looked at")
  func handsOnNothingDoubtful() throws {
    try makeEdited()
    try writeIndex(stamp("a"), directory: directoryStamp)
    let others = rows(after: "next")
    let notes = try TableName("notes")
    try others.log(of: notes).setBase([try bench.row("n", "note")])
    _ = try others.candidates(in: notes, items: nil)
    others.finish()
    let index = try #require(StatIndex(in: bench.root, boot: "next"))
    #expect(index.names == [notes, bench.table])
    #expect(try #require(index.table(bench.table)).directory == nil)
    #expect(
      try rows(after: "next").candidates(in: bench.table, items: bench.items).count == 1)
  }

  @Test(
    "A file with another time, size, inode or device than the index's is read", arguments: 0..<5)
  func distrustsOtherFiles(member: Int) throws {
    try makeEdited()
    var other = try stamp("a")
    switch member {
    case 0: other.modified += 1
    case 1: other.changed += 1
    case 2: other.size += 1
    case 3: other.inode += 1
    default: break
    }
    try writeIndex(other, device: member == 4 ? 1 : nil)
    #expect(try bench.found(finishing: false) == ["a item"])
  }

  private var directoryStamp: FileStamp {
    get throws { FileStamp(try #require(bench.items).status()) }
  }

  @Test("A directory with the index's stamp is not read; with another one it is")
  func trustsNames() throws {
    try makeEdited()
    bench.save("{\"text\": \"new\"}", as: "b")
    try writeIndex(stamp("a"), directory: directoryStamp)
    #expect(try bench.found(finishing: false).isEmpty)
    remove(bench.path("a"))
    try writeIndex(stamp("b"), directory: directoryStamp)
    #expect(try bench.found(finishing: false) == ["a absent"])
    var other = try directoryStamp
    other.changed += 1
    try writeIndex(stamp("b"), directory: other)
    #expect(try bench.found(finishing: false) == ["a absent", "b item"])
  }

  @Test("A directory's stamp is kept once it has settled and all files are of rows")
  func keepsSettledStamps() throws {
    func known() -> FileStamp? { StatIndex(in: bench.root)?.table(bench.table)?.directory }
    // More than one thread asks for.
    try bench.pull((0..<1_300).map { (Text("item\($0)"), "text \($0)") })
    let later = bench.now
    bench.now = RowsBench.realTime
    _ = try bench.found()
    #expect(known() == nil)
    bench.now = later
    _ = try bench.found()
    #expect(try known() == directoryStamp)
    bench.save("{\"text\": \"edited\"}", as: "item700")
    bench.save("{", as: "item701")
    #expect(try bench.found().map { String($0.prefix(15)) } == ["item700 item", "item701 invalid"])
    #expect(try known() == directoryStamp)
    // A row that is gone leaves its file behind, which is then another item.
    try bench.log().setBase([try bench.row("item700", "", version: "C", deleted: true)])
    #expect(try bench.found().map { String($0.prefix(15)) } == ["item700 item", "item701 invalid"])
    bench.save("{\"text\": \"new\"}", as: "new")
    #expect(try bench.found().count == 3)
    #expect(try known() != directoryStamp)
    remove(bench.path("new"))
    remove(bench.path("item3"))
    #expect(try bench.found().first == "item3 absent")
    #expect(try known() == directoryStamp)
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

  /// Some items of each sort, an index that knows them, and what is to be found.
  private func makeMixture() throws -> [String] {
    try bench.pull((0..<6).map { (Text("item\($0)"), "text \($0)") })
    _ = try bench.found()
    bench.save("{\"text\": \"edited\"}", as: "item1")
    remove(bench.path("item2"))
    bench.save("{\"text\": \"new\"}", as: "new")
    let log = try bench.log()
    try log.setBase([try bench.row("item4", "text 4", version: "C", deleted: true)])
    try log.bring([try bench.row("item5", "x", version: "D")])
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
        let live = (try? bench.log().ids(.live).count) ?? 0
        #expect(live <= index.count / IndexedTable.stride)
        let found = try? bench.found(finishing: false)
        if ["offset", "number", "count", "names", "at"].contains(name), let found {
          #expect(found == expected, "\(name) \(value)")
        }
      }
    }
  }
}
