import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct ScannerTests {
  let bench: RowsBench

  init() throws { bench = try RowsBench() }

  /// What is found without an index, then with it, which must be the same.
  private func found() throws -> [String] {
    remove(bench.directory.path(of: "index"))
    let first = try bench.found()
    #expect(try bench.found() == first, "with the index")
    #expect(try bench.found(writing: false) == first, "a reader")
    return first
  }

  @Test("Items as their bases say are left out")
  func leavesOutCleanItems() throws {
    try bench.pull([("a", "one"), ("b", "two"), ("x y", "three"), ("con", "four")])
    #expect(
      bench.directory.names(in: "items/todoitem").sorted() == [
        "%63on.json", "a.json", "b.json", "x%20y.json",
      ])
    #expect(try found().isEmpty)
  }

  @Test("Another text with the same meaning is no change")
  func comparesMeaning() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    bench.save("{ \"gone\": null,\n\"text\":\"\\u006fne\", \"id\": \"a\" }\r\n", as: "a")
    bench.save("\u{feff}{\"version\": \"mine\", \"text\": \"two\"}", as: "b")
    #expect(try found().isEmpty)
  }

  @Test("Edited, new and missing items are found, in the order of their ids")
  func findsChanges() throws {
    try bench.pull([("a", "one"), ("b", "two"), ("c", "three"), ("x y", "four")])
    bench.save("{\"text\": \"edited\"}", as: "b")
    bench.save("{\"text\": \"new\"}", as: "aa")
    bench.save("{\"text\": \"new\"}", as: "n%20w")
    remove(bench.path("c"))
    remove(bench.path("x%20y"))
    #expect(try found() == ["aa item", "b item", "c absent", "n w item", "x y absent"])
  }

  @Test("A candidate has the item, its fingerprint and when it was modified")
  func describesCandidates() throws {
    let text = "{\"text\": \"new\"}"
    bench.save(text, as: "a")
    let time = timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789)
    #expect(utimensat(AT_FDCWD, bench.path("a"), [time, time], 0) == 0)
    #expect(
      try bench.candidates() == [
        Candidate(
          key: ItemKey(bench.table, ItemID("a")),
          client: .item(
            Item(JSONObject([.init(name: "text", value: "new")])), Digest(of: text.utf8)),
          modified: 1_700_000_000_123_456_789)
      ])
  }

  @Test("A file over a tombstone is found, a tombstone without a file is not")
  func findsFilesOverTombstones() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    let log = try bench.log()
    try log.append(
      [
        bench.row("a", "one", version: "B", deleted: true),
        bench.row("b", "two", version: "B", deleted: true),
      ], atOnce: true, durably: true)
    remove(bench.path("b"))
    #expect(try found() == ["a item"])
  }

  @Test("Rows not in effect neither miss a file nor make one clean")
  func ignoresIncomingRows() throws {
    try bench.pull([("a", "one")])
    let log = try bench.log()
    try log.append(
      [try bench.row("a", "two", version: "B"), try bench.row("b", "three")], atOnce: false,
      durably: true)
    #expect(try found().isEmpty)
    bench.save("{\"text\": \"two\"}", as: "a")
    bench.save("{\"text\": \"three\"}", as: "b")
    #expect(try found() == ["a item", "b item"])
  }

  @Test("What can't be an item is invalid, and nothing is read of it")
  func findsInvalidKinds() throws {
    bench.save("not json", as: "text")
    bench.save("{\"id\": \"other\"}", as: "claims")
    try #require(mkfifo(bench.path("pipe"), 0o600) == 0)
    try #require(mkdir(bench.path("directory"), 0o700) == 0)
    bench.directory.write("{\"text\": \"secret\"}", to: "secret")
    try #require(symlink(bench.directory.path(of: "secret"), bench.path("link")) == 0)
    try #require(symlink("nowhere", bench.path("dangling")) == 0)
    bench.directory.write(
      [UInt8](repeating: 0x20, count: ItemFile.limit + 1), to: "items/todoitem/large.json")
    let expected = [
      "claims invalid: the id is 'other', and the file's name says 'claims'",
      "dangling invalid: not a regular file", "directory invalid: not a regular file",
      "large invalid: larger than 4 MiB", "link invalid: not a regular file",
      "pipe invalid: not a regular file", "text invalid: expected a value",
    ]
    #expect(try found() == expected)
    #expect(try bench.candidates().allSatisfy { $0.modified > 0 })
  }

  @Test("A clean item whose file becomes a link, a pipe or a directory is invalid")
  func findsReplacedKinds() throws {
    try bench.pull([("a", "one"), ("b", "two"), ("c", "three")])
    #expect(try bench.found().isEmpty)
    try #require(rename(bench.path("a"), bench.directory.path(of: "elsewhere")) == 0)
    try #require(symlink(bench.directory.path(of: "elsewhere"), bench.path("a")) == 0)
    remove(bench.path("b"))
    try #require(mkfifo(bench.path("b"), 0o600) == 0)
    remove(bench.path("c"))
    try #require(mkdir(bench.path("c"), 0o700) == 0)
    #expect(
      try bench.found() == ["a", "b", "c"].map { "\($0) invalid: not a regular file" })
  }

  @Test(
    "L4: what an editor drops is no item",
    arguments: [
      ".a.json.swp", ".a.json", ".#a.json", "#a.json#", "a.json~", "4913", "a.jsonx", "a.JSON",
      ".json", "a.json.tmp", "a", "ajson", "json",
    ])
  func ignoresDroppings(name: String) throws {
    try bench.pull([("a", "one")])
    bench.directory.write("rubbish", to: "items/todoitem/\(name)")
    #expect(try found().isEmpty)
  }

  @Test(
    "A name that is not its id's is invalid, with the command that renames",
    arguments: [
      ("buy milk", "tsync mv '.todosync/items/todoitem/buy milk.json' 'buy milk'"),
      ("%61", "tsync mv .todosync/items/todoitem/%61.json a"),
      ("a%2fb", "tsync mv .todosync/items/todoitem/a%2fb.json a/b"),
      ("con", "tsync mv .todosync/items/todoitem/con.json con"),
      ("a.", "tsync mv .todosync/items/todoitem/a..json a."),
      ("caf\u{e9}", "tsync mv '.todosync/items/todoitem/caf\u{e9}.json' 'caf\u{e9}'"),
      ("100%", "tsync mv .todosync/items/todoitem/100%.json 100%"),
      // An id that begins with a hyphen would be taken for an option.
      ("-rf", "mv -n .todosync/items/todoitem/-rf.json .todosync/items/todoitem/%2Drf.json"),
    ])
  func findsOtherNames(name: String, hint: String) throws {
    bench.save("{\"text\": \"x\"}", as: name)
    let candidates = try bench.candidates()
    #expect(candidates.count == 1)
    let candidate = try #require(candidates.first)
    #expect(candidate.key == nil)
    guard case .invalid(let invalid) = candidate.client else {
      Issue.record("\(candidate.client)")
      return
    }
    #expect(invalid.place.utf8.elementsEqual("items/todoitem/\(name).json".utf8))
    #expect(invalid.hint?.typed.utf8.elementsEqual(hint.utf8) == true)
    #expect(candidate.modified > 0)
    #expect(try found().count == 1)
  }

  @Test("W8: a name that is not UTF-8 is invalid, and stops nothing")
  func survivesOtherEncodings() throws {
    try bench.pull([("a", "one")])
    let path = Array(bench.path("").utf8.dropLast(5)) + [0xE9] + Array(".json".utf8) + [0]
    let descriptor = path.withUnsafeBytes { bytes in
      bytes.baseAddress.map { creat($0.assumingMemoryBound(to: CChar.self), 0o600) } ?? -1
    }
    try #require(descriptor >= 0)
    close(descriptor)
    #expect(try found().map { $0.hasPrefix("? invalid") } == [true])
  }

  @Test("Without the directory every live item is missing")
  func findsAllMissing() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    #expect(try bench.found().isEmpty)
    let log = try bench.log()
    try log.append([try bench.row("c", "three")], atOnce: true, durably: true)
    let rows = bench.rows()
    let found = try rows.candidates(in: bench.table, items: nil)
    #expect(found.map(\.client) == [.absent, .absent, .absent])
    #expect(found.compactMap { $0.key?.id.description } == ["a", "b", "c"])
  }

  @Test("Of clean files no row is read: not by the stamp, and not by the fingerprint")
  func readsNoRowsOfCleanFiles() throws {
    try bench.pull([("a", "one"), ("b", "two")])
    // Every row is destroyed, at its place; only the last line stays, which the index knows.
    let path = "base/todoitem.jsonl"
    var bytes = try #require(bench.directory.read(path))
    let ends = bytes.indices.filter { bytes[$0] == 0x0A }
    for offset in ends[0] + 1..<ends[2] where bytes[offset] != 0x0A { bytes[offset] = 0x78 }
    bench.directory.write(bytes, to: path)
    #expect(try bench.found().isEmpty, "by the fingerprint")
    var scanner = Scanner(of: try bench.log(), in: bench.items, at: bench.now)
    try scanner.run()
    #expect(scanner.candidates.isEmpty)
    #expect(scanner.walk.rows.map(\.stamp) == [.asIndexed, .asIndexed], "by the stamp")
    bench.save("{\"text\": \"edited\"}", as: "a")
    #expect(throws: WorkspaceError.self) { try bench.found() }
  }

  @Test("The next walk meets the files in the index's order")
  func indexesInTheDirectorysOrder() throws {
    try bench.pull((0..<300).map { (Text("item-\($0 * 7919 % 1_000)"), "text") })
    _ = try bench.found()
    let known = try #require(try bench.log().rows.known)
    var met: [[UInt8]] = []
    try DirectoryEntries.forEach(in: #require(bench.items)) { name throws(WorkspaceError) in
      if name.count > 5 { met.append(Array(name.dropLast(5))) }
    }
    #expect((0..<known.count).map { Array(known.name($0)) } == met)
  }

  @Test(
    "Whatever is done to files and rows, the index tells what a look at everything tells",
    arguments: 0..<12)
  func agreesWithAFullLook(number: Int) throws {
    var random = SplitMix64(seed: UInt64(number) &+ 77)
    var length = 0
    try bench.pull((0..<40).map { (Text("item \($0)"), "text") })
    for step in 0..<30 {
      for _ in 0..<random.below(4) {
        let id = random.below(50)
        let name = "item%20\(id)"
        // No two texts have the same length: edits show without waiting for a clock to tick.
        length += 1
        let text = String(repeating: "x", count: length)
        switch random.below(7) {
        case 0: bench.save("{\"text\": \"\(text)\"}", as: name)
        case 1: remove(bench.path(name))
        case 2: bench.save("{\"text\": \"text\"}" + String(repeating: " ", count: length), as: name)
        case 3: bench.save("{" + text, as: name)
        case 4: _ = rename(bench.path(name), bench.path("item%20\(random.below(50))"))
        case 5:
          try bench.log().append(
            [
              bench.row(
                Text("item \(id)"), text, version: Text("v\(length)"), deleted: random.once(in: 3))
            ],
            atOnce: true, durably: false)
        default:
          if random.once(in: 4) {
            try bench.pull([(Text("item \(id)"), text)], writingFiles: random.once(in: 2))
          }
        }
      }
      let indexed = try bench.found(finishing: random.once(in: 2), writing: random.once(in: 2))
      let index = bench.directory.read("index")
      remove(bench.directory.path(of: "index"))
      #expect(try bench.found(finishing: false) == indexed, "seed \(number), step \(step)")
      if let index { bench.directory.write(index, to: "index") }
    }
  }
}
