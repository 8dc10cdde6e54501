import Glibc
import SystemPackage
import Workspace

/// Paths as text, as people write them.
enum PathName {
  /// Returns an absolute path without `.`, `..` and doubled slashes; `directory` is absolute.
  static func absolute(_ path: String, in directory: String) -> String {
    FilePath(directory).pushing(FilePath(path)).lexicallyNormalized().string
  }

  /// Splits a path into the directory and the last name.
  static func split(_ path: String) -> (directory: String, name: String) {
    let path = FilePath(path)
    return (path.removingLastComponent().string, path.lastComponent?.string ?? "")
  }

  /// Resolves links in a path's directory; returns the path itself if there is no directory.
  static func physical(_ path: String) -> String {
    let (directory, name) = split(path)
    return UserDirectory.resolved(directory).map { absolute(name, in: $0) } ?? path
  }

  static func part(of path: String, below directory: String) -> String? {
    var part = FilePath(path)
    guard part.removePrefix(FilePath(directory)), !part.isEmpty else { return nil }
    return part.string
  }

  /// Compares bytes, unlike `hasSuffix`.
  static func has(_ text: String, suffix: String) -> Bool {
    text.utf8.reversed().starts(with: suffix.utf8.reversed())
  }

  /// Returns the directory at an absolute path or, if there is none, the nearest one above it.
  static func nearestDirectory(_ path: String) -> String {
    var path = path
    var status = stat()
    while path.utf8.count > 1, stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
      path = split(path).directory
    }
    return path
  }
}
