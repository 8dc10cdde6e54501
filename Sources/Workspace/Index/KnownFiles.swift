import CLinux
import Glibc
import Synchronization
import SystemPackage

/// The files that an index knows, each asked whether it is still as it was, by two threads.
///
/// A directory of which no name has come or gone need not be read: its stamp tells that, on file systems
/// that are known to keep it.
final class KnownFiles: @unchecked Sendable {
  private let known: IndexedTable
  private let device: Int
  private let isSame: UnsafeMutablePointer<Bool>
  /// The first row that no thread has taken.
  private let next = Atomic(0)

  /// From so many rows on another thread is worth its start.
  private static let many = 512
  /// How many rows a thread takes at once.
  private static let part = 64
  // ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, overlayfs, ZFS, bcachefs: statfs(2).
  private static let keepers: Set<Int> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994, 0x794C_7630, 0x2FC1_2FC1,
    0xCA45_1A4E,
  ]

  private init(_ known: IndexedTable, _ device: Int) {
    (self.known, self.device) = (known, device)
    isSame = .allocate(capacity: known.count)
    isSame.initialize(repeating: false, count: known.count)
  }

  deinit { isSame.deallocate() }

  /// Whether the stamp of a directory is bound to change with its names.
  static func areTold(by directory: Directory) -> Bool {
    keepers.contains(tsync_file_system(directory.descriptor.rawValue))
  }

  /// Tells of each row of an index whether its file has the stamp that is known.
  static func areSame(
    _ known: IndexedTable, in directory: Directory, on device: Int
  ) throws(WorkspaceError) -> [Bool] {
    let files = KnownFiles(known, device)
    // Two threads that ask by one open file would wait for each other.
    let descriptor = try directory.open(".", O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    let beside =
      known.count < many ? nil : SideThread { files.ask(descriptor) }
    files.ask(directory.descriptor.rawValue)
    beside?.join()
    return withExtendedLifetime(files) {
      Array(UnsafeBufferPointer(start: files.isSame, count: known.count))
    }
  }

  private func ask(_ directory: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { ask(directory, for: $0) }
  }

  private func ask(_ directory: Int32, for name: UnsafeMutableRawBufferPointer) {
    guard let start = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
    let (known, isSame) = (known, isSame)
    while true {
      let first = next.add(Self.part, ordering: .relaxed).oldValue
      guard first < known.count else { return }
      for place in first..<min(first + Self.part, known.count) {
        let (flags, id) = (known.flags(place), known.name(place))
        guard flags.isSuperset(of: [.file, .stamped, .plainName]), !flags.contains(.tombstone),
          id.count + 6 <= name.count
        else { continue }
        name.copyMemory(from: id)
        name[id.count...].copyBytes(from: ".json\0".utf8)
        var status = stat()
        guard fstatat(directory, start, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
        let stamp = FileStamp(status)
        isSame[place] =
          stamp == known.stamp(place) && Int(truncatingIfNeeded: status.st_dev) == device
      }
    }
  }
}
