import SyncModel

// A program that had an item's file open goes on writing to it after tsync has displaced it: into the
// trash, where nobody looks.
extension History {
  /// Looks which texts that the end of the history tells of were written to after they were displaced.
  ///
  /// What can't be read, be it the history or a text, tells nothing; `doctor` looks at all.
  ///
  /// - Returns: What a person should know.
  func lateWrites() -> [String] {
    var recent: [Displaced] = []
    let log = try? Log(
      opening: Layout.history, in: root, kind: Self.kind, writing: false, trash: trash)
    try? log?.findEnd(within: Self.lineLimit) { line in
      recent += line.object.flatMap(Entry.init)?.displaced ?? []
    }
    var notices: [String] = []
    for displaced in recent {
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
    "was changed after tsync moved it to the trash: compare it with \(displaced.key)"
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
