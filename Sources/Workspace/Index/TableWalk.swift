import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// Where a row in effect is known from: its place in the index, or in what came since.
enum RowPlace: Equatable {
  /// A place in ``JournalRows/known``.
  case known(UInt32)
  /// A place in ``JournalRows/newer``.
  case new(UInt32)
  /// A place in ``TableWalk/unknown``: there was no row yet.
  case none(UInt32)
}

/// What a walk through a table's directory has found out, for the next index.
struct TableWalk {
  /// A row in effect.
  struct Row {
    /// Which.
    var place: RowPlace
    /// What its file's stamp is known by.
    var stamp: Stamp
    /// Whether there is a file.
    var hasFile = true
  }

  /// What is known of a file's stamp.
  enum Stamp: Equatable {
    /// Nothing: there is no file, or it means something else than the row.
    case none
    /// What the index says.
    case asIndexed
    /// The one at a place in ``TableWalk/stamps``.
    case new(UInt32)
  }

  /// A file that was read and differs from its row: what it said, and the stamp by which it can be known
  /// to say so still; `nil` where that has not settled.
  struct Reading {
    var stamp: FileStamp?
    var item: Item
    var digest: Digest
  }

  /// The generation of the journal that the places are of.
  var generation: Text
  /// The rows in effect, those with files first, in the order of the directory.
  var rows: [Row] = []
  /// The stamps of files that were read, and the fingerprints of what was read.
  var stamps: [(stamp: FileStamp, digest: Digest)] = []
  /// The files that differ from their rows.
  var readings: [ItemID: Reading] = [:]
  /// The ids of files that are of no row.
  var unknown: [ItemID] = []
  /// The device that the directory lies on.
  var device = 0
  /// The directory's stamp ahead of the walk; `nil` where there was none.
  var stamp: FileStamp?
  /// The stray files, if that stamp is bound to change with the names.
  var strays: [ItemID: InvalidItem]?
  /// That stamp, if it is bound to change with the names, and all files are of rows.
  var settled: FileStamp?
  /// Whether the index would be another one.
  var isNews = false

  /// Returns what a file says that was read and hasn't changed since; `nil` where it must be read.
  func state(of id: ItemID, in directory: Directory, _ file: String) -> (ClientState, stat)? {
    guard let reading = readings[id], let stamp = reading.stamp else { return nil }
    var status = stat()
    guard fstatat(directory.descriptor.rawValue, file, &status, AT_SYMLINK_NOFOLLOW) == 0,
      FileStamp(status) == stamp, Int(truncatingIfNeeded: status.st_dev) == device
    else { return nil }
    return (.item(reading.item, reading.digest), status)
  }
}
