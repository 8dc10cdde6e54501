import CLinux
import Glibc
import SyncModel
import SystemPackage

/// What a killed process left half done among the texts on their way.
///
/// Whoever has the lock may call every such text stale. A text of tsync's own is removed, what was
/// to be displaced goes to the trash, and what a user saved at that very moment goes back to its
/// place, or to the trash where the place has a newer text. What is older than the machine's last
/// start never goes back, because a power loss may have made it of another text; every start counts
/// as one. No byte is dropped unread, and what isn't named exactly as tsync names such a text is not
/// touched: somebody else put it there.
struct Leftovers {
  private let root: Directory
  private let trash: Trash
  /// What a person should know.
  private(set) var notices: [String] = []

  private let started: Int64

  /// Classifies all that was left; call it with the lock held.
  ///
  /// The machine was `started` at a time in nanoseconds since 1970: a power loss was before.
  ///
  /// - Throws: ``WorkspaceError``.
  init(in root: Directory, trash: Trash, started: Int64) throws(WorkspaceError) {
    self.root = root
    self.trash = trash
    self.started = started
    for name in try trash.directory.names() {
      if let staged = StagedName(name) {
        try classify(staged)
      } else if StagedName.isPrivate(name) {
        // The text of a new file, a private file, or a table's first items: nobody could write to it.
        do throws(WorkspaceError) {
          try trash.directory.remove(name)
        } catch .file(_, .isDirectory) {
          trash.directory.removeTree(name)
        }
      }
    }
    // Private files hold nothing of the user's; one may be written by a process without the lock.
    try Self.removePrivate(in: root)
    for name in try root.names() where Self.rewritten.contains(name) {
      // Whoever writes the next one says what is in its way.
      _ = try? root.remove(name)
    }
  }

  /// Removes the private files that killed processes left in a directory; it needs no lock.
  static func removePrivate(in directory: Directory) throws(WorkspaceError) {
    for name in try directory.names() where StagedName.isPrivate(name) && !isAlive(writerOf: name) {
      try directory.remove(name)
    }
  }

  /// The names of files of tsync's own that are written anew, until they are whole.
  static let rewritten = [Layout.journal, Layout.history, StatIndex.name].map { $0 + Layout.new }

  /// Whether a name in the trash is exactly that of a file of tsync's on its way.
  static func isOwn(_ name: String) -> Bool {
    StagedName.isPrivate(name) || StagedName(name) != nil
  }

  /// Whether the process lives that a temporary file's name tells.
  static func isAlive(writerOf name: String) -> Bool {
    let digits = name.utf8.dropFirst(Layout.temporary.utf8.count)
      .prefix { $0 != UInt8(ascii: "-") }
    guard let process = pid_t(Substring(digits)) else { return false }
    return kill(process, 0) == 0 || errno == EPERM
  }

  private mutating func classify(_ staged: StagedName) throws(WorkspaceError) {
    let reading = try FileReading(staged.text, in: trash.directory, limit: .max - 1)
    guard case .file(let bytes, let status) = reading else {
      if case .absent = reading { return }
      return try put(staged, told: true)
    }
    let found = StagedName.short(Digest(of: bytes))
    if found == staged.new {
      try trash.directory.remove(staged.text)
    } else if bytes.isEmpty || found == staged.old {
      // An editor may have emptied what was displaced, and write to it still.
      try put(staged, told: false)
    } else if FileStamp(status).modified < started {
      // It may be what a power loss left of the displaced text, torn or older; what is in its place
      // may be all that is left of the newer one.
      try put(staged, told: true)
    } else {
      try restore(staged)
    }
  }

  /// Puts back what is neither tsync's text nor what it had seen, if its place still has tsync's.
  private mutating func restore(_ staged: StagedName) throws(WorkspaceError) {
    guard let file = try file(of: staged), file.kind == Layout.items else {
      return try put(staged, told: true)
    }
    let reading = try file.read(limit: .max - 1)
    switch (reading, staged.new) {
    case (.absent, nil):
      guard case .success = trash.directory.move(staged.text, to: file.directory, file.name) else {
        return try put(staged, told: true)
      }
      notices.append(
        "\(file.place): restored the text that was saved when tsync was interrupted")
    case (.file(let bytes, _), let new?) where StagedName.short(Digest(of: bytes)) == new:
      let (from, to) = (trash.directory.descriptor.rawValue, file.directory.descriptor.rawValue)
      let swapped = WorkspaceError.interruptible {
        tsync_renameat2(from, staged.text, to, file.name, TSYNC_RENAME_EXCHANGE)
      }
      guard case .success = swapped else { return try put(staged, told: true) }
      notices.append(
        "\(file.place): restored the text that was saved when tsync was interrupted")
      // What came out is classified in its turn.
      try classify(staged)
    case (.file(let bytes, _), _) where StagedName.short(Digest(of: bytes)) == staged.old:
      // Nothing was swapped: it is tsync's own text, cut off.
      try put(staged, told: false)
    default: try put(staged, told: true)
    }
  }

  private func file(of staged: StagedName) throws(WorkspaceError) -> ReplacedFile? {
    guard let target = staged.target,
      let directory = try root.existingChild(target.kind)?.existingChild(target.table.text.string)
    else { return nil }
    return ReplacedFile(
      kind: target.kind, table: target.table, directory: directory, name: target.name, trash: trash)
  }

  /// Gives a leftover a lasting name in the trash.
  private mutating func put(_ staged: StagedName, told: Bool) throws(WorkspaceError) {
    let place: String
    if let file = try file(of: staged) {
      place = try file.keep(staged.text)
    } else {
      let name = try trash.take(
        staged.text, from: trash.directory, named: "leftover", suffix: FileName.suffix.string)
      place = trash.directory.place(of: name)
    }
    if told { notices.append("a text that an interrupted command left is now \(place)") }
  }
}
