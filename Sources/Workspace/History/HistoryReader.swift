import Glibc
import SyncModel
import SystemPackage

/// Reads the history backwards, the newest command first: the file, then those in the trash.
///
/// A line that isn't as it was written is passed over.
struct HistoryReader {
  private let root: Directory
  private let trash: Directory?
  /// The lines of commands whose first lines are still to come.
  private var rest: [Int: [JSONObject]] = [:]

  init(root: Directory, trash: Directory?) {
    (self.root, self.trash) = (root, trash)
  }

  /// Gives the commands, until `each` returns false.
  ///
  /// A further line of a command that isn't wanted is left out unparsed.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``; what `each` throws.
  mutating func read(
    where isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true },
    _ each: (History.Command) throws -> Bool
  ) throws {
    var places = [(root, Layout.history)]
    if let trash {
      let names = try trash.names().filter {
        $0.utf8.starts(with: "history.".utf8) && Trash.time(in: $0) != nil
      }
      places += names.sorted { Text($0) > Text($1) }.map { (trash, $0) }
    }
    for (directory, name) in places {
      guard try read(name, in: directory, isWanted, each) else { return }
    }
  }

  private mutating func read(
    _ name: String, in directory: Directory, _ isWanted: (UnsafeRawBufferPointer) -> Bool,
    _ each: (History.Command) throws -> Bool
  ) throws -> Bool {
    let place = directory.place(of: name)
    let descriptor: Int32
    do throws(WorkspaceError) {
      descriptor = try directory.openFile(name, O_RDONLY)
    } catch {
      if case .file(_, .noSuchFileOrDirectory) = error { return true }
      // What else lies in the trash under such a name is nobody's business here.
      guard name == Layout.history else { return true }
      throw error
    }
    defer { close(descriptor) }
    var status = stat()
    try WorkspaceError.checking(place) { fstat(descriptor, &status) }
    let start = try FileBytes.read(4 << 10, from: descriptor, at: 0, place: place)
    guard let end = start.firstIndex(of: 0x0A),
      let header = try? LogHeader(parsing: Array(start[..<end]), kind: History.kind, place: place)
    else { return true }
    // Bytes behind `behind` are done; `tail` is the beginning of a line that began before it.
    var (behind, size, tail) = (Int(status.st_size), 64 << 10, [UInt8]())
    while behind > end + 1 {
      let from = max(end + 1, behind - size)
      let bytes =
        try FileBytes.read(behind - from, from: descriptor, at: from, place: place) + tail
      let first = from == end + 1 ? 0 : (bytes.firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
      tail = Array(bytes[..<first])
      guard
        try bytes.withUnsafeBytes({ bytes in
          try take(UnsafeRawBufferPointer(rebasing: bytes[first...]), header.seed, isWanted, each)
        })
      else { return false }
      (behind, size) = (from, min(2 * size, 4 << 20))
    }
    return true
  }

  /// Takes whole lines, the last one first.
  private mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ seed: Checksum, _ isWanted: (UnsafeRawBufferPointer) -> Bool,
    _ each: (History.Command) throws -> Bool
  ) throws -> Bool {
    var end = bytes.count
    while end > 0 {
      let start = bytes[..<(end - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      end = start
      guard let line = LogLine(text, seed: seed) else { continue }
      let isFirst = !Self.begins(line.members, with: #""of":"#)
      guard isFirst || isWanted(line.members), let object = line.object else { continue }
      if let number = object["of"]?.integer {
        rest[number, default: []].append(object)
      } else if var command = History.Command(object, number: line.number) {
        for object in (rest.removeValue(forKey: line.number) ?? []).reversed() {
          command.add(object)
        }
        if try !each(command) { return false }
      }
    }
    return true
  }

  private static func begins(_ bytes: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return UnsafeRawBufferPointer(rebasing: bytes.prefix(text.count)).isSame(as: text)
  }
}
