import CLinux
import CTracer
import Glibc
import TestSupport

/// A file system of its own, in a file, that can lose its power.
///
/// What it had not written when it was cut off is gone, as after a real cut; mounting it again reads
/// its own journal.
final class CutDisk {
  /// A kind of file system, and how it is mounted.
  enum Kind: String, CaseIterable, Sendable {
    case xfs
    /// Without the habit of ext4 to make files durable that replace others, which hides mistakes.
    case ext4

    var options: String { self == .ext4 ? "loop,noauto_da_alloc" : "loop" }
  }

  /// Where it is mounted.
  let path: String
  private let directory = TemporaryDirectory()
  private let kind: Kind

  /// Makes and mounts one.
  ///
  /// - Throws: `TestFailure`, where this machine or this user can't.
  init(_ kind: Kind) throws {
    self.kind = kind
    path = directory.path(of: "disk")
    let image = directory.path(of: "image")
    mkdir(path, 0o700)
    try Self.run("truncate", "-s", "320M", image)
    try Self.run("mkfs.\(kind.rawValue)", "-q", image)
    try mount()
  }

  deinit { try? unmount() }

  /// Why there can't be one here; `nil` where there can.
  static func refusal(of kind: Kind) -> String? {
    do {
      let disk = try CutDisk(kind)
      try disk.cut()
      return nil
    } catch { return "\(kind) can't be made, mounted and cut off here: \(error)" }
  }

  private func mount() throws {
    try Self.run("mount", "-o", kind.options, directory.path(of: "image"), path)
  }

  /// Makes everything so far safe.
  func settle() {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    tsync_syncfs(descriptor)
    close(descriptor)
  }

  /// Cuts the power, and switches it on again.
  func cut() throws {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let isCut = tracer_cut(descriptor) == 0
    let reason = String(cString: strerror(errno))
    close(descriptor)
    guard isCut else { throw TestFailure(reason) }
    try unmount()
    try mount()
  }

  /// Unmounts it, as soon as no program that is just being started has a copy of a descriptor.
  private func unmount() throws {
    var attempts = 0
    while tracer_unmount(path) != 0 {
      attempts += 1
      guard errno == EBUSY, attempts < 1_000 else {
        throw TestFailure("umount \(path): \(String(cString: strerror(errno)))")
      }
      usleep(10_000)
    }
  }

  private static func run(_ words: String...) throws {
    let outcome = try ChildProcess(words, [("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")]).outcome()
    guard outcome.status == 0 else {
      throw TestFailure("\(words.joined(separator: " ")) ends with \(outcome.status)")
    }
  }
}
