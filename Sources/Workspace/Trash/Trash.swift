import CLinux
import Glibc
import SyncModel
import SystemPackage

/// The bytes that tsync displaced, kept for 30 days.
///
/// ```
///   trash/items/TABLE/NAME.20260301T101502Z.1.json       an item, as it was until that second
///   trash/items/TABLE/BEGINNING~DIGEST.20260301T….1.json one whose name leaves no room for the time
///   trash/conflicts/TABLE/NAME.client.20260301T….1.json  a side of a conflict
///   trash/TABLE-tail.20260301T101502Z.1                  what a crash left behind a log
///   trash/.tmp-…                                         a text on its way: Swap
///   trash/.tmp-PID-NUMBER/                               a table's first items: Filling
/// ```
///
/// It is a class because its copies must not give the same name twice.
final class Trash {
  /// The file that says on which day it was emptied last: `2026-03-01`.
  static let mark = ".emptied"
  /// How many days things are kept.
  private static let days: Int64 = 30
  /// The seconds of a day.
  private static let day: Int64 = 86_400
  /// When 2020 began: what names an earlier time was displaced while the clock was wrong; how old it is
  /// nobody knows.
  private static let firstTime = text(ofSecond: 1_577_836_800)

  /// The directory `trash`.
  let directory: Directory
  private let clock: () -> Int64
  private var count = 0
  private var lastTime: (second: Int64, text: String) = (0, text(ofSecond: 0))
  /// The day of the mark, counted from 1970.
  private lazy var marked = try? readMark()

  /// Makes the trash of a workspace; the clock gives nanoseconds since 1970.
  init(_ directory: Directory, clock: @escaping () -> Int64) {
    self.directory = directory
    self.clock = clock
  }

  /// Returns a number that no temporary file of this process has yet.
  func nextNumber() -> Int {
    count += 1
    return count
  }

  // MARK: Keeping

  /// Writes bytes into the trash; they survive a power loss.
  ///
  /// - Returns: The place they are at.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func keep(
    _ bytes: some Collection<UInt8>, named stem: String, suffix: String = "",
    in place: Directory? = nil
  ) throws(WorkspaceError) -> String {
    let directory = place ?? self.directory
    var descriptor: Int32 = -1
    let name = try free(stem, suffix, in: directory) { name in
      let here = directory.descriptor.rawValue
      return WorkspaceError.interruptible {
        descriptor = openat(
          here, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        return descriptor
      }
    }
    defer { close(descriptor) }
    try FileBytes.write(Array(bytes), to: descriptor, place: directory.place(of: name))
    try WorkspaceError.checking(directory.place(of: name)) { fsync(descriptor) }
    try directory.synchronize()
    return directory.place(of: name)
  }

  /// Moves a file into the trash.
  ///
  /// - Returns: The name that it has there.
  /// - Throws: ``WorkspaceError/file(place:_:)``; where the file is absent too.
  func take(
    _ name: String, from source: Directory, named stem: String, suffix: String = "",
    to target: Directory? = nil
  ) throws(WorkspaceError) -> String {
    let target = target ?? directory
    return try free(stem, suffix, in: target) { free in
      source.move(name, to: target, free)
    }
  }

  /// Gives a file a second name in the trash; where the file system can't, the trash gets a copy.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func link(
    _ name: String, from source: Directory, named stem: String, suffix: String
  ) throws(WorkspaceError) {
    let (from, to) = (source.descriptor.rawValue, directory.descriptor.rawValue)
    do throws(WorkspaceError) {
      _ = try free(stem, suffix, in: directory) { free in
        WorkspaceError.interruptible { linkat(from, name, to, free, 0) }
      }
      try directory.synchronize()
    } catch {
      let file = PrivateFile(directory: source, name: name)
      _ = try keep(try file.read(limit: .max - 1) ?? [], named: stem, suffix: suffix)
    }
  }

  /// The time that names what is displaced now: the clock's, or where that has fallen behind the mark by up
  /// to 30 days, the day after the mark, so that what is displaced later is named and removed later.
  var second: Int64 {
    let now = max(0, clock() / 1_000_000_000)
    guard let marked, (1...Self.days).contains(marked - now / Self.day) else { return now }
    return (marked + 1) * Self.day
  }

  private func readMark() throws(WorkspaceError) -> Int64? {
    try PrivateFile(directory: directory, name: Self.mark).read(limit: 64).flatMap { text in
      CivilDate(Text(decoding: text.prefix(10)))?.daysSince1970
    }
  }

  /// Finds a name that is free, by trying it.
  private func free(
    _ stem: String, _ suffix: String, in directory: Directory,
    _ attempt: (String) -> Result<Int32, Errno>
  ) throws(WorkspaceError) -> String {
    let second = second
    if second != lastTime.second { lastTime = (second, Self.text(ofSecond: second)) }
    let time = lastTime.text
    let stem = Self.fitting(stem, suffix, in: directory)
    var number = 1
    while true {
      let name = "\(stem).\(time).\(number)\(suffix)"
      switch attempt(name) {
      case .success: return name
      case .failure(.fileExists): number += 1
      case .failure(let error): throw .file(place: directory.place(of: name), error)
      }
    }
  }

  /// Returns what a name here begins with: a stem, or of one that leaves no room its beginning and a
  /// digest that tells it from others.
  static func fitting(_ stem: String, _ suffix: String, in directory: Directory) -> String {
    // `.20260301T101502Z.1`, with some room for the number.
    let room = directory.nameLimit - 24 - suffix.utf8.count
    guard stem.utf8.count > room else { return stem }
    // No name of an item's has a `~` (``FileName``).
    let end = "~" + StagedName.short(Digest(of: Array(stem.utf8)))
    return String(decoding: stem.utf8.prefix(room - end.utf8.count), as: UTF8.self) + end
  }

  /// Returns the directory for what was displaced from a directory of items or conflict sides.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func directory(_ kind: String, _ table: TableName) throws(WorkspaceError) -> Directory {
    try directory.child(kind, creating: true).child(table.text.string, creating: true)
  }

  // MARK: Emptying

  /// Removes what is named by a day more than 30 days ago, once a day.
  ///
  /// The mark is the day on which that was done last. Where the clock is more than 30 days from it, the
  /// clock is wrong, was wrong, or has seen no command for long: nothing goes for 30 days, and the mark is
  /// the last of them.
  ///
  /// - Throws: ``WorkspaceError``.
  func empty() throws(WorkspaceError) {
    let today = max(0, clock() / 1_000_000_000) / Self.day
    var next = today
    if let former = try readMark() {
      if abs(today - former) > Self.days {
        next = today + Self.days
      } else if today > former {
        // Nothing goes that was young when it was last done.
        let limit = min(today, former + 1) - Self.days
        try empty(before: Self.text(ofSecond: max(0, limit) * Self.day))
      } else {
        return
      }
    }
    // It must survive a power loss: a machine without a clock has nothing else to go by.
    try PrivateFile(directory: directory, name: Self.mark)
      .write(Array("\(CivilDate(daysSince1970: next).text)\n".utf8))
    marked = next
  }

  private func empty(before limit: String) throws(WorkspaceError) {
    try empty(directory, before: limit)
    for kind in [Layout.items, Layout.conflicts] {
      // What isn't of tsync's making is nobody's business here.
      guard let kinds = try? directory.existingChild(kind) else { continue }
      for name in try kinds.names() {
        guard let table = try? kinds.existingChild(name) else { continue }
        try empty(table, before: limit)
      }
    }
  }

  private func empty(_ directory: Directory, before limit: String) throws(WorkspaceError) {
    for name in try directory.names() {
      // Fixed-width times are ordered as texts are.
      guard let time = Self.time(in: name), Text(time) < Text(limit),
        Text(time) >= Text(Self.firstTime)
      else { continue }
      do throws(WorkspaceError) {
        try directory.remove(name)
      } catch .file(_, .isDirectory) {
        // It lay in the place of a file of tsync's own.
        directory.removeTree(name)
      }
    }
  }

  /// Returns the time in a name of the trash's; `nil` where there is none.
  static func time(in name: String) -> String? {
    name.utf8.split(separator: UInt8(ascii: ".")).reversed().lazy.filter { part in
      part.count == 16 && part.last == UInt8(ascii: "Z")
        && part.enumerated().allSatisfy { index, byte in
          switch index {
          case 8: byte == UInt8(ascii: "T")
          case 15: true
          default: (0x30...0x39).contains(byte)
          }
        }
    }.first.map { String(Substring($0)) }
  }

  /// Returns a second since 1970 as `20260301T101502Z`.
  static func text(ofSecond second: Int64) -> String {
    let digits = Timestamp(ticks: second * Timestamp.perSecond).text.bytes
      .filter { (0x30...0x39).contains($0) }
    return String(decoding: digits[..<8], as: UTF8.self) + "T"
      + String(decoding: digits[8..<14], as: UTF8.self) + "Z"
  }
}

