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

  static func remove(_ path: String) { unlink(path) }
}
