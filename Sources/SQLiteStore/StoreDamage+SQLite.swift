import GRDB
import TableServer

extension StoreDamage {
  /// Returns the damage that an error of SQLite tells of, and every other error as it is.
  static func found(in error: any Error) -> any Error {
    guard let error = error as? DatabaseError,
      [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    else { return error }
    return StoreDamage("\(error)")
  }
}
