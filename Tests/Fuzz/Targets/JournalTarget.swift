import SyncEngine

@testable import SyncModel
@testable import Workspace

/// A table's journal of rows.
///
/// An input is as ``LogInput`` says, or makes a stat index that is read beside a whole log.
enum JournalTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    bytes.withUnsafeBytes { _ = RowSketch($0) }
    if bytes.first == UInt8(ascii: "i") { return try index(bytes) }
    guard let table = try? TableName("t"),
      let input = LogInput(bytes, kind: Journal.kind, extra: header),
      let scratch = ScratchDirectory(input.file, named: file)
    else { return }
    try input.salvage(Journal.kind)
    var twins = [JournalTwin(table)]
    var isReadable = true
    for line in input.lines {
      guard var twin = twins.last, twin.take(line) else {
        isReadable = false
        break
      }
      twins.append(twin)
    }
    for line in input.lines { try sketch(line) }
    let read = open(table, scratch, writing: false)
    try ensure(scratch.read(file) == input.file, "reading has changed the file")
    try ensure(scratch.kept.isEmpty && scratch.names == [file], "reading has written")
    if isReadable, !input.lines.isEmpty {
      let found = try read.map { log throws(Finding) in try JournalTwin(log) }
      if input.isWhole { try ensure(found == twins.last, "other rows than were written") }
      if let found { try ensure(twins.contains(found), "rows that were not written") }
    }
    try write(table, input, scratch, isReadable: isReadable && read != nil)
  }

  private static let file = "t.jsonl"
  private static let header = JSONObject([
    .init(name: "table", value: "t"), .init(name: "generation", value: "g"),
  ])

  private static func open(
    _ table: TableName, _ scratch: ScratchDirectory, writing: Bool
  ) -> Journal? {
    try? Journal(
      table, in: scratch.directory, writing: writing, trash: scratch.trash, index: nil)
  }

  /// Reads a log by an index that may say anything: what comes of it is an error, or a row.
  private static func index(_ bytes: [UInt8]) throws(Finding) {
    let lines = #"m"row":{"id":"a"}"# + "\n" + #""taken":true,"but":[]"#
    guard let table = try? TableName("t"),
      let input = LogInput(Array(lines.utf8), kind: Journal.kind, extra: header),
      let scratch = ScratchDirectory(input.file, named: file),
      let whole = open(table, scratch, writing: false),
      let text = IndexInput.file(bytes, of: whole.generation, at: whole.position)
    else { return }
    scratch.write(text, to: StatIndex.name)
    guard let known = StatIndex(in: scratch.directory)?.table(table) else {
      throw Finding(description: "the index is none")
    }
    guard
      let log = try? Journal(
        table, in: scratch.directory, writing: true, trash: scratch.trash, index: known)
    else { return }
    try ensure(log.rows.known != nil, "the index was passed over")
    for id in (try? log.ids(.live)) ?? [] { _ = try? log.base(of: id) }
    _ = try? log.arrivals()
    var scanner = Scanner(of: log, in: scratch.directory, at: 0)
    try? scanner.run()
    _ = try? log.append([.taken(but: []), .token(Feed(log.table), DeltaToken("x"))], durably: true)
    _ = try? log.compact()
    try ensure(Set(scratch.names) == [file, StatIndex.name], "other files: \(scratch.names)")
  }

  /// Makes sure that a row's sketch says what the row does.
  private static func sketch(_ line: [UInt8]) throws(Finding) {
    guard let row = JournalTwin.row(in: line)?.arrival.row else { return }
    let isRight = row.text.withUnsafeBytes { text in
      RowSketch(text).map {
        $0.id.elementsEqual(row.id.text.bytes) && $0.isTombstone == row.deleted
      }
    }
    try ensure(isRight ?? true, "the sketch of \(shown(row.text))")
  }

  /// Opens the log to write, takes its arrivals and compacts it: the rows stay what they are.
  private static func write(
    _ table: TableName, _ input: LogInput, _ scratch: ScratchDirectory, isReadable: Bool
  ) throws(Finding) {
    guard let log = open(table, scratch, writing: true) else {
      try ensure(scratch.read(file) == input.file, "a refused file was changed")
      return
    }
    let rest = scratch.read(file)
    try ensure(rest + scratch.kept == input.file, "what was cut off is not in the trash")
    // A row that is none, under a checksum that fits, is found when it is asked for.
    guard isReadable, !input.lines.isEmpty else { return }
    var twin = try JournalTwin(log)
    let held = (try? log.arrivals())?.first.map { Set([$0.id]) } ?? []
    for (time, held) in [("2026-03-01T10:00:00.000Z", held), ("2026-03-01T11:00:00.000Z", [])] {
      let token = DeltaToken(Text(time))
      guard
        (try? log.append([.taken(but: held), .token(Feed(log.table), token)], durably: true)) != nil
      else {
        throw Finding(description: "can't be taken")
      }
      twin.take(but: held, token)
      try ensure(try JournalTwin(log) == twin, "other rows once taken")
    }
    guard (try? log.compact()) != nil else { throw Finding(description: "can't be compacted") }
    try ensure(try JournalTwin(log) == twin, "other rows once compacted")
    guard let again = open(table, scratch, writing: false) else {
      throw Finding(description: "can't be opened once compacted")
    }
    try ensure(try JournalTwin(again) == twin, "other rows in the compacted file")
    try ensure(scratch.names == [file], "other files: \(scratch.names)")
  }
}
