import CLinux
import Glibc
import SyncModel
import SystemPackage

/// An open directory; whatever is done in it is done by its descriptor and one plain name.
///
/// No symbolic link is followed, so that nothing outside the workspace is reached. It is a class
/// because the workspace, a value, is copied and the descriptor must be closed once.
final class Directory {
  /// The open directory.
  let descriptor: FileDescriptor
  /// Its path, as people are shown it.
  let place: String
  /// The longest name that a file in it can have, in bytes.
  lazy var nameLimit = Self.nameLimit(of: descriptor.rawValue)
  /// Whether it is nowhere yet: what is in it, at any depth, will be made to survive a power loss at once.
  var isDraft = false
  private var children: [Text: Directory] = [:]

  /// Takes over a descriptor of a directory.
  init(_ descriptor: FileDescriptor, place: String) {
    self.descriptor = descriptor
    self.place = place
  }

  deinit { try? descriptor.close() }

  /// Opens a directory by a path, following links: the user named it.
  convenience init(path: String, place: String) throws(WorkspaceError) {
    let descriptor = try WorkspaceError.checking(place) {
      Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    self.init(FileDescriptor(rawValue: descriptor), place: place)
  }

  private static func nameLimit(of descriptor: Int32) -> Int {
    let limit = fpathconf(descriptor, Int32(_PC_NAME_MAX))
    return limit > 0 ? min(limit, Layout.nameLimit) : Layout.nameLimit
  }

  /// Returns the path of something in the directory, as people are shown it.
  func place(of name: String) -> String { place.isEmpty ? name : "\(place)/\(name)" }

  /// Returns what the system says of the directory.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func status() throws(WorkspaceError) -> stat {
    var status = stat()
    let here = descriptor.rawValue
    try WorkspaceError.checking(place) { fstat(here, &status) }
    return status
  }

  /// Opens something in the directory; it stays closed to programs that are run, and is no link.
  ///
  /// An error names the file as `shown`, if that is given: the name of a temporary file says nothing to
  /// people.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func open(
    _ name: String, _ flags: Int32, mode: mode_t = 0o600, as shown: String? = nil
  ) throws(WorkspaceError) -> Int32 {
    let here = descriptor.rawValue
    return try WorkspaceError.checking(shown ?? place(of: name)) {
      openat(here, name, flags | O_CLOEXEC | O_NOFOLLOW, mode)
    }
  }

  /// Opens a file of tsync's own, and nothing else: a pipe in its place is not waited for.
  ///
  /// - Throws: ``WorkspaceError``: a failed call; damage, if it is not a regular file.
  func openFile(
    _ name: String, _ flags: Int32, as shown: String? = nil
  ) throws(WorkspaceError) -> Int32 {
    let irregular = WorkspaceError.damaged(
      place: place(of: name), line: nil, fact: "it is not a regular file")
    let opened: Int32
    do throws(WorkspaceError) {
      opened = try open(name, flags | O_NONBLOCK | O_NOCTTY, as: shown)
    } catch {
      switch error {
      case .file(_, .tooManySymbolicLinkLevels), .file(_, .isDirectory),
        .file(_, Errno(rawValue: ENXIO)):
        throw irregular
      default: throw error
      }
    }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw irregular
    }
    return opened
  }

  /// Returns a directory in this one; it is opened once.
  ///
  /// With `creating` it is made where it is absent, readable by its owner only; it survives a power
  /// loss.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func child(_ name: String, creating: Bool = false) throws(WorkspaceError) -> Directory {
    var child = children[Text(name)]
    if child == nil {
      do throws(WorkspaceError) {
        child = try openChild(name)
      } catch {
        guard creating, case .file(_, .noSuchFileOrDirectory) = error else { throw error }
        let here = descriptor.rawValue
        try WorkspaceError.checking(place(of: name)) { mkdirat(here, name, 0o700) }
        // A file that is moved into it must not be lost with it.
        try synchronize()
      }
    }
    if let child { return child }
    return try openChild(name)
  }

  /// Returns a directory in this one; `nil` where it is absent.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func existingChild(_ name: String) throws(WorkspaceError) -> Directory? {
    do throws(WorkspaceError) {
      return try child(name)
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return nil
    }
  }

  private func openChild(_ name: String) throws(WorkspaceError) -> Directory {
    let opened: Int32
    do throws(WorkspaceError) {
      opened = try open(name, O_RDONLY | O_DIRECTORY)
    } catch {
      var status = stat()
      fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW)
      guard status.st_mode & S_IFMT == S_IFLNK else { throw error }
      throw .damaged(
        place: place(of: name), line: nil, fact: "it is a symbolic link; tsync follows none")
    }
    let child = Directory(FileDescriptor(rawValue: opened), place: place(of: name))
    child.isDraft = isDraft
    children[Text(name)] = child
    return child
  }

  /// Returns the names in the directory, without `.` and `..`, in no order.
  ///
  /// A name that is not UTF-8 is left out: none of tsync's is.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func names() throws(WorkspaceError) -> [String] {
    var names: [String] = []
    try DirectoryEntries.forEach(in: self) { bytes throws(WorkspaceError) in
      let name = String(validating: bytes, as: UTF8.self)
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Takes note that a name is another directory's by now.
  func forget(_ name: String) {
    children[Text(name)] = nil
  }

  /// Removes a file; answers whether there was one.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  @discardableResult
  func remove(_ name: String) throws(WorkspaceError) -> Bool {
    let here = descriptor.rawValue
    switch WorkspaceError.interruptible({ unlinkat(here, name, 0) }) {
    case .success: return true
    case .failure(.noSuchFileOrDirectory): return false
    case .failure(let error): throw .file(place: place(of: name), error)
    }
  }

  /// Removes a directory with all that is in it, or a file, as far as that can be done.
  func removeTree(_ name: String) {
    if let child = try? existingChild(name), let names = try? child.names() {
      for name in names { child.removeTree(name) }
    }
    forget(name)
    if unlinkat(descriptor.rawValue, name, AT_REMOVEDIR) != 0 {
      unlinkat(descriptor.rawValue, name, 0)
    }
  }

  /// Makes everything on the file system that the directory lies on survive a power loss.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func synchronizeAll() throws(WorkspaceError) {
    let here = descriptor.rawValue
    try WorkspaceError.checking(place.isEmpty ? "." : place) { tsync_syncfs(here) }
  }

  /// Makes the names in the directory survive a power loss, where the file system can do that at all.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func synchronize() throws(WorkspaceError) {
    if isDraft { return }
    let here = descriptor.rawValue
    switch WorkspaceError.interruptible({ fsync(here) }) {
    case .success, .failure(.invalidArgument), .failure(Errno(rawValue: EOPNOTSUPP)): return
    case .failure(let error): throw .file(place: place, error)
    }
  }
}
