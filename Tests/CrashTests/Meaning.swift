import SyncModel

/// What a workspace and its server come to, whatever way has led there.
///
/// Random ids count as one, and of the order of members, versions and moments nothing is said.
struct Meaning: Equatable, CustomStringConvertible {
  /// What the items, the sides of conflicts and the rows say, a line each, in their order.
  let lines: [String]

  /// Finds it out.
  ///
  /// - Parameters:
  ///   - tree: The workspace's directory.
  ///   - status: What `status --porcelain` says.
  ///   - rows: The server's rows.
  init(_ tree: FileTree, status: String, rows: [RewindableServer.Row]) {
    var lines = status.split(separator: "\n").map { Self.withoutRandomID(String($0)) }
    for (path, file) in tree.files {
      let parts = path.split(separator: "/")
      guard parts.count == 4, ["items", "conflicts"].contains(parts[1]) else { continue }
      lines.append(
        Self.withoutRandomID("\(parts[1])/\(parts[3])") + " " + Self.content(of: file.bytes))
    }
    for row in rows {
      let gone = row.isDeleted ? "deleted " : ""
      lines.append(Self.withoutRandomID("row \(row.id) \(gone)") + Self.content(of: row.text))
    }
    self.lines = lines.sorted()
  }

  var description: String { lines.joined(separator: "\n") }

  /// The lines that only one of two has.
  static func difference(_ expected: Meaning, _ found: Meaning) -> String {
    let missing = expected.lines.filter { !found.lines.contains($0) }.map { "- \($0)" }
    let more = found.lines.filter { !expected.lines.contains($0) }.map { "+ \($0)" }
    return (missing + more).joined(separator: "\n")
  }

  private static func content(of text: [UInt8]) -> String {
    guard let object = try? JSON(parsing: text).object else {
      return "not JSON: " + String(decoding: text, as: UTF8.self)
    }
    return object.members.filter { member in !Self.left.contains { member.name == $0 } }
      .map { "\($0.name)=\(String(decoding: $0.value.encoded(), as: UTF8.self))" }
      .sorted().joined(separator: " ")
  }

  /// Members that differ from run to run; an id stands in the name, too.
  private static let left: [Text] = ["id", "version", "updatedAt", "createdAt", "deleted"]

  /// Replaces an id that was drawn by `?`: 32 hexadecimal digits, with or without hyphens.
  private static func withoutRandomID(_ line: String) -> String {
    line.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { part in
        let digits = part.prefix { $0.isHexDigit || $0 == "-" }
        return digits.count >= 20 ? "?" + part.dropFirst(digits.count) : String(part)
      }
      return parts.joined(separator: "/")
    }.joined(separator: " ")
  }
}
