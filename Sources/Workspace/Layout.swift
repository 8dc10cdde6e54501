import SyncModel
import SystemPackage

/// Every name in a workspace (tsync-workspace(5)).
enum Layout {
  /// The directory that makes the one it lies in a workspace.
  static let directory = ".todosync"
  /// The workspace's settings.
  static let settings = "config.json"
  /// The items: a directory a table, a file an item.
  static let items = "items"
  /// The sides of open conflicts: a directory a table.
  static let conflicts = "conflicts"
  /// The journals: a file a table.
  static let journal = "journal"
  /// What the workspace knows of its server.
  static let state = "state.json"
  /// What each command did.
  static let history = "history.jsonl"
  /// What is kept out of a repository that holds the items.
  static let ignored = ".gitignore"
  /// What tsync displaced.
  static let trash = "trash"
  /// Rows of the server's that can't be items.
  static let quarantine = "quarantine"
  /// What holds off a second process.
  static let lock = "lock"
  /// What a temporary file's name begins with.
  static let temporary = ".tmp-"

  /// What the name of a log or index, or of all items, ends with while it is made anew.
  static let new = ".new"

  /// The longest file name of Linux's file systems, in bytes.
  static let nameLimit = 255

  /// Returns the name of an item's file.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)`` where the id is too long for one; such rows are
  ///   refused before they come here.
  static func file(of key: ItemKey) throws(WorkspaceError) -> String {
    try stem(of: key) + FileName.suffix.string
  }

  /// Returns the name of a file that belongs to a conflict of an item.
  static func file(
    of key: ItemKey, _ side: ConflictSide
  ) throws(WorkspaceError) -> String {
    "\(try stem(of: key)).\(side.rawValue)\(FileName.suffix)"
  }

  /// Returns the name of an item's file without its suffix.
  ///
  /// - Throws: As ``file(of:)``.
  static func stem(of key: ItemKey) throws(WorkspaceError) -> String {
    guard let name = FileName.of(key.id) else {
      throw .file(place: "items/\(key)", .fileNameTooLong)
    }
    return name.string
  }

  /// Returns the name of a table's journal, in ``journal``.
  static func journal(of table: TableName) -> String { "\(table)\(journalSuffix)" }

  /// Returns what the name of a journal says is its table; `nil` where a name isn't one's.
  static func table(ofJournal name: String) -> Text? {
    let suffix = journalSuffix.utf8
    guard name.utf8.suffix(suffix.count).elementsEqual(suffix) else { return nil }
    return Text(String(Substring(name.utf8.dropLast(suffix.count))))
  }

  private static let journalSuffix = ".jsonl"

  /// Says what it means that a journal, or all of them, is gone.
  static func isGone(_ place: String) -> String {
    "\(place) is missing: a pull has to read all rows, and tsync deletes nothing before"
  }

  /// The text of ``ignored``: in a repository belong the items and the settings, not what this
  /// machine knows of them.
  static let ignoredText = """
    # Only items/ and config.json are for a repository: the rest is this machine's own.
    /*
    !/.gitignore
    !/config.json
    !/items/

    """
}