extension Directory {
  /// Moves a file or a directory to a name that must be free; fails with `.fileExists` where it isn't, and with
  /// `EOPNOTSUPP` where the file system can't do that.
  ///
  /// Nobody else may write to a file's name meanwhile: where the file system can't do that in one call, the
  /// file has both names for a moment.
  func move(_ name: String, to target: Directory, _ new: String) -> Result<Int32, Errno> {
    let (from, to) = (descriptor.rawValue, target.descriptor.rawValue)
    let moved = WorkspaceError.interruptible {
      tsync_renameat2(from, name, to, new, TSYNC_RENAME_NOREPLACE)
    }
    guard case .failure(let error) = moved, error == .invalidArgument || error == .noFunction
    else { return moved }
    switch WorkspaceError.interruptible({ linkat(from, name, to, new, 0) }) {
    case .success: break
    // NFS may answer so to what it has done.
    case .failure(.fileExists) where isSame(name, as: new, in: target): break
    case .failure(.notPermitted) where (try? existingChild(name)) != nil:
      // A directory has one name only, and replaces nothing but an empty one.
      let renamed = WorkspaceError.interruptible { renameat(from, name, to, new) }
      return renamed == .failure(Errno(rawValue: ENOTEMPTY)) ? .failure(.fileExists) : renamed
    case .failure(let error):
      let isRefused = [.notPermitted, .invalidArgument, .noFunction].contains(error)
      return .failure(isRefused ? Errno(rawValue: EOPNOTSUPP) : error)
    }
    // No power loss may take the new name back, and leave the old one removed.
    do throws(WorkspaceError) { try target.synchronize() } catch {
      guard case .file(_, let reason) = error else { return .failure(.ioError) }
      return .failure(reason)
    }
    return WorkspaceError.interruptible { unlinkat(from, name, 0) }
  }

  private func isSame(_ name: String, as other: String, in target: Directory) -> Bool {
    var (one, two) = (stat(), stat())
    return fstatat(descriptor.rawValue, name, &one, AT_SYMLINK_NOFOLLOW) == 0
      && fstatat(target.descriptor.rawValue, other, &two, AT_SYMLINK_NOFOLLOW) == 0
      && one.st_ino == two.st_ino && one.st_dev == two.st_dev
  }
}
