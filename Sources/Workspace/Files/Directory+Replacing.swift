import Glibc
import SystemPackage

extension Directory {
  /// Puts a new file of tsync's own in a file's place: a reader sees the old one or the new one.
  ///
  /// Until it is moved, the new file has the name `temporary`, or the one that is for whoever holds
  /// the workspace's lock. With `durably` its bytes survive a power loss when this returns; its name
  /// does only after ``synchronize()``.
  ///
  /// It is opened for reading and writing, with `flags` beside; `fill` writes it.
  ///
  /// - Returns: The new file's descriptor, which the caller closes.
  /// - Throws: ``WorkspaceError/file(place:_:)``; ``WorkspaceError/damaged(place:line:fact:)`` where
  ///   something that is no file has the new file's name; what `fill` throws: then the file is as it
  ///   was.
  func replace(
    _ name: String, by temporary: String? = nil, _ flags: Int32 = 0, durably: Bool,
    _ fill: (Int32) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) -> Int32 {
    let temporary = temporary ?? name + Layout.new
    let shown = place(of: name)
    let here = descriptor.rawValue
    // What a crash left may have a second name, in a copy by links: it isn't written to.
    var left = stat()
    if fstatat(here, temporary, &left, AT_SYMLINK_NOFOLLOW) == 0, left.st_nlink > 1 {
      unlinkat(here, temporary, 0)
    }
    let new = try openFile(temporary, O_RDWR | O_CREAT | O_TRUNC | flags, as: shown)
    do throws(WorkspaceError) {
      // The mode given to open(2) loses what the process's mask takes away.
      try WorkspaceError.checking(shown) { fchmod(new, 0o600) }
      try fill(new)
      if durably, !isDraft { try WorkspaceError.checking(shown) { fsync(new) } }
      try WorkspaceError.checking(shown) { renameat(here, temporary, here, name) }
    } catch {
      close(new)
      unlinkat(here, temporary, 0)
      throw error
    }
    return new
  }
}
