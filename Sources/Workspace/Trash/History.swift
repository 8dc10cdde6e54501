package import SyncModel

/// The history of commands: the file `history.jsonl`, with one line for each command.
package struct History {
  /// The record of one command.
  package struct Entry: Equatable, Sendable {
    /// When it ran.
    package var time: Timestamp
    /// The command's name, and the words that say what it was about.
    package var command: Text
    /// What it ended with; `nil` where it went on without the lock.
    package var status: Int?
    /// What it displaced; in the file, the first of it.
    package var displaced: [Displaced]
    /// What it found that a stopped command had left.
    package var notes: [Text]

    /// Makes an entry.
    package init(
      time: Timestamp, command: Text, status: Int? = nil, displaced: [Displaced] = [],
      notes: [Text] = []
    ) {
      self.time = time
      self.command = command
      self.status = status
      self.displaced = displaced
      self.notes = notes
    }
  }

  /// An item that a command replaced or removed, or a file of its conflict.
  package struct Displaced: Equatable, Sendable {
    /// Which item.
    package var key: ItemKey
    /// The fingerprint of the old bytes; `nil` where they weren't read.
    package var old: Digest?
    /// The fingerprint of the new bytes; `nil` where the item was removed.
    package var new: Digest?
    /// Where the old bytes are, in the trash.
    package var place: Text

    /// Makes a description.
    package init(key: ItemKey, old: Digest?, new: Digest?, place: Text) {
      self.key = key
      self.old = old
      self.new = new
      self.place = place
    }
  }

  /// From how many bytes on the file goes to the trash, and a new one begins.
  static let limit = 4 << 20
  /// How many bytes a line has at most.
  static let lineLimit = 64 << 10

  /// `.todosync`.
  let root: Directory
  let trash: Trash

  init(root: Directory, trash: Trash) {
    self.root = root
    self.trash = trash
  }

  /// Returns the commands, the oldest first.
  ///
  /// - Throws: ``WorkspaceError``: damage, a newer format.
  func entries() throws(WorkspaceError) -> [Entry] {
    var entries: [Entry] = []
    _ = try Log(
      Layout.history, in: root, kind: Self.kind, writing: false, trash: trash
    ) { object throws(WorkspaceError) in
      if let entry = Entry(object) { entries.append(entry) }
    }
    return entries
  }

  /// Appends a command; a power loss may take it back.
  ///
  /// A history that is damaged goes to the trash as it is, and a new one begins: nothing but the
  /// history depends on it.
  ///
  /// - Returns: What a person should know.
  /// - Throws: ``WorkspaceError``: a failed call, a newer format.
  func append(_ entry: Entry) throws(WorkspaceError) -> [String] {
    do throws(WorkspaceError) {
      return try add(entry)
    } catch {
      guard case .damaged(let place, _, let fact) = error else { throw error }
      let name = try trash.take(
        Layout.history, from: root, named: "history", suffix: ".jsonl")
      let notices = try add(entry)
      return ["\(place): \(fact); it is now \(trash.directory.place(of: name))"] + notices
    }
  }

  private func add(_ entry: Entry) throws(WorkspaceError) -> [String] {
    let log = try Log(
      opening: Layout.history, in: root, kind: Self.kind, writing: true, trash: trash)
    try log.findEnd(within: Self.lineLimit)
    guard log.size <= Self.limit else {
      _ = try trash.take(Layout.history, from: root, named: "history", suffix: ".jsonl")
      return try add(entry)
    }
    try log.append([entry.object], durably: false)
    return log.notices
  }

  /// What the header of the file says it is.
  static let kind: LogKind = "tsync-history"
}

extension History.Entry {
  /// The members of its line; of what would make it longer than ``History/lineLimit``, the number.
  fileprivate var object: JSONObject {
    let command = Text(String(command.string.unicodeScalars.prefix(4_096)))
    // With room for the other members.
    var room = History.lineLimit - 1_024 - JSON.string(command).encoded().count
    func fitting(_ values: some Sequence<JSON>) -> [JSON] {
      Array(
        values.prefix { value in
          room -= value.encoded().count + 1
          return room >= 0
        })
    }
    let notes = fitting(notes.lazy.map(JSON.string))
    let items = fitting(displaced.lazy.map(Self.json))
    var object = JSONObject()
    object.append("time", .string(time.text))
    object.append("command", .string(command))
    if let status { object.append("status", .integer(status)) }
    if !items.isEmpty { object.append("displaced", .array(items)) }
    let more = displaced.count - items.count
    if more > 0 { object.append("more", .integer(more)) }
    if !notes.isEmpty { object.append("notes", .array(notes)) }
    return object
  }

  private static func json(_ item: History.Displaced) -> JSON {
    var object = JSONObject()
    object.append("table", .string(item.key.table.text))
    object.append("id", .string(item.key.id.text))
    if let old = item.old { object.append("old", .string(old.description)) }
    if let new = item.new { object.append("new", .string(new.description)) }
    object.append("trash", .string(item.place))
    return .object(object)
  }

  /// Reads an entry from the members of a line; `nil` where it is none.
  init?(_ object: JSONObject) {
    guard let time = object["time"]?.text.flatMap(Timestamp.init),
      let command = object["command"]?.text
    else { return nil }
    let displaced = (object["displaced"]?.elements ?? []).compactMap { json -> History.Displaced? in
      guard let object = json.object, let table = object["table"]?.text,
        let id = object["id"]?.text, let table = try? TableName(table), let id = try? ItemID(id),
        let place = object["trash"]?.text
      else { return nil }
      return History.Displaced(
        key: ItemKey(table, id), old: object["old"]?.text.flatMap { Digest($0.string) },
        new: object["new"]?.text.flatMap { Digest($0.string) }, place: place)
    }
    self.init(
      time: time, command: command, status: object["status"]?.integer, displaced: displaced,
      notes: (object["notes"]?.elements ?? []).compactMap(\.text))
  }
}
