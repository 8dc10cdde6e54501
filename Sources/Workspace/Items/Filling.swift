import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// The first items of a table on their way: files in a directory of their own, made beside what the
/// caller goes on with.
///
/// ```
///   rows, durable as arrivals → trash/.tmp-PID-NUMBER/ID.json … → syncfs
///     → rename to items/T, which is empty → fsync
/// ```
///
/// Rows go over to a thread by batches: it is begun with one and has ended before the next, so that
/// nothing is ever used by both.
final class Filling {
  /// With more bytes of rows a thread is worth it.
  static let batch = 64 << 10

  /// The name of the directory, in the trash.
  let name: String
  private let desk: Desk
  private var queued: [Row] = []
  private var bytes = 0
  private var thread: SideThread?

  /// Takes a directory of that name, which is empty and nobody else's.
  init(in directory: Directory, named name: String, of table: TableName) {
    self.name = name
    desk = Desk(directory, table)
  }

  deinit { join() }

  /// Takes rows over; of those with one id the last counts.
  func add(_ rows: [Row]) {
    queued += rows
    bytes += rows.reduce(0) { $0 + $1.text.count }
    guard bytes > Self.batch else { return }
    hand()
    thread = SideThread { [desk] in desk.work() }
    if thread == nil { desk.work() }
  }

  /// Writes what is left; returns the fingerprint of each file.
  ///
  /// - Throws: ``WorkspaceError``: what has failed first.
  func end() throws(WorkspaceError) -> [ItemID: Digest] {
    hand()
    desk.work()
    if let failure = desk.failure { throw failure }
    return desk.made
  }

  private func hand() {
    join()
    desk.rows = queued
    (queued, bytes) = ([], 0)
  }

  private func join() {
    thread?.join()
    thread = nil
  }
}

/// Where the files are made; one thread has it at a time.
private final class Desk: @unchecked Sendable {
  var rows: [Row] = []
  private(set) var made: [ItemID: Digest] = [:]
  private(set) var failure: WorkspaceError?
  private let directory: Directory
  private let table: TableName

  init(_ directory: Directory, _ table: TableName) {
    (self.directory, self.table) = (directory, table)
  }

  /// Makes files of the rows; after a failure none.
  func work() {
    do throws(WorkspaceError) {
      for row in rows where failure == nil { try make(row) }
    } catch {
      failure = error
    }
    rows = []
  }

  private func make(_ row: Row) throws(WorkspaceError) {
    let name = try Layout.file(of: ItemKey(table, row.id))
    if made.removeValue(forKey: row.id) != nil { try directory.remove(name) }
    guard !row.deleted else { return }
    let (text, place) = (ItemFile.text(of: row.item, id: row.id), directory.place(of: name))
    let descriptor = try directory.open(name, O_WRONLY | O_CREAT | O_EXCL)
    do throws(WorkspaceError) {
      try FileBytes.write(text, to: descriptor, place: place)
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw .file(place: place, .current) }
    made[row.id] = Digest(of: text)
  }
}
