import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Workspace

/// A directory with a log in it, and what a crash or a person does to the file.
struct LogBench {
  let directory = TemporaryDirectory()
  let root: Directory
  let trash: Trash

  init() throws {
    root = try Directory(path: directory.path, place: "")
    trash = Trash(try root.child("trash", creating: true), clock: { 1_772_360_102_000_000_000 })
  }

  /// Opens the log and returns it with its records.
  func open(writing: Bool = true) throws -> (log: Log, records: [JSONObject]) {
    var records: [JSONObject] = []
    let log = try Log("x.jsonl", in: root, kind: "tsync-test", writing: writing, trash: trash) {
      records.append($0)
    }
    return (log, records)
  }

  /// The records that a reader without the lock finds.
  func records() throws -> [JSONObject] { try open(writing: false).records }

  var bytes: [UInt8] {
    get { directory.read("x.jsonl") ?? [] }
    nonmutating set { directory.write(newValue, to: "x.jsonl") }
  }

  /// Where each line of the file ends.
  var lineEnds: [Int] {
    bytes.enumerated().filter { $0.element == 0x0A }.map { $0.offset + 1 }
  }

  /// Record number `number`: texts with what JSON escapes and what it doesn't.
  static func record(_ number: Int) -> JSONObject {
    JSONObject([
      .init(name: "t", value: "intent"), .init(name: "k", value: .integer(number)),
      .init(name: "text", value: .string("a \"line\"\n, caf\u{e9} }\\")),
    ])
  }

  static func records(_ numbers: ClosedRange<Int>) -> [JSONObject] { numbers.map(record) }
}

@Suite struct LogTests {
  let bench: LogBench

  init() throws { bench = try LogBench() }

  @Test("What was appended is read again, in order and over many openings")
  func readsWhatWasAppended() throws {
    for number in 1...5 {
      let (log, records) = try bench.open()
      #expect(records == LogBench.records(1...max(1, number)).dropLast(1).map { $0 })
      try log.append([LogBench.record(number)], durably: number % 2 == 0)
    }
    #expect(try bench.records() == LogBench.records(1...5))
  }

  @Test("A line is JSON, numbered, with its checksum last")
  func writesDocumentedLines() throws {
    let log = try bench.open().log
    try log.append([LogBench.record(1)], durably: true)
    try log.append([LogBench.record(2), LogBench.record(3)], durably: false)
    let lines = bench.bytes.split(separator: 0x0A).map { Array($0) }
    let objects = try lines.map { try #require(try JSON(parsing: $0).object) }
    #expect(
      objects[0].members.map(\.name) == ["h", "v", "salt", "boot", "crc"])
    #expect(objects[0]["h"] == "tsync-test")
    #expect(objects.dropFirst().map { $0["n"] } == [1, 2, 3])
    // The first line of a file that shows up whole calls what is before it durable.
    #expect(objects.dropFirst().map { $0["d"] } == [0, 1, 1])
    let salt = try #require(objects[0]["salt"]?.text)
    for (line, object) in zip(lines, objects) {
      #expect(object.members.last?.name == "crc")
      var checksum = Checksum()
      checksum.add(salt.bytes)
      checksum.add(line.dropLast(18))
      #expect(object["crc"]?.text?.string == checksum.description)
    }
  }

