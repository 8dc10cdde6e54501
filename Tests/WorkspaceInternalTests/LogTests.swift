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
    let kind = LogKind("tsync-test", version: 1)
    let log = try Log("x.jsonl", in: root, kind: kind, writing: writing, trash: trash) {
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

extension Log {
  /// Opens a log and reads all its lines as objects, without `n`, `d` and `crc`.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage, another format; what `each` throws.
  convenience init(
    _ name: String, in directory: Directory, kind: LogKind, writing: Bool, trash: Trash,
    each: (JSONObject) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    try self.init(opening: name, in: directory, kind: kind, writing: writing, trash: trash)
    let place = place
    try read { line throws(WorkspaceError) in
      guard let object = line.object else {
        throw WorkspaceError.damaged(
          place: place, line: nil, fact: "line \(line.number) is not a JSON object")
      }
      try each(object)
    }
  }

  /// Appends records; with `durably`, they and all before them survive a power loss.
  ///
  /// Before the first line that has to, what former processes wrote is made to: so the line says, by
  /// its `d`, that they are, and their destruction will show.
  func append(_ records: [JSONObject], durably: Bool) throws(WorkspaceError) {
    if durably, !isNew { try synchronize() }
    if !records.isEmpty { try append(records.map(LogLine.members)) }
    if durably { try synchronize() }
  }

  /// Replaces the file by one with these records, in one durable step; the count goes on.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func rewrite(_ records: [JSONObject]) throws(WorkspaceError) {
    try create { writer throws(WorkspaceError) in
      for record in records { try writer.write(LogLine.members(record)) }
    }
  }
}

@Suite struct LogTests {
  let bench: LogBench

  init() throws { bench = try LogBench() }

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

  @Test("A log with a second name is copied before it is written to", arguments: [false, true])
  func copiesLinkedLog(isTorn: Bool) throws {
    try bench.open().log.append(LogBench.records(1...2), durably: true)
    if isTorn { bench.bytes += Array("torn".utf8) }
    let before = bench.bytes
    for name in ["copy", "x.jsonl.new"] {
      let path = bench.directory.path(of: name)
      #expect(link(bench.directory.path(of: "x.jsonl"), path) == 0)
    }
    let log = try bench.open().log
    try log.append([LogBench.record(3)], durably: true)
    try log.append([LogBench.record(4)], durably: true)
    #expect(try bench.records() == LogBench.records(1...4))
    #expect(bench.directory.read("copy") == before)
    var status = stat()
    #expect(stat(bench.directory.path(of: "copy"), &status) == 0)
    #expect(status.st_nlink == 1)
  }

  @Test("A directory that its file system can't make durable is passed over")
  func passesOverDirectories() throws {
    // proc(5) has no fsync.
    try Directory(path: "/proc", place: "").synchronize()
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
        fact: "a line is not valid, but later lines say that it was safe on disk")
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

  @Test("A log of another kind is not this log")
  func tellsKindsApart() throws {
    let other = try Log(
      opening: "x.jsonl", in: bench.root, kind: LogKind("tsync-other", version: 1),
      writing: true, trash: bench.trash)
    try other.append([LogBench.record(1)], durably: true)
    #expect(throws: LogHeader.damage("x.jsonl")) { try bench.open() }
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

  @Test("Somebody else's bytes behind the end are noticed before anything is appended to them")
  func noticesOtherWriters() throws {
    let log = try bench.open().log
    try log.append(LogBench.records(1...2), durably: true)
    let whole = bench.bytes + Array("x".utf8)
    bench.bytes = whole
    #expect(throws: WorkspaceError.self) { try log.append([LogBench.record(3)], durably: true) }
    #expect(bench.bytes == whole)
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
}
