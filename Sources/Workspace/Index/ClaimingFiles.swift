import SyncEngine
import SyncModel

/// The files of a table that say other ids than their names do, as a walk has found them: they hold until
/// somebody else changes the table's directory.
struct ClaimingFiles {
  /// The first of each id.
  let files: [ItemID: InvalidItem]
  /// The directory's stamp ahead of the walk, or after what tsync has changed there since.
  private var stamp: FileStamp?
  /// The directory's stamp after somebody else had last changed it.
  private let foreign: FileStamp?
  private let isSettled: Bool

  // Clocks of most file systems of Linux tick every 10 ms at most. What is moved in a tick in which the
  // directory is changed anyway, here or on a file system with coarser times, is found by the next walk.
  private static let tick: Int64 = 100_000_000

  /// Takes what a walk has found that began at `time`, in nanoseconds since 1970; `former` is the one
  /// before it.
  init(_ candidates: [Candidate], _ stamp: FileStamp?, after former: Self?, at time: Int64) {
    files = candidates.claiming
    self.stamp = stamp
    foreign = former?.stamp == stamp ? former?.foreign : stamp
    isSettled = foreign?.isSettled(by: time, tick: Self.tick) ?? false
  }

  /// Whether nobody else has changed the directory since, whose stamp is now `stamp`.
  func hold(at stamp: FileStamp) -> Bool { isSettled && self.stamp == stamp }

  /// Takes note that tsync has changed the directory.
  mutating func changed(from former: FileStamp, to stamp: FileStamp) {
    if self.stamp == former { self.stamp = stamp }
  }
}