  @Test("L12: the file is readable by its owner only, also under a lax mask")
  func isPrivate() throws {
    try bench.open().log.append([LogBench.record(1)], durably: true)
    var status = stat()
    #expect(stat(bench.directory.path(of: "x.jsonl"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("A log that nothing was appended to makes no file")
  func makesNoFileForNothing() throws {
    #expect(try bench.open().log.isNew)
    try bench.open().log.append([], durably: true)
    #expect(!bench.directory.names().contains("x.jsonl"))
  }

  @Test("case 97: a group cut off at any length leaves the lines before it, the rest in the trash")
  func cutsTornTails() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...2), durably: true)
    let durable = log.size
    try log.append(LogBench.records(3...4), durably: false)
    let whole = bench.bytes
    let third = bench.lineEnds[3]
    for length in durable..<whole.count {
      bench.bytes = Array(whole[..<length])
      let survivors = LogBench.records(1...(length >= third ? 3 : 2))
      let end = length >= third ? third : durable
      #expect(try bench.records() == survivors, "a reader, cut at \(length)")
      #expect(bench.bytes.count == length, "a reader cuts nothing")
      let kept = bench.directory.names(in: "trash").count
      let (log, records) = try bench.open()
      #expect(records == survivors, "cut at \(length)")
      #expect(bench.bytes.count == end)
      #expect(log.notices.count == (length == end ? 0 : 1))
      #expect(bench.directory.names(in: "trash").count == kept + log.notices.count)
      try log.append([LogBench.record(9)], durably: true)
      #expect(try bench.records() == survivors + [LogBench.record(9)])
    }
  }

  @Test("The cut-off bytes are in the trash as they were")
  func keepsTornTails() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...2), durably: true)
    let tail = Array("{\"n\":3,\"d\":2,\"half".utf8)
    bench.bytes += tail
    let notice = try #require(try bench.open().log.notices.first)
    let name = try #require(bench.directory.names(in: "trash").first)
    #expect(bench.directory.read("trash/\(name)") == tail)
    #expect(notice.contains("x.jsonl") && notice.contains(name) && notice.contains("18 bytes"))
  }

  @Test(
    "Zeros and rubbish behind the end are a torn tail, also with line ends in them",
    arguments: ["\0\0\0\0\0\0\0\0", "\0\0\n\0\0\n", "\n", "\n\n\n", "{}\n{}\n", "rubbish"])
  func cutsRubbish(tail: String) throws {
    try bench.open().log.append(LogBench.records(1...2), durably: true)
    let whole = bench.bytes
    bench.bytes += Array(tail.utf8)
    #expect(try bench.open().records == LogBench.records(1...2))
    #expect(bench.bytes == whole)
  }

  @Test("case 98: a bit flipped in a line that a later one calls durable stops the program")
  func findsDamage() throws {
    let log = try bench.open().log
    for number in 1...3 { try log.append([LogBench.record(number)], durably: true) }
    let whole = bench.bytes
    let ends = bench.lineEnds
    for offset in ends[0]..<ends[2] {
      var flipped = whole
      flipped[offset] ^= UInt8(1 << (offset % 8))
      bench.bytes = flipped
      #expect(throws: WorkspaceError.self, "flipped at \(offset)") { try bench.open() }
      #expect(throws: WorkspaceError.self, "flipped at \(offset)") { try bench.records() }
      #expect(bench.bytes == flipped, "nothing is touched")
    }
    #expect(bench.directory.names(in: "trash").isEmpty)
  }

  @Test("Where an item holds what looks like lines, a line behind a destroyed line end is found")
  func findsLinesAmongLookalikes() throws {
    let alike = (0..<200).map { _ in #"{"n":1,"d":0,"crc":"00000000"}"# }.joined(separator: ",")
    let record = try #require(try JSON(parsing: Array(#"{"a":[\#(alike)]}"#.utf8)).object)
    let log = try bench.open().log
    for _ in 1...3 { try log.append([record], durably: true) }
    for end in bench.lineEnds.dropFirst().dropLast() {
      let whole = bench.bytes
      bench.bytes[end - 1] = 0x20
      #expect(throws: WorkspaceError.self) { try bench.open() }
      bench.bytes = whole
    }
    #expect(try bench.records() == [record, record, record])
    // So few are tried that a line of any length is read in time.
    let starts = Array(alike.utf8).withUnsafeBytes { LogLine.starts(in: $0, after: 0) }
    #expect(starts.count == 1 + 2 * LogLine.mostStarts)
    #expect(starts.first == 0 && starts.last == alike.utf8.count - 30)
  }

  @Test("Damage is named by its line")
  func namesTheDamagedLine() throws {
    let log = try bench.open().log
    for number in 1...3 { try log.append([LogBench.record(number)], durably: true) }
    var bytes = bench.bytes
    bytes[bench.lineEnds[1] + 20] ^= 1
    bench.bytes = bytes
    #expect(
      throws: WorkspaceError.damaged(
        place: "x.jsonl", line: 3,
        fact: "a line is not as it was written, and later lines say that it was safe on disk")
    ) { try bench.open() }
  }

  @Test("A lost block in front of lines that were not yet durable is a torn tail")
  func cutsWhatNobodyCallsDurable() throws {
    let log = try bench.open().log
    try log.append([LogBench.record(1)], durably: true)
    for number in 2...4 { try log.append([LogBench.record(number)], durably: false) }
    var bytes = bench.bytes
    for offset in bench.lineEnds[1]..<bench.lineEnds[2] { bytes[offset] = 0 }
    bench.bytes = bytes
    #expect(try bench.open().records == [LogBench.record(1)])
  }

  @Test("A line that stands twice, and one that is left out, don't go unseen")
  func countsLines() throws {
    let log = try bench.open().log
    for number in 1...4 { try log.append([LogBench.record(number)], durably: true) }
    let whole = bench.bytes
    let ends = bench.lineEnds
    bench.bytes = Array(whole[..<ends[2]] + whole[ends[1]...])
    #expect(throws: WorkspaceError.self) { try bench.open() }
    bench.bytes = Array(whole[..<ends[1]] + whole[ends[2]...])
    #expect(throws: WorkspaceError.self) { try bench.open() }
  }

  @Test("Lines of another log don't pass for lines of this one")
  func saltsLines() throws {
    try bench.open().log.append(LogBench.records(1...2), durably: true)
    let first = bench.bytes
    let ends = bench.lineEnds
    bench.bytes = []
    try bench.open().log.append(LogBench.records(1...1), durably: true)
    bench.bytes += Array(first[ends[1]...])
    #expect(try bench.open().records == LogBench.records(1...1))
  }

  @Test("A damaged header stops the program, at each of its bytes")
  func findsDamagedHeaders() throws {
    try bench.open().log.append(LogBench.records(1...2), durably: true)
    let whole = bench.bytes
    for offset in 0..<bench.lineEnds[0] {
      var flipped = whole
      flipped[offset] ^= 2
      bench.bytes = flipped
      #expect(throws: WorkspaceError.self, "flipped at \(offset)") { try bench.open() }
      #expect(bench.bytes == flipped)
    }
  }

  @Test("A log of another kind is not this log")
  func tellsKindsApart() throws {
    let other = try Log(
      opening: "x.jsonl", in: bench.root, kind: "tsync-other", writing: true, trash: bench.trash)
    try other.append([LogBench.record(1)], durably: true)
    #expect(throws: LogHeader.damage("x.jsonl")) { try bench.open() }
  }

  @Test("A log of a newer format is refused whatever else it says")
  func refusesNewerFormats() throws {
    bench.directory.write(#"{"h":"tsync-test","v":2,"seed":"?"}"# + "\nanything\n", to: "x.jsonl")
    #expect(throws: WorkspaceError.newerFormat(place: "x.jsonl", found: 2)) { try bench.open() }
    #expect(throws: WorkspaceError.newerFormat(place: "x.jsonl", found: 2)) {
      try bench.records()
    }
  }

  @Test("An empty file is a log without lines")
  func takesEmptyFiles() throws {
    bench.bytes = []
    let (log, records) = try bench.open()
    #expect(records.isEmpty)
    try log.append(LogBench.records(1...2), durably: true)
    #expect(try bench.records() == LogBench.records(1...2))
  }

  @Test("W4: a symbolic link in the log's place is not followed")
  func followsNoLink() throws {
    try bench.open().log.append(LogBench.records(1...2), durably: true)
    let path = bench.directory.path(of: "x.jsonl")
    #expect(rename(path, path + ".real") == 0)
    #expect(symlink(path + ".real", path) == 0)
    #expect(throws: WorkspaceError.self) { try bench.open() }
  }

  @Test("A rewritten log has its new lines only, and goes on counting")
  func rewrites() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...5), durably: false)
    try log.rewrite(LogBench.records(7...8))
    try log.append([LogBench.record(9)], durably: false)
    #expect(try bench.records() == LogBench.records(7...9))
    let numbers = try bench.bytes.split(separator: 0x0A).map {
      try #require(try JSON(parsing: Array($0)).object)["n"]
    }
    #expect(numbers == [5, 6, 7, 8])
    try bench.open().log.append([LogBench.record(10)], durably: true)
    #expect(try bench.records() == LogBench.records(7...10))
    #expect(bench.directory.names() == ["trash", "x.jsonl"])
  }

  @Test("A log rewritten to nothing goes on too")
  func rewritesToNothing() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...3), durably: true)
    try log.rewrite([])
    #expect(try bench.records().isEmpty)
    try bench.open().log.append([LogBench.record(4)], durably: true)
    #expect(try bench.records() == [LogBench.record(4)])
  }

  @Test("A flipped bit in a rewritten log is damage, but in its last line")
  func protectsRewrittenLines() throws {
    let log = try bench.open().log
    try log.append([LogBench.record(1)], durably: true)
    try log.rewrite(LogBench.records(1...3))
    var bytes = bench.bytes
    bytes[bench.lineEnds[1] + 10] ^= 1
    bench.bytes = bytes
    #expect(throws: WorkspaceError.self) { try bench.open() }
  }

  @Test("A reader that was there before a rewriting still reads its file")
  func leavesReadersTheirFile() throws {
    let writer = try bench.open().log
    try writer.append(LogBench.records(1...3), durably: true)
    let reader = try Log(
      opening: "x.jsonl", in: bench.root, kind: "tsync-test", writing: false, trash: bench.trash)
    try writer.rewrite([LogBench.record(9)])
    var records: [JSONObject] = []
    try reader.read { line throws(WorkspaceError) in line.object.map { records.append($0) } }
    #expect(records == LogBench.records(1...3))
  }

  @Test("Somebody else's bytes behind the end are noticed before anything is appended to them")
  func noticesOtherWriters() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...2), durably: true)
    let whole = bench.bytes + Array("x".utf8)
    bench.bytes = whole
    #expect(throws: WorkspaceError.self) { try log.append([LogBench.record(3)], durably: true) }
    #expect(bench.bytes == whole)
  }

  @Test("A line longer than the reader's buffer is read, and a torn one of that length cut off")
  func readsLongLines() throws {
    let long = JSONObject([
      .init(name: "body", value: .string(String(repeating: "x", count: 700_000)))
    ])
    let log = try bench.open().log
    try log.append([LogBench.record(1), long, LogBench.record(2)], durably: true)
    #expect(try bench.records() == [LogBench.record(1), long, LogBench.record(2)])
    let end = log.size
    try log.append([long], durably: false)
    bench.bytes = bench.bytes.dropLast(5)
    #expect(try bench.open().log.size == end)
  }

  @Test("Many lines over many buffers are read in order")
  func readsManyLines() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...9_000), durably: true)
    #expect(log.size > 3 * 256 << 10)
    #expect(try bench.records() == LogBench.records(1...9_000))
  }
}

