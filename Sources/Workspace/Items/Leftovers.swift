import CLinux
import Glibc
import SyncModel
import SystemPackage

/// What a killed process left half done among the texts on their way.
///
/// Whoever has the lock may call every such text stale. A text of tsync's own is removed; what was taken
/// out goes back where its place is empty, and to the trash otherwise. No byte is dropped unread, and what
/// isn't named exactly as tsync names such a text is not touched: somebody else put it there.
struct Leftovers {
  private let root: Directory
  private let trash: Trash
  /// What a person should know.
  private(set) var notices: [String] = []

  /// Classifies all that was left; call it with the lock held.
  ///
  /// - Throws: ``WorkspaceError``.
  init(in root: Directory, trash: Trash) throws(WorkspaceError) {
    (self.root, self.trash) = (root, trash)
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
  static let rewritten = [Layout.history, StatIndex.name].map { $0 + Layout.new }

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
    if case .absent = reading { return }
    let found = Self.fingerprint(of: reading)
    let isTakenOut = staged.new != nil && staged.new == staged.old
    if found != nil, found == staged.new, !isTakenOut {
      try trash.directory.remove(staged.text)
      return
    }
    // An editor may have emptied what was displaced, and write to it still.
    let isSeen = found == staged.old || found == StagedName.short(Digest(of: []))
    let file = try file(of: staged)
    if let file, file.kind == Layout.items, isTakenOut || staged.new == nil && !isSeen,
      case .success = trash.directory.move(staged.text, to: file.directory, file.name)
    {
      notices.append("\(file.place): restored the text that it had when tsync was interrupted")
      return
    }
    // Where nothing was swapped, it is tsync's own text, cut off.
    let isOwn = try file.map { file throws(WorkspaceError) in
      Self.fingerprint(of: try file.read(limit: .max - 1)) == staged.old
    }
    let place: String
    if let file {
      place = try file.keep(staged.text)
    } else {
      let name = try trash.take(
        staged.text, from: trash.directory, named: "leftover", suffix: FileName.suffix.string)
      place = trash.directory.place(of: name)
    }
    if !isSeen, isOwn != true {
      notices.append("a text that an interrupted command left is now \(place)")
    }
  }

  private static func fingerprint(of reading: FileReading) -> String? {
    guard case .file(let bytes, _) = reading else { return nil }
    return StagedName.short(Digest(of: bytes))
  }

  private func file(of staged: StagedName) throws(WorkspaceError) -> ReplacedFile? {
    guard let target = staged.target,
      let directory = try root.existingChild(target.kind)?.existingChild(target.table.text.string)
    else { return nil }
    return ReplacedFile(
      kind: target.kind, table: target.table, directory: directory, name: target.name, trash: trash)
  }
}
