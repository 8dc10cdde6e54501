import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// A small file that its user may save at any moment; ``Swap`` replaces it.
struct ReplacedFile {
  /// Where the file lies, as a directory of its own: ``Layout/items`` or ``Layout/conflicts``.
  let kind: String
  /// The table.
  let table: TableName
  /// The directory.
  let directory: Directory
  /// The file's name.
  let name: String
  /// Where its old bytes go.
  let trash: Trash

  /// The file's name without its suffix.
  var stem: String { String(Substring(name.utf8.dropLast(FileName.suffix.string.utf8.count))) }

  /// The file's path, as people are shown it.
  var place: String { directory.place(of: name) }

  /// Reads the file.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func read(limit: Int) throws(WorkspaceError) -> FileReading {
    try FileReading(name, in: directory, limit: limit)
  }

  /// Makes the file, as it now is, survive a power loss, if it is there and can be an item; its name does only
  /// after its directory is synchronised.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func synchronize() throws(WorkspaceError) {
    let (here, name) = (directory.descriptor.rawValue, name)
    let opened = WorkspaceError.interruptible {
      openat(here, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    let descriptor: Int32
    switch opened {
    case .success(let opened): descriptor = opened
    case .failure(.noSuchFileOrDirectory), .failure(.permissionDenied),
      .failure(.tooManySymbolicLinkLevels), .failure(Errno(rawValue: ENXIO)):
      return
    case .failure(let error): throw .file(place: place, error)
    }
    defer { close(descriptor) }
    switch WorkspaceError.interruptible({ fsync(descriptor) }) {
    case .success, .failure(.invalidArgument): break  // of what is no file there is nothing to save
    case .failure(let error): throw .file(place: place, error)
    }
  }

  /// Moves the file, whatever it is, to a name in the trash that nobody else uses; answers whether there was
  /// one.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func takeOut(as temporary: String) throws(WorkspaceError) -> Bool {
    let (from, to) = (directory.descriptor.rawValue, trash.directory.descriptor.rawValue)
    switch WorkspaceError.interruptible({ renameat(from, name, to, temporary) }) {
    case .success: return true
    case .failure(.noSuchFileOrDirectory):
      // NFS may answer so to what it has done.
      var status = stat()
      return fstatat(to, temporary, &status, AT_SYMLINK_NOFOLLOW) == 0
    case .failure(let error): throw .file(place: place, error)
    }
  }

  /// Moves the file, whatever it is, to the trash.
  ///
  /// - Returns: Its place there; `nil` where there is none.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func discard() throws(WorkspaceError) -> String? {
    let name = StagedName(number: trash.nextNumber(), new: nil, old: nil, file: self).text
    return try takeOut(as: name) ? try keep(name) : nil
  }

  /// Runs a step that replaces or removes the file.
  ///
  /// - Throws: `UnwritableItem` if the system refuses it for this file, though another one could be made
  ///   beside it; else what the step throws.
  func writing<Result>(_ step: () throws(WorkspaceError) -> Result) throws -> Result {
    do throws(WorkspaceError) { return try step() } catch {
      guard case .file(place, let reason) = error,
        [.notPermitted, .permissionDenied].contains(reason),
        [directory, trash.directory].allSatisfy({
          faccessat($0.descriptor.rawValue, ".", W_OK | X_OK, 0) == 0
        })
      else { throw error }
      throw UnwritableItem(place: place)
    }
  }

  /// Gives a file that lies in the trash under a temporary name its name there.
  ///
  /// - Returns: Its place.
  func keep(_ temporary: String) throws(WorkspaceError) -> String {
    let target = try trash.directory(kind, table)
    let name = try trash.take(
      temporary, from: trash.directory, named: stem, suffix: FileName.suffix.string, to: target)
    return target.place(of: name)
  }
}
