import Glibc
import SyncModel
import SystemPackage

extension Workspace {
  /// Finds the workspace that a directory belongs to: the nearest one in it or above it.
  ///
  /// The search ends at the user's home and where another file system begins. A workspace that
  /// somebody else could have put there is refused.
  ///
  /// - Parameters:
  ///   - start: Where to begin.
  ///   - home: The user's home; `nil` where it isn't known.
  ///   - isNamed: Whether the user named the directory: then one in it counts even where others
  ///     could write to the directory.
  ///   - user: The id of the user who must own it.
  /// - Returns: The path of the directory that holds `.todosync`.
  /// - Throws: ``WorkspaceError/notFound(from:)``, ``WorkspaceError/untrusted(place:fact:)``,
  ///   ``WorkspaceError/file(place:_:)``.
  package static func find(
    from start: String, home: String?, isNamed: Bool = false, user: UInt32 = geteuid()
  ) throws(WorkspaceError) -> String {
    guard let first = UserDirectory.resolved(start) else { throw .file(place: start, .current) }
    let last = home.flatMap { UserDirectory.resolved($0) }
    var path = first
    var status = try status(of: path)
    while true {
      let isFirst = Text(path) == Text(first)
      if try holdsWorkspace(path, status, isNamed: isNamed && isFirst, user: user) { return path }
      if let last, Text(path) == Text(last) { break }
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path.utf8.count > 1 else {
        break
      }
      let parent = slash == path.startIndex ? "/" : String(path[..<slash])
      let above = try Self.status(of: parent)
      if above.st_dev != status.st_dev { break }
      (path, status) = (parent, above)
    }
    throw .notFound(from: start)
  }

  private static func holdsWorkspace(
    _ path: String, _ parent: stat, isNamed: Bool, user: UInt32
  ) throws(WorkspaceError) -> Bool {
    let place = path.utf8.count == 1 ? "/\(Layout.directory)" : "\(path)/\(Layout.directory)"
    var status = stat()
    switch WorkspaceError.interruptible({ lstat(place, &status) }) {
    case .success: break
    case .failure(.noSuchFileOrDirectory): return false
    case .failure(let error): throw .file(place: place, error)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw .untrusted(place: place, fact: "is not a directory")
    }
    guard status.st_uid == user, isNamed || parent.st_uid == user else {
      throw .untrusted(place: place, fact: "or its directory belongs to another user")
    }
    guard isNamed || parent.st_mode & (S_IWOTH | S_ISVTX) == 0 else {
      throw .untrusted(
        place: place,
        fact: "is in a directory that other users can write to; to use it, name it with -C")
    }
    return true
  }

  private static func status(of path: String) throws(WorkspaceError) -> stat {
    var status = stat()
    try WorkspaceError.checking(path) { stat(path, &status) }
    return status
  }
}