@Suite struct ChecksumTests {
  @Test(
    "The checksum is CRC-32C",
    arguments: [
      ("", "00000000"), ("123456789", "e3069283"), ("a", "c1d04330"),
      ("The quick brown fox jumps over the lazy dog", "22620404"),
    ])
  func isCRC32C(text: String, expected: String) {
    var checksum = Checksum()
    checksum.add(text.utf8)
    #expect(checksum.description == expected)
    let table = ~Array(text.utf8).withUnsafeBytes { Checksum.byTable(.max, $0) }
    #expect(String(table, radix: 16).utf8.elementsEqual(expected.utf8) || table == 0)
  }

  @Test("Instruction and table agree at every length and place")
  func tableAgrees() {
    var random = SplitMix64(seed: 7)
    let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes.withUnsafeBytes { all in
      for start in 0..<9 {
        for end in start..<all.count {
          let part = UnsafeRawBufferPointer(rebasing: all[start..<end])
          #expect(Checksum(of: part).value == ~Checksum.byTable(.max, part))
        }
      }
    }
  }

  @Test("A checksum grows in parts as in one")
  func growsInParts() {
    var parts = Checksum()
    parts.add("1234".utf8)
    parts.add("".utf8)
    parts.add("56789".utf8)
    var whole = Checksum()
    whole.add("123456789".utf8)
    #expect(parts == whole)
  }
}
