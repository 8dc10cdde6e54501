import SyncEngine
import SyncModel

/// Where a row lies in its journal, and what need not be read of it to be known.
struct JournalEntry: Equatable {
  /// Where its line begins in the file.
  var offset: Int
  /// How many bytes its line has, with the line end.
  var length: UInt32
  /// Whether it is a tombstone.
  var isTombstone: Bool
  /// Whether it isn't the line's row, but what that is measured against.
  var isOver = false
  /// The fingerprint of a file's bytes that mean what the row says; `nil` where none is known.
  var digest: Digest?
}

extension JournalEntry {
  /// Makes the entry of a line that was just written or read.
  init(_ place: Range<Int>, isTombstone: Bool, digest: Digest? = nil) {
    self.init(
      offset: place.lowerBound, length: UInt32(place.count), isTombstone: isTombstone,
      digest: digest)
  }
}

/// The lines of writes that are open, and of refusals, by the ids of their items, and the ids that the
/// rows of open arrivals have in their items' stead.
struct OpenLines: Equatable {
  var attempts: [ItemID: JournalEntry] = [:]
  var refusals: [ItemID: JournalEntry] = [:]
  var renames: [ItemID: ItemID] = [:]

  /// How many bytes they have.
  var bytes: Int {
    (Array(attempts.values) + refusals.values).reduce(0) { $0 + Int($1.length) }
  }
}
