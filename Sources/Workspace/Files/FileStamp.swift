import Glibc
import SyncModel

/// What the system says of a file without reading it, by which a change of it shows.
struct FileStamp: Equatable {
  /// When its bytes were last modified, in nanoseconds since 1970.
  var modified: Int64
  /// When it was last changed in any way, in nanoseconds since 1970; nobody can set it back.
  var changed: Int64
  /// The file's number in its file system.
  var inode: UInt64
  /// How many bytes it has.
  var size: UInt32
}

extension FileStamp {
  /// Takes the stamp of a file.
  init(_ status: stat) {
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
    inode = UInt64(status.st_ino)
    size = UInt32(truncatingIfNeeded: status.st_size)
  }

  /// Whether a change after `time`, in nanoseconds since 1970, is bound to show in the stamp.
  ///
  /// Clocks of file systems tick: what is written in the same tick as the stamp leaves no mark. Two
  /// seconds is the coarsest tick.
  func isSettled(by time: Int64, tick: Int64 = 2_000_000_000) -> Bool {
    max(modified, changed) < time - tick
  }

  /// Takes the stamp that ``json`` has written; `nil` where it is none.
  init?(_ json: JSON?) {
    let numbers = (json?.elements ?? []).compactMap(\.integer)
    guard numbers.count == 4 else { return nil }
    self.init(
      modified: Int64(numbers[0]), changed: Int64(numbers[1]),
      inode: UInt64(bitPattern: Int64(numbers[2])), size: UInt32(truncatingIfNeeded: numbers[3]))
  }

  /// `[modified,changed,inode,size]`.
  var json: JSON {
    .array(
      [Int(modified), Int(changed), Int(truncatingIfNeeded: inode), Int(size)].map { .integer($0) })
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
