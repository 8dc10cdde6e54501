import Glibc
import SyncModel

/// The name of a text on its way, which tells after a crash what the text is.
///
/// `.tmp-PID-NUMBER-NEW-OLD-KIND-TABLE.NAME`: the beginnings of the fingerprints of the new text
/// and of what it is to replace, `0` where there is none, and the file it is for. Where that would
/// be too long for a name, the file is left out. Both are the same for what was taken out, and is to go back
/// while its place is empty.
struct StagedName: Equatable {
  /// The fingerprint's beginning of the text that is staged; `nil` for a removal.
  let new: String?
  /// The fingerprint's beginning of what the file was seen to hold; `nil` where it was absent.
  let old: String?
  /// Which file: the directory, the table and the name.
  let target: Target?
  /// The name.
  let text: String

  /// Which file a text is for.
  struct Target: Equatable {
    let kind: String
    let table: TableName
    let name: String
  }

  /// Makes a name that no other staged text has.
  init(number: Int, new: String?, old: String?, file: ReplacedFile) {
    (self.new, self.old) = (new, old)
    let start = "\(Layout.temporary)\(getpid())-\(number)-\(new ?? "0")-\(old ?? "0")"
    let whole = "\(start)-\(file.kind)-\(file.table).\(file.name)"
    let fits = whole.utf8.count <= file.trash.directory.nameLimit
    text = fits ? whole : start
    target = fits ? Target(kind: file.kind, table: file.table, name: file.name) : nil
  }

  /// Reads a name; `nil` where it is not exactly as one of a staged text is.
  init?(_ text: String) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "-"), maxSplits: 6, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    guard parts.count == 5 || parts.count == 7, Text(parts[0] + "-") == Text(Layout.temporary),
      parts[1...2].allSatisfy(Self.isNumber), parts[3...4].allSatisfy(Self.isBeginning)
    else { return nil }
    target = parts.count == 7 ? Self.target(kind: parts[5], parts[6]) : nil
    guard parts.count == 5 || target != nil else { return nil }
    self.text = text
    new = parts[3].utf8.count == 16 ? parts[3] : nil
    old = parts[4].utf8.count == 16 ? parts[4] : nil
  }

  /// Whether a name is exactly as that of a private file on its way is, of the text of a new file, or of a
  /// directory of first items: `.tmp-PID-NUMBER`.
  static func isPrivate(_ name: String) -> Bool {
    guard name.utf8.starts(with: Layout.temporary.utf8) else { return false }
    let parts = name.utf8.dropFirst(Layout.temporary.utf8.count).split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { isNumber(String(Substring($0))) }
  }

  /// Whether a text is a number as it is written in a name: digits, and no 0 before others.
  private static func isNumber(_ text: String) -> Bool {
    let digits = text.utf8
    return (1...20).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
      && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
  }

  /// Whether a text is the beginning of a fingerprint, or the `0` that stands for none.
  private static func isBeginning(_ text: String) -> Bool {
    let digits = text.utf8
    if digits.elementsEqual("0".utf8) { return true }
    return digits.count == 16
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func target(kind: String, _ rest: String) -> Target? {
    guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")),
      let table = try? TableName(Text(String(rest[..<dot]))),
      [Layout.items, Layout.conflicts].contains(where: { Text($0) == Text(kind) })
    else { return nil }
    return Target(kind: kind, table: table, name: String(rest[rest.utf8.index(after: dot)...]))
  }

  /// Returns the beginning of a fingerprint.
  static func short(_ digest: Digest) -> String {
    String(Substring(digest.description.utf8.prefix(16)))
  }
}
