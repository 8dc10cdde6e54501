import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct ScannerTests {
  let bench: RowsBench

  init() throws { bench = try RowsBench() }

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

  @Test("Rows not in effect neither miss a file nor make one clean")
  func ignoresIncomingRows() throws {
    try bench.pull([("a", "one")])
    let log = try bench.log()
    try log.bring([try bench.row("a", "two", version: "B"), try bench.row("b", "three")])
    #expect(try bench.found().isEmpty)
    bench.save("{\"text\": \"two\"}", as: "a")
    bench.save("{\"text\": \"three\"}", as: "b")
    #expect(try bench.found() == ["a item", "b item"])
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
    #expect(try bench.found() == ["? invalid: the file name is not UTF-8"])
  }

  @Test(
    "Whatever is done to files and rows, the index tells what a look at everything tells",
    arguments: 0..<12)
  func agreesWithAFullLook(number: Int) throws {
    var random = SplitMix64(seed: UInt64(number) &+ 77)
    var length = 0
    // Names as ids are, and others.
    let (space, escaped) = number % 2 == 0 ? (" ", "%20") : ("-", "-")
    try bench.pull((0..<40).map { (Text("item\(space)\($0)"), "text") })
    var names = Set(try #require(bench.items).names())
    for step in 0..<30 {
      for _ in 0..<random.below(4) {
        let id = random.below(50)
        let name = "item\(escaped)\(id)"
        // No two texts have the same length: edits show without waiting for a clock to tick.
        length += 1
        let text = String(repeating: "x", count: length)
        switch random.below(7) {
        case 0: bench.save("{\"text\": \"\(text)\"}", as: name)
        case 1: remove(bench.path(name))
        case 2: bench.save("{\"text\": \"text\"}" + String(repeating: " ", count: length), as: name)
        case 3: bench.save("{" + text, as: name)
        case 4: _ = rename(bench.path(name), bench.path("item\(escaped)\(random.below(50))"))
        case 5:
          try bench.log().setBase(
            [
              bench.row(
                Text("item\(space)\(id)"), text, version: Text("v\(length)"),
                deleted: random.once(in: 3))
            ],
            durably: false)
        default:
          if random.once(in: 4) {
            try bench.pull([(Text("item\(space)\(id)"), text)], writingFiles: random.once(in: 2))
          }
        }
      }
      // A clock ticks between changes of names.
      let now = Set(try #require(bench.items).names())
      if now != names {
        let time = timespec(tv_sec: 1_000_000 * (number + 1) + step, tv_nsec: 0)
        try #require(futimens(#require(bench.items).descriptor.rawValue, [time, time]) == 0)
      }
      names = now
      let indexed = try bench.found(finishing: random.once(in: 2), writing: random.once(in: 2))
      let index = bench.directory.read("index")
      remove(bench.directory.path(of: "index"))
      #expect(try bench.found(finishing: false) == indexed, "seed \(number), step \(step)")
      if let index { bench.directory.write(index, to: "index") }
    }
  }
}
