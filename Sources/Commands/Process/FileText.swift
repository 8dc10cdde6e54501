import Glibc
import SystemPackage

/// Files that a person names, read and written as a whole.
enum FileText {
  /// Reads a file; one that has all of its bytes also after a signal has asked the process to end.
  ///
  /// Of a file that is larger than the limit, more is read than that, so that the caller sees it.
  ///
  /// - Throws: `Errno`; `.interrupted` where a signal asks the process to end while it waits for a pipe's
  ///   or terminal's bytes.
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

  /// Whether a file may hold what was typed into a text: not where it is gone, or says the same.
  static func mayHoldEdit(_ path: String, of text: [UInt8]) -> Bool {
    do throws(Errno) {
      return try read(path) != text
    } catch {
      return error != .noSuchFileOrDirectory
    }
  }

  /// Reads what an editor has left; the place is where people are told that it lies.
  ///
  /// - Throws: ``Failure``, where there is no such file any more, or something that is none.
  static func read(_ path: String, editedAt place: String) throws(Failure) -> [UInt8] {
    do throws(Errno) {
      return try read(path)
    } catch {
      let isGone = error == .noSuchFileOrDirectory
      throw .usage("\(place): \(isGone ? "the editor has removed it" : "\(error)")")
    }
  }

  /// Makes a JSON file that nobody else can read, under a name of its own.
  ///
  /// - Returns: Its path.
  /// - Throws: `Errno`.
  static func makeTemporary(_ bytes: [UInt8], in directory: String) throws(Errno) -> String {
    var template = "\(directory)/tsync-XXXXXX.json".utf8CString.map { $0 }
    let descriptor = mkstemps(&template, 5)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    try ProcessStream.write(bytes, to: descriptor)
    return String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes what an editor had, once what was read of it is taken; what an editor that goes on has saved
  /// since stays, and it is said where, by its place.
  static func remove(
    _ path: String, holding read: [UInt8], toldAs place: String, _ context: Context
  ) {
    guard !mayHoldEdit(path, of: read) else {
      return context.output.warn("what was saved since is in \(place)")
    }
    remove(path)
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) { unlink(path) }
}
