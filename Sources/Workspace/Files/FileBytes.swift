import Glibc
import SystemPackage

/// Bytes of an open file, read and written whole.
enum FileBytes {
  /// Fills a buffer from a place in a file, as far as the file goes; returns how many were read.
  ///
  /// `end` is how many there are as far as is known: where a call that asked for more ends with them, that
  /// is the end.
  ///
  /// - Throws: ``WorkspaceError/file`` where the system refuses.
  static func read(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int, place: String,
    end: Int? = nil
  ) throws(WorkspaceError) -> Int {
    var fill = 0
    while fill < buffer.count, fill == 0 || fill != end {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[fill...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + fill))
      if count == 0 { break }
      if count > 0 {
        fill += count
      } else if errno != EINTR {
        throw WorkspaceError.file(place: place, Errno(rawValue: errno))
      }
    }
    return fill
  }

  /// Reads a number of bytes at a place in a file; fewer where the file ends before.
  ///
  /// - Throws: ``WorkspaceError/file`` where the system refuses.
  static func read(
    _ count: Int, from descriptor: Int32, at offset: Int, place: String, end: Int? = nil
  ) throws(WorkspaceError) -> [UInt8] {
    var failure: WorkspaceError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(WorkspaceError) {
        filled = try read(
          UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: offset, place: place,
          end: end)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all bytes where the descriptor stands.
  ///
  /// - Throws: ``WorkspaceError/file`` where the system refuses; a part may have been written.
  static func write(
    _ bytes: [UInt8], to descriptor: Int32, place: String
  ) throws(WorkspaceError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        let rest = UnsafeRawBufferPointer(rebasing: all[done...])
        return Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw WorkspaceError.file(place: place, Errno(rawValue: errno))
      }
    }
  }
}
