import SyncModel

/// Where a row in effect is known from: its place in the index, or in what came since.
enum RowPlace: Equatable {
  /// A place in ``BaseRows/known``.
  case known(UInt32)
  /// A place in ``BaseRows/newer``.
  case new(UInt32)
}

/// What a walk through a table's directory has found out, for the next index.
struct TableWalk {
  /// A row in effect.
  struct Row {
    /// Which.
    var place: RowPlace
    /// What its file's stamp is known by.
    var stamp: Stamp
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

  /// The generation of the base log that the places are of.
  var generation: Text
  /// The rows in effect, those with files first, in the order of the directory.
  var rows: [Row] = []
  /// The stamps of files that were read, and the offset of the row that they mean.
  var stamps: [(stamp: FileStamp, row: Int)] = []
  /// The device that the directory lies on.
  var device = 0
  /// Whether the index would be another one.
  var isNews = false
}
