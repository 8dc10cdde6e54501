import SyncEngine

@testable import SyncModel
@testable import Workspace

/// The journal: its lines, and the records in them.
///
/// An input is as ``LogInput`` says.
enum JournalTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = LogInput(bytes, kind: Journal.kind),
      let scratch = ScratchDirectory(input.file, named: Layout.journal)
    else { return }
    try input.salvage(Journal.kind)
    // What the journal may say: the records of its first lines, up to one that is none.
    var states = [JournalState()]
    var isReadable = true
    for line in input.lines {
      guard let record = try record(line), var state = states.last else {
        isReadable = false
        break
      }
      state.add(record)
      try summary(state)
      states.append(state)
    }
    let read = try open(scratch, writing: false)
    try ensure(scratch.read(Layout.journal) == input.file, "reading has changed the file")
    try ensure(scratch.kept.isEmpty && scratch.names == [Layout.journal], "reading has written")
    if input.isWhole {
      try ensure((read != nil) == isReadable, "a whole journal was refused, or a broken one read")
    }
    if let read, !input.lines.isEmpty {
      let isThere = states.contains(read.state) && (!input.isWhole || read.state == states.last)
      try ensure(isThere, "other records than were written")
    }
    try write(read?.state, input, scratch)
  }

  private static func open(
    _ scratch: ScratchDirectory, writing: Bool
  ) throws(Finding) -> Journal? {
    try? Journal(in: scratch.directory, writing: writing, trash: scratch.trash)
  }

  /// Reads a line's record, and makes sure that it is read from what it is written as.
  private static func record(_ line: [UInt8]) throws(Finding) -> JournalRecord? {
    let text = [UInt8(ascii: "{")] + line + [UInt8(ascii: "}")]
    guard let object = (try? JSON(parsing: text))?.object,
      let record = try? JournalRecord(object)
    else { return nil }
    let members = LogLine.members(record.object)
    let again = (try? JSON(parsing: [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]))?.object
      .flatMap { try? JournalRecord($0) }
    try ensure(again == record, "another record once written: \(shown(members))")
    return record
  }

  /// Makes sure that the records which sum a state up lead to it.
  private static func summary(_ state: JournalState) throws(Finding) {
    var again = JournalState()
    for record in state.records { again.add(record) }
    try ensure(again == state, "the summary says something else")
  }

  /// Opens the journal to write: what a crash left goes to the trash, whole, and nothing else goes.
  private static func write(
    _ state: JournalState?, _ input: LogInput, _ scratch: ScratchDirectory
  ) throws(Finding) {
    guard let journal = try open(scratch, writing: true) else {
      try ensure(state == nil, "read, but not opened to write")
      try ensure(scratch.read(Layout.journal) == input.file, "a refused file was changed")
      return
    }
    try ensure(journal.state == state, "other records when opened to write")
    let rest = scratch.read(Layout.journal)
    try ensure(rest + scratch.kept == input.file, "what was cut off is not in the trash")
    try ensure(scratch.names == [Layout.journal], "other files: \(scratch.names)")
    guard let table = try? TableName("t"), let id = try? ItemID("a") else { return }
    guard (try? journal.append([.closed(ItemKey(table, id))], durably: true)) != nil else {
      throw Finding(description: "nothing can be appended")
    }
    try ensure(scratch.read(Layout.journal).starts(with: rest), "appending has changed lines")
    let again = try open(scratch, writing: true)
    try ensure(again?.state == journal.state, "other records after appending")
    guard (try? again?.begin()) != nil else { throw Finding(description: "can't be begun anew") }
    try ensure(try open(scratch, writing: false)?.state == journal.state, "other records anew")
    try ensure(scratch.names == [Layout.journal], "other files: \(scratch.names)")
  }
}
