import SyncModel

// A program that had an item's file open goes on writing to it after tsync has displaced it: into the
// trash, where nobody looks (safety.md L3).
extension History {
  /// How many displaced texts are looked at once a day, the newest ones.
  private static let lookedAt = 1_000

  /// Looks which texts of the last week were written to after they were displaced.
  ///
  /// - Parameter time: Now, in nanoseconds since 1970.
  /// - Returns: What a person should know.
  /// What can't be read, be it the history or a text, tells nothing.
  func lateWrites(until time: Int64) -> [String] {
    guard let entries = try? entries() else { return [] }
    let first = (time / 1_000_000_000 - 8 * 86_400) * Timestamp.perSecond
    let recent = entries.filter { $0.time.ticks > first }.flatMap(\.displaced)
    var notices: [String] = []
    for displaced in recent.suffix(Self.lookedAt) {
      guard let old = displaced.old,
        let reading = try? Self.reading(of: displaced.place, in: root),
        Self.isLate(reading, over: old)
      else { continue }
      notices.append("\(displaced.place) \(Self.lateWrite(displaced))")
    }
    return notices
  }

  /// How many bytes a text may have that is compared with what was displaced.
  ///
  /// A former tsync indented every text, which made one of 1 MiB up to 130 times as large.
  private static let textLimit = 160 << 20

  /// Whether a text isn't the one that was displaced: that one was no larger than the limit.
  static func isLate(_ reading: FileReading, over old: Digest) -> Bool {
    switch reading {
    case .file(let bytes, _): Digest(of: bytes) != old
    case .tooLarge: true
    case .absent, .irregular, .unreadable: false
    }
  }

  /// Says that a text was written to after it was displaced.
  static func lateWrite(_ displaced: Displaced) -> String {
    "was written to after it was displaced: compare it with \(displaced.key)"
  }

  /// Reads a text in the trash.
  ///
  /// - Returns: What lies there; `nil` where the place leads elsewhere, or nowhere.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  static func reading(
    of place: Text, in root: Directory
  ) throws(WorkspaceError) -> FileReading? {
    guard place.string.utf8.starts(with: "\(Layout.trash)/".utf8),
      let (directory, name) = try root.find(place.string)
    else { return nil }
    return try FileReading(name, in: directory, limit: textLimit)
  }
}
