import Glibc
import SyncModel

/// Writes what one command does into the history.
///
/// It is a class because the workspace, a value that writes through it, is copied.
final class HistoryWriter {
  /// The command's words, without secrets.
  var words: Text
  /// From how many bytes on a command begins a new file.
  var fileLimit = History.fileLimit
  /// The number of the command's first line; `nil` while it has none.
  private(set) var number: Int?
  /// What a person should know.
  private(set) var notices: [String] = []

  private let root: Directory
  private let trash: Trash
  private let clock: () -> Int64
  private var log: Log?
  private var undoes: Int?
  /// The changes that no line has yet, as JSON with commas between them.
  private var changes: [UInt8] = []
  private var first: [TableName: Int] = [:]
  private var isSent = false
  private var deleting: Set<ItemKey> = []
  /// Whether deletes are noted that are not safe on disk yet.
  private var isAheadDue = false

  /// Makes a writer; nothing is opened before something is written.
  init(root: Directory, trash: Trash, words: Text, clock: @escaping () -> Int64) {
    (self.root, self.trash, self.words, self.clock) = (root, trash, words, clock)
  }

  /// Begins the lines of a command, or goes on with them where their first has a number.
  ///
  /// - Throws: ``WorkspaceError``.
  func begin(_ words: Text, undoing undoes: Int?, as number: Int?) throws(WorkspaceError) {
    if !changes.isEmpty || !first.isEmpty { try write(0) }
    (self.words, self.undoes, self.number) = (words, undoes, number)
    (isSent, deleting, log) = (false, [], nil)
  }

  /// Notes a change.
  ///
  /// If its fields are too large, the line names the old text in the trash instead. Without such a text,
  /// the old item is written into the trash's root: in `items`, restore would take it for the newest copy.
  ///
  /// - Throws: ``WorkspaceError``.
  func add(
    _ change: History.Change, of old: Item? = nil, to new: Item? = nil, place: Text? = nil
  ) throws(WorkspaceError) {
    isSent = isSent || change.isSent
    var change = change
    // What was written ahead of a delete needn't be written twice.
    if change.did == .deleted, deleting.contains(change.key) { change.fields = [] }
    var text = JSON.object(change.object).encoded()
    if text.count > History.changeLimit {
      (change.place, change.digest) = (place, new.map(History.Change.fingerprint))
      if place == nil, let old {
        change.place = Text(
          try trash.keep(
            ItemFile.text(of: old, id: change.key.id), named: "row",
            suffix: FileName.suffix.string))
      }
      change.fields = []
      text = JSON.object(change.object).encoded()
    }
    if changes.count + text.count > History.lineLimit - 4_096 { try write() }
    if !changes.isEmpty { changes.append(UInt8(ascii: ",")) }
    changes += text
  }

  /// Counts items that the first pull of a table has added.
  func addFirst(in table: TableName, _ count: Int = 1) { first[table, default: 0] += count }

  /// Writes deletes ahead, so that what their rows held outlives them.
  ///
  /// - Throws: ``WorkspaceError``: then they may not be sent.
  func writeAhead(_ deletes: [(key: ItemKey, item: Item)]) throws(WorkspaceError) {
    let new = deletes.filter { !deleting.contains($0.key) }
    for delete in new {
      try add(History.Change(delete.key, .deleting, from: delete.item), of: delete.item)
      deleting.insert(delete.key)
      isAheadDue = true
    }
    guard isAheadDue else { return }
    try write()
    try log?.synchronize()
    isAheadDue = false
  }

  /// Ends the command's lines; where it goes on without the lock, there is no status yet.
  ///
  /// A command that has changed and sent nothing, and ends with 0, has none.
  ///
  /// - Throws: ``WorkspaceError``.
  func finish(_ status: Int?) throws(WorkspaceError) {
    let isNothing = changes.isEmpty && first.isEmpty && number == nil
    if !isNothing || (status ?? 0) != 0 { try write(status) }
    if isSent, status != nil { try log?.synchronize() }
  }

  /// Writes a line.
  private func write(_ status: Int? = nil) throws(WorkspaceError) {
    guard !changes.isEmpty || !first.isEmpty || number == nil || status != nil else { return }
    var object = JSONObject()
    if let number {
      object.append("of", .integer(number))
    } else {
      let time = Timestamp(ticks: clock() / 1_000_000 * 10_000)
      object.append("time", .string(time.text))
      object.append("command", .string(Text(String(words.string.unicodeScalars.prefix(512)))))
      if let undoes { object.append("undoes", .integer(undoes)) }
    }
    if !first.isEmpty {
      let counts = first.sorted { $0.key < $1.key }
      object.append(
        "first",
        .object(JSONObject(counts.map { .init(name: $0.key.text, value: .integer($0.value)) })))
    }
    var members = LogLine.members(object)
    if !changes.isEmpty { members += Array(#","changes":["#.utf8) + changes + [UInt8(ascii: "]")] }
    if let status { members += Array(#","status":\#(status)"#.utf8) }
    let log = try opened()
    try log.append([members])
    number = number ?? log.position.number
    (changes, first) = ([], [:])
  }

  /// Returns the open log; at a command's beginning a new one, where it has grown too large.
  private func opened() throws(WorkspaceError) -> Log {
    if let log { return log }
    do throws(WorkspaceError) {
      return try open()
    } catch {
      // Nothing but the history depends on a history that is damaged.
      guard case .damaged(let place, _, let fact) = error else { throw error }
      let name = try trash.take(Layout.history, from: root, named: "history", suffix: ".jsonl")
      notices.append("\(place): \(fact); it is now \(trash.directory.place(of: name))")
      return try open()
    }
  }

  private func open() throws(WorkspaceError) -> Log {
    let log = try Log(
      opening: Layout.history, in: root, kind: History.kind, writing: true, trash: trash)
    try log.findEnd(within: History.lineLimit)
    if number == nil, log.size > fileLimit {
      // It is in the trash before another one stands in its place: the numbers go on.
      try trash.link(Layout.history, from: root, named: "history", suffix: ".jsonl")
      try log.create()
    }
    notices += log.notices
    self.log = log
    return log
  }
}
