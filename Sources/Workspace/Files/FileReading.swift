import Glibc
import SystemPackage

/// What came of reading a file whole, whatever a person may have put in its place.
enum FileReading {
  /// There is nothing by that name.
  case absent
  /// A regular file: its bytes, and what the system said of it when they were read.
  case file([UInt8], stat)
  /// A regular file of more bytes than are allowed.
  case tooLarge
  /// A symbolic link, directory, device, pipe or socket; nothing of it was read.
  case irregular
  /// The system does not let this user read it.
  case unreadable(Errno)

  /// Reads a file; a link is not followed, and a pipe is not waited for.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)`` where the fault is not the file's.
  init(_ name: String, in directory: Directory, limit: Int) throws(WorkspaceError) {
    let here = directory.descriptor.rawValue
    let opened = WorkspaceError.interruptible {
      openat(here, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    switch opened {
    case .success(let descriptor):
      defer { close(descriptor) }
      self = try Self.read(descriptor, place: directory.place(of: name), limit: limit)
    case .failure(.noSuchFileOrDirectory): self = .absent
    case .failure(.tooManySymbolicLinkLevels), .failure(Errno(rawValue: ENXIO)): self = .irregular
    case .failure(.permissionDenied): self = .unreadable(.permissionDenied)
    case .failure(let error): throw .file(place: directory.place(of: name), error)
    }
  }

  private static func read(
    _ descriptor: Int32, place: String, limit: Int
  ) throws(WorkspaceError) -> FileReading {
    var status = stat()
    try WorkspaceError.checking(place) { fstat(descriptor, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { return .irregular }
    guard Int(status.st_size) <= limit else { return .tooLarge }
    // One byte more than the system told: the file may be growing.
    var wanted = Int(status.st_size) + 1
    var bytes = try FileBytes.read(
      wanted, from: descriptor, at: 0, place: place, end: wanted - 1)
    if bytes.count < wanted { return .file(bytes, status) }
    while bytes.count == wanted, bytes.count <= limit {
      let more = try FileBytes.read(1 << 16, from: descriptor, at: wanted, place: place)
      wanted += 1 << 16
      bytes += more
    }
    // The status stays the one from before: what is written from now on must not look as if read.
    return bytes.count > limit ? .tooLarge : .file(bytes, status)
  }
}
