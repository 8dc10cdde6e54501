import Glibc
package import SyncModel
import SystemPackage

/// The lock of a workspace, which one process at a time can have.
///
/// The kernel holds it by `flock(2)` and gives it back when the process ends, however it ends. What
/// the file says is information only. It is a class because the workspace, a value, is copied and
/// the lock must not be.
package final class DirectoryLock {
  /// The description of the process that has the lock.
  package struct Holder: Equatable, Sendable {
    /// Its process id.
    package let process: Int
    /// The command that it runs.
    package let command: Text
    /// When it took the lock, in UTC.
    package let since: Text
  }

  private let descriptor: FileDescriptor
  /// What the file says; `nil` where this only shares the lock.
  private var holder: JSONObject?

  /// Takes the lock, and waits for it where another process has it.
  ///
  /// Where the last one that had it was killed, all that is on the file system is made safe first: names that
  /// it has made are built on from now on.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - directory: Where it lies; it is made where it is absent.
  ///   - patience: How long to wait, in seconds.
  ///   - command: What the file tells others.
  ///   - now: The time in nanoseconds since 1970, for the same purpose.
  ///   - pause: Waits for so many microseconds.
  /// - Throws: ``WorkspaceError/locked(_:)`` after that time; ``WorkspaceError/file(place:_:)``,
  ///   with `.noLocks` where the file system has no locks.
  init(
    _ name: String, in directory: Directory, patience: Double, command: Text, now: Int64,
    pause: (UInt32) -> Void = { usleep($0) }
  ) throws(WorkspaceError) {
    let place = directory.place(of: name)
    let raw = try directory.openFile(name, O_RDWR | O_CREAT)
    do throws(WorkspaceError) {
      try Self.take(raw, LOCK_EX, place: place, patience: patience, pause)
      if Self.text(raw, place)?["ended"]?.boolean != true { try directory.synchronizeAll() }
      var holder = JSONObject()
      holder.append("pid", .integer(Int(getpid())))
      holder.append("command", .string(command))
      holder.append("since", .string(Self.second(of: now)))
      try Self.write(holder, to: raw, place: place)
      self.holder = holder
    } catch {
      Self.giveBack(raw)
      throw error
    }
    descriptor = FileDescriptor(rawValue: raw)
  }

  /// Makes sure that no process writes as long as this lives, without writing anything; where there
  /// is no lock's file, nobody ever wrote, and there is nothing to hold.
  ///
  /// - Throws: ``WorkspaceError/locked(_:)`` after so many seconds;
  ///   ``WorkspaceError/file(place:_:)``.
  init?(
    sharing name: String, in directory: Directory, patience: Double
  ) throws(WorkspaceError) {
    let raw: Int32
    do throws(WorkspaceError) {
      raw = try directory.openFile(name, O_RDONLY)
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return nil
    }
    do throws(WorkspaceError) {
      try Self.take(raw, LOCK_SH, place: directory.place(of: name), patience: patience)
    } catch {
      Self.giveBack(raw)
      throw error
    }
    descriptor = FileDescriptor(rawValue: raw)
  }

  deinit {
    if var holder {
      holder.append("ended", true)
      try? Self.write(holder, to: descriptor.rawValue, place: "")
    }
    Self.giveBack(descriptor.rawValue)
  }

  private static func write(
    _ holder: JSONObject, to descriptor: Int32, place: String
  ) throws(WorkspaceError) {
    let text = JSON.object(holder).encoded() + [0x0A]
    try WorkspaceError.checking(place) { lseek(descriptor, 0, SEEK_SET) }
    try FileBytes.write(text, to: descriptor, place: place)
    // Cut behind the new text: ext4 makes a file durable that was once cut to nothing.
    try WorkspaceError.checking(place) { ftruncate(descriptor, off_t(text.count)) }
  }

  /// Gives back what lock a descriptor may have, and closes it.
  ///
  /// A child that is being started has a copy of the descriptor until it calls execve(2): closing
  /// this one alone would leave the lock with it.
  static func giveBack(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func take(
    _ descriptor: Int32, _ kind: Int32, place: String, patience: Double,
    _ wait: (UInt32) -> Void = { usleep($0) }
  ) throws(WorkspaceError) {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(patience))
    var pause: UInt32 = 1_000  // microseconds; doubled up to 0.1 s
    while true {
      switch WorkspaceError.interruptible({ flock(descriptor, kind | LOCK_NB) }) {
      case .success: return
      case .failure(.wouldBlock):
        guard clock.now < end else { throw .locked(holder(descriptor, place)) }
        wait(pause)
        pause = min(2 * pause, 100_000)
      case .failure(.noFunction), .failure(Errno(rawValue: EOPNOTSUPP)):
        throw .file(place: place, .noLocks)
      case .failure(let error): throw .file(place: place, error)
      }
    }
  }

  /// Returns the second of a time in nanoseconds since 1970, in UTC: what people need of it.
  private static func second(of time: Int64) -> Text {
    let text = Timestamp(ticks: time / 100).text.bytes
    return Text(String(decoding: text.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self) + "Z")
  }

  private static func holder(_ descriptor: Int32, _ place: String) -> Holder? {
    guard let object = text(descriptor, place), let process = object["pid"]?.integer,
      let command = object["command"]?.text, let since = object["since"]?.text
    else { return nil }
    return Holder(process: process, command: command, since: since)
  }

  private static func text(_ descriptor: Int32, _ place: String) -> JSONObject? {
    (try? FileBytes.read(4_096, from: descriptor, at: 0, place: place))
      .flatMap { try? JSON(parsing: $0).object }
  }
}

extension DirectoryLock.Holder: CustomStringConvertible {
  package var description: String { "tsync \(command), process \(process), since \(since)" }
}
