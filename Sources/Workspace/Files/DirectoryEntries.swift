import CLinux
import Glibc
import SystemPackage

/// The names in a directory, in the order in which the file system has them.
enum DirectoryEntries {
  /// Gives each name's bytes; a zero byte stands behind them.
  ///
  /// `.` and `..` are among them.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``; what `body` throws.
  static func forEach(
    in directory: Directory,
    _ body: (UnsafeRawBufferPointer) throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    let descriptor = try directory.open(".", O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 8)
    defer { buffer.deallocate() }
    while true {
      let count = try WorkspaceError.checking(directory.place) {
        tsync_getdents64(descriptor, buffer.baseAddress, UInt(buffer.count))
      }
      guard count > 0 else { return }
      var offset = 0
      while offset + nameOffset < count {
        let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 16, as: UInt16.self))
        let entry = UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + length])
        let name = UnsafeRawBufferPointer(rebasing: entry[nameOffset...])
        if let start = name.baseAddress {
          let end = strnlen(start.assumingMemoryBound(to: CChar.self), name.count)
          try body(UnsafeRawBufferPointer(rebasing: name[..<Int(end)]))
        }
        offset += length
      }
    }
  }

  // getdents64(2): inode and offset, 8 bytes each, the entry's length, 2, its type, 1, the name.
  private static let nameOffset = 19
}
