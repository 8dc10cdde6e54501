import CLinux
import Glibc
import TestSupport

/// A file that an editor saves, in one of the ways in which editors do.
///
/// Each way tells what the editor itself has overwritten, which nobody else can keep.
struct SavedFile {
  /// What came of a save.
  struct Outcome {
    /// Whether the new text lies in the file.
    var isSaved: Bool
    /// What the editor has destroyed.
    var overwritten: [UInt8] = []
  }

  private let path: String
  private let temporary: String

  /// Takes the file's path, and the name of what lies beside it for a moment.
  init(at path: String, beside name: String) {
    self.path = path
    temporary = "/" + path.split(separator: "/").dropLast().joined(separator: "/") + "/" + name
  }

  /// Writes a new file and puts it in the old one's place.
  func replace(with text: String) -> Outcome {
    guard write(text, to: temporary, O_CREAT | O_TRUNC) else { return Outcome(isSaved: false) }
    defer { unlink(temporary) }
    // As rename(2), but what was there can be read.
    if tsync_renameat2(AT_FDCWD, temporary, AT_FDCWD, path, TSYNC_RENAME_EXCHANGE) == 0 {
      return Outcome(isSaved: true, overwritten: (Files.read(temporary) ?? []))
    }
    let isAlone =
      tsync_renameat2(AT_FDCWD, temporary, AT_FDCWD, path, TSYNC_RENAME_NOREPLACE) == 0
    return Outcome(isSaved: isAlone)
  }

  /// Cuts the file to nothing and writes it anew; with `copying`, with a copy beside meanwhile.
  func overwrite(with text: String, copying: Bool = false) -> Outcome {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return Outcome(isSaved: write(text, to: path, O_CREAT | O_EXCL)) }
    defer { close(descriptor) }
    let old = Self.bytes(in: descriptor)
    if copying { _ = write(String(decoding: old, as: UTF8.self), to: temporary, O_CREAT | O_TRUNC) }
    defer { if copying { unlink(temporary) } }
    guard ftruncate(descriptor, 0) == 0 else { return Outcome(isSaved: false) }
    let bytes = Array(text.utf8)
    let isSaved = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    return Outcome(isSaved: isSaved, overwritten: old)
  }

  /// Moves the file aside, writes a new one, and removes what it has moved.
  func moveAside(with text: String) -> Outcome {
    let isMoved = rename(path, temporary) == 0
    let isSaved = write(text, to: path, O_CREAT | O_EXCL)
    defer { unlink(temporary) }
    return Outcome(
      isSaved: isSaved, overwritten: isMoved ? (Files.read(temporary) ?? []) : [])
  }

  /// Adds to the end of the file.
  func append(_ text: String) -> Outcome { Outcome(isSaved: write(text, to: path, O_APPEND)) }

  private func write(_ text: String, to path: String, _ flags: Int32) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
  }

  private static func bytes(in descriptor: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }
}
