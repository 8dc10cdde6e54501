import Glibc
package import SyncModel
import SystemPackage

/// The user's tokens and application keys, one for each origin, in a file that only they can read.
///
/// ```
///   {"https://host": "TOKEN", "https://host application-key": "KEY"}
/// ```
///
/// A workspace can name a server, but never a token: tokens are found by the server's origin alone.
package struct Credentials: Sendable {
  private let directory: UserDirectory

  private static let name = "credentials.json"

  /// Makes the credentials of a user.
  package init(in directory: UserDirectory) {
    self.directory = directory
  }

  /// The path of the file.
  package var place: String { directory.place(of: Self.name) }

  /// Returns the token for an origin, `https://host` or `https://host:port`; `nil` where there is
  /// none.
  ///
  /// - Throws: ``WorkspaceError/exposed(place:)`` where others could read the file;
  ///   ``WorkspaceError/credentials(place:line:column:fact:)`` where it is no object of texts;
  ///   ``WorkspaceError/file(place:_:)``.
  package func token(for origin: Text) throws(WorkspaceError) -> Text? {
    try read()[origin]?.text
  }

  /// Keeps a token for an origin, instead of a former one.
  ///
  /// - Throws: As ``token(for:)``; and where the token can't be one.
  package func set(_ token: Text, for origin: Text) throws(WorkspaceError) {
    var object = try read()
    object[origin] = .string(try Self.checked(token, place: place))
    try write(object)
  }

  /// Returns what the application key of an origin is kept as: the text that ``token(for:)`` and
  /// ``set(_:for:)`` take in place of the origin.
  package static func applicationKey(of origin: Text) -> Text { Text("\(origin) application-key") }

  /// Forgets the token and the application key for an origin; answers whether there was either.
  ///
  /// - Throws: As ``token(for:)``.
  package func remove(_ origin: Text) throws(WorkspaceError) -> Bool {
    let former = try read()
    var object = former
    for name in [origin, Self.applicationKey(of: origin)] { object[name] = nil }
    guard object != former else { return false }
    try write(object)
    return true
  }

  /// Reads a token from a file that the user named: its one line; `nil` where that can be none.
  ///
  /// - Throws: ``WorkspaceError/exposed(place:)`` where others could read the file;
  ///   ``WorkspaceError/file(place:_:)``.
  package static func token(inFile path: String) throws(WorkspaceError) -> Text? {
    let target = UserDirectory.resolved(path) ?? path
    let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { String(target[...$0]) } ?? "."
    let name = slash.map { String(target[target.utf8.index(after: $0)...]) } ?? target
    let directory = try Directory(path: parent, place: parent)
    guard let bytes = try secret(name, in: directory, place: path) else {
      throw .file(place: path, .noSuchFileOrDirectory)
    }
    var line = bytes[...]
    while line.last == 0x0A || line.last == 0x0D { line.removeLast() }
    return Text(validating: line).flatMap { canBeSent($0) ? $0 : nil }
  }

  private func read() throws(WorkspaceError) -> JSONObject {
    guard let file = try directory.file(Self.name),
      let bytes = try Self.secret(file.name, in: file.directory, place: place)
    else { return JSONObject() }
    do throws(JSONError) {
      let edit = try JSONEdit(bytes)
      if let duplicate = edit.duplicate { throw duplicate }
      for member in edit.object.members {
        guard let token = member.value.text, Self.canBeSent(token) else {
          throw edit.error(
            at: member.name, "expected a token: a string of visible ASCII characters")
        }
      }
      return edit.object
    } catch {
      throw .credentials(
        place: place, line: error.line, column: error.column, fact: error.message)
    }
  }

  private func write(_ object: JSONObject) throws(WorkspaceError) {
    try directory.creatingFile(Self.name).write(JSON.object(object).encoded(.indented()) + [0x0A])
  }

  /// Reads a file that nobody but the user may be able to read.
  private static func secret(
    _ name: String, in directory: Directory, place: String
  ) throws(WorkspaceError) -> [UInt8]? {
    switch try FileReading(name, in: directory, limit: 1 << 20) {
    case .absent: return nil
    case .irregular:
      throw .credentials(place: place, fact: "is not a regular file")
    case .tooLarge: throw .credentials(place: place, fact: "is larger than 1 MiB")
    case .unreadable(let error): throw .file(place: place, error)
    case .file(let bytes, let status):
      guard status.st_uid == geteuid() else {
        throw .credentials(place: place, fact: "belongs to another user")
      }
      guard status.st_mode & 0o077 == 0 else { throw .exposed(place: place) }
      return bytes
    }
  }

  /// Makes sure that a token can stand in a header field.
  private static func checked(_ token: Text, place: String) throws(WorkspaceError) -> Text {
    guard canBeSent(token) else {
      throw .credentials(
        place: place, fact: "must contain a token: one line of visible ASCII characters")
    }
    return token
  }

  /// Whether a token can stand in a header field: visible ASCII only (RFC 9110 §5.5).
  private static func canBeSent(_ token: Text) -> Bool {
    let bytes = token.string.utf8
    return !bytes.isEmpty && bytes.count <= 16_384
      && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
