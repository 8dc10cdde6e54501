import Glibc
package import SyncModel
import SystemPackage

extension Workspace {
  /// Makes a workspace in a directory, which is made too where it is absent.
  ///
  /// It shows up whole or not at all, and survives a power loss. What a making that was interrupted
  /// has left in the directory is removed.
  ///
  /// - Parameters:
  ///   - path: The directory that shall hold `.todosync`.
  ///   - settings: The text of its settings.
  ///   - state: What is known of its server.
  ///   - tables: The tables that get a directory.
  /// - Throws: ``WorkspaceError/exists(place:)``, ``WorkspaceError/file(place:_:)``.
  package static func make(
    at path: String, settings: SettingsFile, state: WorkspaceState, tables: [TableName]
  ) throws(WorkspaceError) {
    try makeDirectories(path)
    let parent = try Directory(path: path, place: path)
    for name in try parent.names()
    where isLeftover(name) && !Leftovers.isAlive(writerOf: String(name.dropFirst(prefixLength))) {
      parent.removeTree(name)
    }
    let temporary = temporaryName()
    do throws(WorkspaceError) {
      let root = try parent.child(temporary, creating: true)
      root.isDraft = true
      try fill(root, settings: settings, state: state, tables: tables)
      // Where no file can take another's place safely, nothing could be pulled.
      for (old, new) in [(Layout.ignored, Layout.new), (Layout.new, Layout.ignored)] {
        if case .failure(let error) = root.move(old, to: root, new) {
          throw .file(place: path, error)
        }
      }
      try root.synchronizeAll()
      switch parent.move(temporary, to: parent, Layout.directory) {
      case .success: break
      case .failure(.fileExists): throw .exists(place: parent.place(of: Layout.directory))
      case .failure(let error): throw .file(place: parent.place(of: Layout.directory), error)
      }
    } catch {
      parent.removeTree(temporary)
      throw error
    }
    // From here on it is a workspace, which nobody removes, whatever goes wrong.
    try parent.synchronize()
  }

  /// Takes a making back: removes the workspace, which must be locked, unless it has items.
  ///
  /// - Returns: Whether it is gone, which is seen whole or not at all.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func unmake() throws(WorkspaceError) -> Bool {
    requireLock()
    let parent = try Directory(path: path, place: path)
    let gone = Self.temporaryName()
    guard let items = try root.existingChild(Layout.items),
      try items.names().allSatisfy({ (try? items.child($0).names().isEmpty) == true }),
      case .success = parent.move(Layout.directory, to: parent, gone)
    else { return false }
    parent.removeTree(gone)
    return true
  }

  private static func temporaryName() -> String {
    "\(Layout.directory)\(Layout.temporary)\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
  }

  /// Whether something in a directory was left by a making of a workspace that was interrupted.
  package static func isLeftover(_ name: String) -> Bool {
    name.utf8.starts(with: Layout.directory.utf8)
      && StagedName.isPrivate(String(Substring(name.utf8.dropFirst(prefixLength))))
  }

  /// The part of a leftover's name before ``Layout/temporary``.
  private static let prefixLength = Layout.directory.utf8.count

  private static func fill(
    _ root: Directory, settings: SettingsFile, state: WorkspaceState, tables: [TableName]
  ) throws(WorkspaceError) {
    let items = try root.child(Layout.items, creating: true)
    for table in tables { _ = try items.child(table.text.string, creating: true) }
    try items.synchronize()
    for name in [Layout.conflicts, Layout.journal, Layout.quarantine, Layout.trash] {
      _ = try root.child(name, creating: true)
    }
    let files = [
      (Layout.settings, settings.text), (Layout.state, state.text),
      (Layout.ignored, Array(Layout.ignoredText.utf8)),
      (Layout.lock, Array("{\"ended\":true}\n".utf8)),
    ]
    for (name, text) in files { try PrivateFile(directory: root, name: name).write(text) }
  }

  /// Makes a directory that the user named, and those above it.
  private static func makeDirectories(_ path: String) throws(WorkspaceError) {
    switch WorkspaceError.interruptible({ mkdir(path, 0o777) }) {
    case .success, .failure(.fileExists): return
    case .failure(.noSuchFileOrDirectory):
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
        throw .file(place: path, .noSuchFileOrDirectory)
      }
      try makeDirectories(String(path[..<slash]))
      try WorkspaceError.checking(path) { mkdir(path, 0o777) }
    case .failure(let error): throw .file(place: path, error)
    }
  }
}
