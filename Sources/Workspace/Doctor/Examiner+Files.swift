import Glibc
import SyncEngine
import SyncModel
import SystemPackage

// I12 to I15: the files beside items and logs.
extension Examiner {
  // MARK: I12

  /// Looks for what stopped processes left of files on their way.
  mutating func examineLeftovers() {
    attempt(.leftovers, at: Layout.trash) { examiner throws(WorkspaceError) in
      guard let trash = try examiner.root.existingChild(Layout.trash) else { return }
      for name in try trash.names().sorted() where !examiner.hasTold(trash.place(of: name)) {
        let place = trash.place(of: name)
        if Leftovers.isOwn(name) {
          examiner.add(
            .leftovers, at: place, "was left by an interrupted command", .mendable, .finish)
        } else if Workspace.isEditorText(name) {
          examiner.add(.leftovers, at: place, "is a text that an editor left", .note)
        }
      }
    }
    attempt(.leftovers, at: Layout.directory) { examiner throws(WorkspaceError) in
      for name in try examiner.root.names().sorted() where StagedName.isPrivate(name) {
        guard !Leftovers.isAlive(writerOf: name), !examiner.hasTold(name) else { continue }
        examiner.add(.leftovers, at: name, "was left by an interrupted command", .mendable, .finish)
      }
      for name in Leftovers.rewritten + [Layout.items + Layout.new]
      where try !FileReading(name, in: examiner.root, limit: 0).isAbsent {
        examiner.addUnfinished(name)
      }
    }
    attempt(.leftovers, at: Layout.base) { examiner throws(WorkspaceError) in
      guard let base = try examiner.root.existingChild(Layout.base) else { return }
      for name in try base.names().sorted()
      where name.utf8.suffix(Layout.new.utf8.count).elementsEqual(Layout.new.utf8) {
        examiner.addUnfinished(base.place(of: name))
      }
    }
    attempt(.leftovers, at: Layout.quarantine) { examiner throws(WorkspaceError) in
      guard let all = try examiner.root.existingChild(Layout.quarantine) else { return }
      for name in try all.names().sorted() {
        guard let table = try? TableName(Text(name)) else { continue }
        let directory = try all.child(table.text.string)
        for name in try directory.names().sorted() where StagedName.isPrivate(name) {
          examiner.addUnfinished(directory.place(of: name))
        }
      }
    }
  }

  private mutating func addUnfinished(_ place: String) {
    guard !hasTold(place) else { return }
    add(
      .leftovers, at: place, "was left by an interrupted command", .mendable, .discard(place: place)
    )
  }

  // MARK: I13

  /// Looks at owner, kind and mode of tsync's own files.
  ///
  /// Items, settings and `.gitignore` may come from a repository and be open to others: what keeps
  /// others out is the mode of `.todosync`.
  mutating func examineModes() {
    attempt(.modes, at: Layout.directory) { examiner throws(WorkspaceError) in
      var status = stat()
      let descriptor = examiner.root.descriptor.rawValue
      try WorkspaceError.checking(Layout.directory) { fstat(descriptor, &status) }
      examiner.examine(status, at: ".", isDirectory: true, isClosed: true)
      let directories = [Layout.base, Layout.conflicts, Layout.trash, Layout.quarantine]
      for name in directories { examiner.examineMode(name, isDirectory: true) }
      examiner.examineMode(Layout.items, isDirectory: true, isClosed: false)
      let files = [
        Layout.journal, Layout.state, Layout.history, StatIndex.name, Layout.lock,
      ]
      for name in files { examiner.examineMode(name) }
      for name in [Layout.settings, Layout.ignored] {
        examiner.examineMode(name, isClosed: false)
      }
    }
    attempt(.modes, at: Layout.base) { examiner throws(WorkspaceError) in
      guard let base = try examiner.root.existingChild(Layout.base) else { return }
      for name in try base.names().sorted() { examiner.examineMode(name, in: base) }
    }
  }

  private mutating func examineMode(
    _ name: String, in directory: Directory? = nil, isDirectory: Bool = false,
    isClosed: Bool = true
  ) {
    let directory = directory ?? root
    var status = stat()
    guard fstatat(directory.descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      return
    }
    examine(
      status, at: directory.place(of: name), isDirectory: isDirectory, isClosed: isClosed)
  }

  private mutating func examine(
    _ status: stat, at place: String, isDirectory: Bool, isClosed: Bool
  ) {
    let kind = isDirectory ? S_IFDIR : S_IFREG
    let (owner, mode) = (status.st_uid, status.st_mode & 0o7777)
    if owner != geteuid() {
      add(.modes, at: place, "belongs to another user", .unsafe)
    } else if status.st_mode & S_IFMT == kind, isClosed, mode & 0o077 != 0 {
      add(
        .modes, at: place, "is open to other users: \(String(mode, radix: 8))", .mendable,
        .close(place: place))
    }
  }

  // MARK: I14

  /// Reads state and settings; whose data they are about, only the server can tell.
  mutating func examineState() {
    var state = WorkspaceState()
    attempt(.state, at: Layout.state, .forgetState) { examiner throws(WorkspaceError) in
      state = try Workspace.readState(in: examiner.root)
    }
    attempt(.state, at: Layout.settings) { examiner throws(WorkspaceError) in
      let text = try PrivateFile(directory: examiner.root, name: Layout.settings)
        .read(limit: 1 << 20)
      if text == nil, let origin = state.origin {
        return examiner.add(
          .state, at: Layout.settings,
          "is missing; the server was at \(origin)", .damage,
          hint: "to set it: \(typed: "remote", "set", "ADDRESS")")
      }
      _ = try Configuration(
        workspace: SettingsFile(place: Layout.settings, text: text), user: nil)
    }
  }
}

extension FileReading {
  /// Whether there is nothing by the name.
  fileprivate var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }
}
