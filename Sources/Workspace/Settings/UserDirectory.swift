import Glibc
import SystemPackage

/// The directory of the user's own settings and credentials, by the XDG Base Directory
/// Specification 0.8.
package struct UserDirectory: Equatable, Sendable {
  /// Its path.
  package let path: String

  /// Finds the directory; `nil` where nothing says where it is.
  ///
  /// - Parameters:
  ///   - configHome: `XDG_CONFIG_HOME`; it counts only where it is an absolute path.
  ///   - home: `HOME`, in which it is `.config` otherwise.
  package init?(configHome: String?, home: String?) {
    let isAbsolute = { (path: String) in path.utf8.first == UInt8(ascii: "/") }
    if let configHome, isAbsolute(configHome) {
      path = configHome + "/tsync"
    } else if let home, isAbsolute(home) {
      path = home + "/.config/tsync"
    } else {
      return nil
    }
  }

  /// The user's settings.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func settings() throws(WorkspaceError) -> SettingsFile {
    let place = place(of: Layout.settings)
    guard let file = try file(Layout.settings) else { return SettingsFile(place: place, text: nil) }
    return SettingsFile(place: place, text: try file.read(limit: 1 << 20))
  }

  /// Replaces the user's settings.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func write(_ settings: SettingsFile) throws(WorkspaceError) {
    try creatingFile(Layout.settings).write(settings.text)
  }

  /// Returns the path of a file in the directory.
  func place(of name: String) -> String { "\(path)/\(name)" }

  /// Returns a file in the directory; `nil` where there is no directory.
  ///
  /// A link that the user laid there (many keep such files elsewhere) is followed first.
  func file(_ name: String) throws(WorkspaceError) -> PrivateFile? {
    let target = Self.resolved(place(of: name)) ?? place(of: name)
    let slash = target.utf8.lastIndex(of: UInt8(ascii: "/")) ?? target.startIndex
    do throws(WorkspaceError) {
      let directory = try Directory(path: String(target[..<slash]), place: String(target[..<slash]))
      return PrivateFile(
        directory: directory, name: String(target[target.utf8.index(after: slash)...]))
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return nil
    }
  }

  /// Returns a file in the directory to be written, and makes the directory where it is absent.
  func creatingFile(_ name: String) throws(WorkspaceError) -> PrivateFile {
    var end = path.utf8.startIndex
    while end < path.utf8.endIndex {
      let next = path.utf8.index(after: end)
      end = path.utf8[next...].firstIndex(of: UInt8(ascii: "/")) ?? path.utf8.endIndex
      let parent = String(path[..<end])
      switch WorkspaceError.interruptible({ mkdir(parent, 0o700) }) {
      case .success, .failure(.fileExists): break
      case .failure(let error): throw .file(place: parent, error)
      }
    }
    guard let file = try file(name) else {
      throw .file(place: path, .noSuchFileOrDirectory)
    }
    try? Leftovers.removePrivate(in: file.directory)
    return file
  }

  /// Returns a path without links; `nil` where nothing is there.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(
      validating: UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map(
        UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
