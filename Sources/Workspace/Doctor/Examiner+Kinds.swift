import Glibc
import SyncEngine
import SyncModel
import SystemPackage

// I13, as far as it is about kinds: what lies in the place of a file or directory of tsync's own.
extension Examiner {
  /// Looks for what is no regular file, or no directory, where tsync has one.
  ///
  /// It comes first, so that later examinations don't report the same again.
  /// `.gitignore` is left out: tsync never reads it.
  mutating func examineKinds() {
    let files = [
      Layout.journal, Layout.state, Layout.history, Layout.settings,
      Layout.journal + Layout.new, Layout.history + Layout.new,
    ]
    for name in files { expectFile(name, in: root, remedy(of: name)) }
    for name in [StatIndex.name, StatIndex.name + Layout.new, Layout.lock] {
      expectFile(name, in: root, .clear(place: name), .mendable)
    }
    for name in (try? root.names().sorted()) ?? [] where StagedName.isPrivate(name) {
      expectFile(name, in: root, .clear(place: name), .mendable)
    }
    examineLogKinds()
    examineItemKinds()
    if let trash = expectDirectory(Layout.trash, in: root) {
      for name in (try? trash.names().sorted()) ?? []
      where Leftovers.isOwn(name) || Text(name) == Text(Trash.mark) {
        expectFile(name, in: trash, .clear(place: trash.place(of: name)))
      }
      for name in [Layout.items, Layout.conflicts] { expectTables(name, in: trash) }
    }
    for name in [Layout.conflicts, Layout.quarantine] { expectTables(name, in: root) }
  }

  private func remedy(of name: String) -> Remedy {
    switch Text(name) {
    case Text(Layout.state): .forgetState
    case Text(Layout.history): .beginHistory
    default: .clear(place: name)
    }
  }

  private mutating func examineLogKinds() {
    guard let base = expectDirectory(Layout.base, in: root) else { return }
    for name in (try? base.names().sorted()) ?? [] {
      let table = Layout.baseStem(of: name).flatMap { try? TableName($0) }
      expectFile(
        name, in: base, table.map { .forget($0) } ?? .clear(place: base.place(of: name)))
    }
  }

  /// The items are their user's: were something moved away there, items would look deleted.
  private mutating func examineItemKinds() {
    var items: Directory?
    if let kind = kind(of: Layout.items, in: root), kind != S_IFDIR {
      tellItems(Layout.items, kind)
    } else {
      items = (try? root.existingChild(Layout.items)) ?? nil
    }
    for name in (try? items?.names().sorted()) ?? [] where (try? TableName(Text(name))) != nil {
      guard let items, let kind = kind(of: name, in: items), kind != S_IFDIR else { continue }
      tellItems(items.place(of: name), kind)
    }
  }

  private mutating func tellItems(_ place: String, _ kind: mode_t) {
    told.insert(Text(place))
    let way: Hint =
      kind == S_IFLNK
      ? "tsync does not follow links: put the directory itself here"
      : "move it away, then: \(typed: "restore", "--missing")"
    add(.modes, at: place, "is \(Self.words(for: kind)), not a directory", .damage, hint: way)
  }

  // MARK: What is expected

  private mutating func expectFile(
    _ name: String, in directory: Directory, _ remedy: Remedy, _ gravity: Finding.Gravity = .damage
  ) {
    guard let kind = kind(of: name, in: directory), kind != S_IFREG else { return }
    let place = directory.place(of: name)
    told.insert(Text(place))
    add(.modes, at: place, "is \(Self.words(for: kind)), not a file", gravity, remedy)
  }

  private mutating func expectDirectory(
    _ name: String, in directory: Directory
  ) -> Directory? {
    guard let kind = kind(of: name, in: directory) else { return nil }
    guard kind != S_IFDIR else { return (try? directory.existingChild(name)) ?? nil }
    let place = directory.place(of: name)
    told.insert(Text(place))
    add(
      .modes, at: place, "is \(Self.words(for: kind)), not a directory", .damage,
      .clear(place: place))
    return nil
  }

  private mutating func expectTables(_ name: String, in directory: Directory) {
    guard let tables = expectDirectory(name, in: directory) else { return }
    for name in (try? tables.names().sorted()) ?? [] where (try? TableName(Text(name))) != nil {
      _ = expectDirectory(name, in: tables)
    }
  }

  private func kind(of name: String, in directory: Directory) -> mode_t? {
    var status = stat()
    let here = directory.descriptor.rawValue
    guard fstatat(here, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  private static func words(for kind: mode_t) -> String {
    switch kind {
    case S_IFREG: "a file"
    case S_IFDIR: "a directory"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  /// Whether it was said of a place, or of a directory that it lies in, that it is of another kind.
  func hasTold(_ place: String) -> Bool {
    var place = place.utf8[...]
    while true {
      if told.contains(Text(String(Substring(place)))) { return true }
      guard let slash = place.lastIndex(of: UInt8(ascii: "/")) else { return false }
      place = place[..<slash]
    }
  }
}
