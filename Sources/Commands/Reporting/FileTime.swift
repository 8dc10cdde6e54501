import Glibc
import SystemPackage

/// The time of a file's last change.
enum FileTime {
  /// Returns the time in seconds since 1970; `nil` if there is no file.
  static func of(_ path: String) throws -> Int64? {
    try exact(path).map { $0 / 1_000_000_000 }
  }

  /// Returns the time in nanoseconds since 1970; `nil` if there is no file.
  static func exact(_ path: String) throws -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Errno(rawValue: errno) }
      return nil
    }
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
