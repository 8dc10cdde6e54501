import Glibc
import SyncEngine
import SyncModel
import Synchronization
import SystemPackage

/// The first items of a table on their way: files in a directory of their own, made beside what the
/// caller goes on with.
///
/// ```
///   rows → arrivals, and trash/.tmp-PID-NUMBER/ID.json → both durable → rename to items/T, which is empty
/// ```
///
/// A thread begins with each batch of rows; who brings the next one makes what is left of it, too.
final class Filling {
  /// With more bytes of rows a thread is worth it.
  private static let many = 64 << 10

  /// The name of the directory, in the trash.
  let name: String
  /// The directory.
  let directory: Directory
  /// The table.
  let table: TableName
  private var made: [ItemID: Digest] = [:]
  private var failure: WorkspaceError?
  private var batch: Batch?
  private var thread: SideThread?

  /// Takes a directory of that name, which is empty and nobody else's.
  init(in directory: Directory, named name: String, of table: TableName) {
    (self.name, self.directory, self.table) = (name, directory, table)
  }

  deinit { thread?.join() }

  /// Takes rows over, one of each id; what came before them under one of these ids counts no more.
  func add(_ rows: [Row]) {
    finish()
    guard failure == nil else { return }
    do throws(WorkspaceError) {
      for row in rows where made.removeValue(forKey: row.id) != nil {
        try directory.remove(Layout.file(of: ItemKey(table, row.id)))
      }
    } catch {
      failure = error
    }
    let batch = Batch(rows.filter { !$0.deleted }, in: directory, table)
    self.batch = batch
    if rows.reduce(0, { $0 + $1.text.count }) > Self.many {
      thread = SideThread { batch.work() }
    }
  }

  /// Writes what is left; returns the fingerprint of each file.
  ///
  /// - Throws: ``WorkspaceError``: what has failed first.
  func end() throws(WorkspaceError) -> [ItemID: Digest] {
    finish()
    if let failure { throw failure }
    return made
  }

  private func finish() {
    guard let batch else { return }
    batch.work()
    thread?.join()
    failure = failure ?? batch.failure.withLock(\.self)
    for (row, digest) in zip(batch.rows, batch.digests) { made[row.id] = digest }
    (self.batch, thread) = (nil, nil)
  }
}

/// Rows whose files any number of threads make.
private final class Batch: @unchecked Sendable {
  let rows: [Row]
  /// The fingerprints of their files; each is written by the thread that has made the file.
  let digests: UnsafeMutableBufferPointer<Digest?>
  /// What has failed; then no more files are made.
  let failure = Mutex<WorkspaceError?>(nil)
  private let directory: Directory
  private let table: TableName
  /// The first row that no thread has taken.
  private let next = Atomic(0)

  init(_ rows: [Row], in directory: Directory, _ table: TableName) {
    (self.rows, self.directory, self.table) = (rows, directory, table)
    digests = .allocate(capacity: rows.count)
    digests.initialize(repeating: nil)
  }

  deinit { digests.deallocate() }

  /// Makes files until there are no more to make.
  func work() {
    do throws(WorkspaceError) {
      while true {
        let place = next.add(1, ordering: .relaxed).oldValue
        guard place < rows.count else { return }
        digests[place] = try make(rows[place])
      }
    } catch {
      next.store(rows.count, ordering: .relaxed)
      failure.withLock { $0 = $0 ?? error }
    }
  }

  private func make(_ row: Row) throws(WorkspaceError) -> Digest {
    let name = try Layout.file(of: ItemKey(table, row.id))
    let (text, place) = (ItemFile.text(of: row.item, id: row.id), directory.place(of: name))
    let descriptor = try directory.open(name, O_WRONLY | O_CREAT | O_EXCL)
    do throws(WorkspaceError) {
      try FileBytes.write(text, to: descriptor, place: place)
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw .file(place: place, .current) }
    return Digest(of: text)
  }
}
