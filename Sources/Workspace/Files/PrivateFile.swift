import Glibc
import SystemPackage

/// A file of tsync's own, replaced whole: a reader sees the old one or the new one.
///
/// Nobody else writes it, so that nothing needs to be compared.
struct PrivateFile {
  /// The directory it lies in.
  let directory: Directory
  /// Its name.
  let name: String

  /// Reads the file, of `limit` bytes at most; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError``: a failed call; damage, where it is no regular file or too large.
  func read(limit: Int = 64 << 20) throws(WorkspaceError) -> [UInt8]? {
    let place = directory.place(of: name)
    switch try FileReading(name, in: directory, limit: limit) {
    case .absent: return nil
    case .file(let bytes, _): return bytes
    case .tooLarge: throw .damaged(place: place, line: nil, fact: "it is too large")
    case .irregular: throw .damaged(place: place, line: nil, fact: "it is not a regular file")
    case .unreadable(let error): throw .file(place: place, error)
    }
  }

  /// Replaces the file, or makes it, readable by its owner only.
  ///
  /// With `durably` it survives a power loss when this returns; without, a power loss may leave the
  /// old file, the new one, or an empty one.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``: then the file is as it was.
  func write(_ bytes: [UInt8], durably: Bool = true) throws(WorkspaceError) {
    let place = directory.place(of: name)
    let temporary = ".tmp-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    let here = directory.descriptor.rawValue
    let new = try directory.open(temporary, O_WRONLY | O_CREAT | O_EXCL, as: place)
    do throws(WorkspaceError) {
      do throws(WorkspaceError) {
        // The mode given to open(2) loses what the process's mask takes away.
        try WorkspaceError.checking(place) { fchmod(new, 0o600) }
        try FileBytes.write(bytes, to: new, place: place)
        if durably { try WorkspaceError.checking(place) { fsync(new) } }
      } catch {
        close(new)
        throw error
      }
      guard close(new) == 0 else { throw .file(place: place, .current) }
      try WorkspaceError.checking(place) { renameat(here, temporary, here, name) }
    } catch {
      unlinkat(here, temporary, 0)
      throw error
    }
    if durably { try directory.synchronize() }
  }
}
