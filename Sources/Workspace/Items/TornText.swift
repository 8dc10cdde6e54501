import Glibc
import SyncEngine
import SyncModel

/// What tells a text of tsync's own that a power loss has torn from a text of the user's.
///
/// Items are made durable many at a time; a power loss before that may leave any of them empty, filled
/// with NUL, or cut off. What new texts there were is known, because the rows and the answers that they
/// were made of were durable before.
struct TornText {
  /// The new texts that may have been written.
  let texts: [[UInt8]]

  /// Whether bytes may be what is left of one of the texts: empty, all NUL, or its beginning and then
  /// NUL.
  func left(_ bytes: [UInt8]) -> Bool {
    guard !texts.isEmpty else { return false }
    let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return end == 0 || texts.contains { $0.count > end && $0.starts(with: bytes[..<end]) }
  }

  /// When the machine was started, in nanoseconds since 1970, by today's clock.
  static let bootTime: Int64 = {
    var (now, running) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    clock_gettime(CLOCK_BOOTTIME, &running)
    return (Int64(now.tv_sec) - Int64(running.tv_sec)) * 1_000_000_000
      + Int64(now.tv_nsec) - Int64(running.tv_nsec)
  }()
}

extension Workspace {
  /// Returns what is left of a text that was on its way into an item's place; `nil` where none was, or
  /// where the file was modified after the machine was started.
  ///
  /// The file's own time tells more than the boot in the log's header: who saves a file after the start
  /// is the user.
  func torn(
    _ key: ItemKey, in directory: Directory, since modified: Int64
  ) throws(WorkspaceError) -> TornItem? {
    guard modified < started else { return nil }
    let texts = try TornText(texts: onTheirWay(to: key))
    guard !texts.texts.isEmpty,
      case .file(let bytes, _) = try FileReading(
        Layout.file(of: key), in: directory, limit: ItemFile.limit), texts.left(bytes)
    else { return nil }
    // What was displaced lies in the trash since that second; clocks of file systems tick.
    let displaced = try displaced(key, since: modified / 1_000_000_000 - 2)
    return TornItem(digest: Digest(of: bytes), displaced: displaced)
  }

  /// Returns the texts that an interrupted command may have been writing to an item's file.
  private func onTheirWay(to key: ItemKey) throws(WorkspaceError) -> [[UInt8]] {
    var items: [Item] = []
    if let arrival = try rows.log(of: key.table).arrival(of: key.id) {
      items.append(arrival.row.item)
    }
    if let item = journal.resolutions[key]?.item { items.append(item) }
    return items.map { ItemFile.text(of: $0, id: key.id) }
  }
}
