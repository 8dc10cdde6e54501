import Glibc

/// The texts that users have saved, and whether each is still somewhere.
///
/// A text is marked by something like `~m3~` in it, which is looked for byte by byte.
struct ByteAudit {
  /// The marks of what was saved.
  let marks: Set<[UInt8]>

  /// Takes marks.
  init(marks: Set<[UInt8]>) {
    self.marks = marks
  }

  /// Notes all that stands in the items and in the sides of conflicts.
  init(of tree: FileTree) {
    var marks: Set<[UInt8]> = []
    for (path, file) in tree.files where Self.isUsers(path) {
      marks.formUnion(Self.marks(in: file.bytes))
    }
    self.marks = marks
  }

  /// Notes given texts.
  init(of texts: some Sequence<[UInt8]>) {
    marks = texts.reduce(into: []) { $0.formUnion(Self.marks(in: $1)) }
  }

  /// Returns the marks that are in no item, conflict, trash or quarantine, and in no row's past.
  func lost(from trees: FileTree..., contents: [[UInt8]]) -> [String] {
    var found: Set<[UInt8]> = []
    for (path, file) in trees.flatMap(\.files) where Self.isUsers(path) {
      found.formUnion(Self.marks(in: file.bytes))
    }
    for content in contents { found.formUnion(Self.marks(in: content)) }
    return marks.subtracting(found).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  private static func isUsers(_ path: String) -> Bool {
    [".todosync/items/", ".todosync/conflicts/", ".todosync/trash/", ".todosync/quarantine/"]
      .contains { path.hasPrefix($0) }
  }

  /// The marks in a text: letters and digits between two tildes.
  private static func marks(in bytes: [UInt8]) -> Set<[UInt8]> {
    var marks: Set<[UInt8]> = []
    var start: Int?
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "~"):
        if let start, index > start + 1 { marks.insert(Array(bytes[start...index])) }
        start = index
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: break
      default: start = nil
      }
    }
    return marks
  }
}
