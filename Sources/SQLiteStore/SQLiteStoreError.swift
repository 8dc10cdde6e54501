/// Why a database can't serve as a store.
package enum SQLiteStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file can't be opened or made.
  case cannotOpen(path: String, reason: String)
  /// The file is a database, but of another program.
  case notAStore(path: String)
  /// Another version of tsync-server made the file.
  case otherFormat(path: String)

  package var description: String {
    switch self {
    case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
    case .notAStore(let path): "\(path) is a database of another program"
    case .otherFormat(let path):
      "\(path): made by another version of tsync-server: use that version"
    }
  }
}
