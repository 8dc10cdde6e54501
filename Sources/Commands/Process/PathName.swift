import Glibc
import SyncModel

/// Paths as text, as people write them.
enum PathName {
  /// Returns an absolute path without `.`, `..` and doubled slashes; `directory` is absolute.
  static func absolute(_ path: String, in directory: String) -> String {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var parts: [Substring.UTF8View] = []
    for part in (isAbsolute ? path : "\(directory)/\(path)").utf8.split(
      separator: UInt8(ascii: "/"))
    {
      if part.elementsEqual(".".utf8) { continue }
      if part.elementsEqual("..".utf8) {
        if !parts.isEmpty { parts.removeLast() }
      } else {
        parts.append(part)
      }
    }
    return "/" + parts.map { String(Substring($0)) }.joined(separator: "/")
  }

  /// Splits a path into the directory and the last name.
  static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    return (directory, String(path[path.utf8.index(after: slash)...]))
  }

  /// Resolves links in a path's directory; returns the path itself if there is no directory.
  static func physical(_ path: String) -> String {
    let (directory, name) = split(path)
    guard let resolved = realpath(directory, nil) else { return path }
    defer { free(resolved) }
    let real = String(cString: resolved)
    return real.utf8.count == 1 ? "/\(name)" : "\(real)/\(name)"
  }

  static func part(of path: String, below directory: String) -> String? {
    let start = directory.utf8.count == 1 ? "/" : directory + "/"
    guard path.utf8.starts(with: start.utf8) else { return nil }
    return String(decoding: path.utf8.dropFirst(start.utf8.count), as: UTF8.self)
  }

  /// Compares bytes, unlike `hasSuffix`.
  static func has(_ text: String, suffix: String) -> Bool {
    text.utf8.reversed().starts(with: suffix.utf8.reversed())
  }
}

extension PathName {
  /// Returns the directory at an absolute path or, if there is none, the nearest one above it.
  static func nearestDirectory(_ path: String) -> String {
    var path = path
    while path.utf8.count > 1 {
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return path }
      path = split(path).directory
    }
    return path
  }
}
