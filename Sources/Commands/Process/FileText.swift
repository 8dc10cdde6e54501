import Glibc
import SystemPackage

/// Reads and writes whole files that a person names.
enum FileText {
  /// Reads a file; more than the limit if it is larger, so that the caller notices.
  ///
  /// - Throws: `Errno`; `.interrupted` if a signal comes while it waits for a pipe or a terminal.
  static func read(_ path: String, limit: Int = .max - 1) throws(Errno) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
    let waits = status.st_mode & S_IFMT != S_IFREG
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let more = try ProcessStream.read(descriptor, waits: waits)
      if more.isEmpty { break }
      bytes += more
    }
    return bytes
  }

  /// Whether a file may hold an edit of a text: not if it is gone, or has the same bytes.
  static func isEdited(_ path: String, of text: [UInt8]) -> Bool {
    do throws(Errno) {
      return try read(path) != text
    } catch {
      return error != .noSuchFileOrDirectory
    }
  }

  /// Reads a file that an editor has saved; `place` names it in a failure.
  static func read(_ path: String, editedAt place: String) throws(Failure) -> [UInt8] {
    do throws(Errno) {
      return try read(path)
    } catch {
      let isGone = error == .noSuchFileOrDirectory
      throw .usage("\(place): \(isGone ? "the editor has removed it" : "\(error)")")
    }
  }

  /// Creates a JSON file that only the user can read, under a new name; returns its path.
  static func makeTemporary(_ bytes: [UInt8], in directory: String) throws(Errno) -> String {
    var template = "\(directory)/tsync-XXXXXX.json".utf8CString.map { $0 }
    let descriptor = mkstemps(&template, 5)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    try ProcessStream.write(bytes, to: descriptor)
    return String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes an applied file; keeps it, with a warning, if an editor has saved it again since.
  static func remove(
    _ path: String, holding read: [UInt8], toldAs place: String, _ context: Context
  ) {
    guard !isEdited(path, of: read) else {
      return context.output.warn("a text saved after that is in \(place)")
    }
    remove(path)
  }

  static func remove(_ path: String) { unlink(path) }
}
