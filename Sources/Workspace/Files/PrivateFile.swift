import Glibc

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
    let new = try directory.replace(name, by: temporary, O_EXCL, durably: durably) {
      new throws(WorkspaceError) in
      try FileBytes.write(bytes, to: new, place: place)
    }
    close(new)
    if durably { try directory.synchronize() }
  }
}
