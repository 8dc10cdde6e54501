import GRDB
import TableServer

extension StoreDamage {
  /// Returns the damage that an error of SQLite or of reading its columns tells of, and every other
  /// error as it is.
  static func found(in error: any Error) -> any Error {
    switch error {
    // It tells the whole row, which is nobody's affair in a log.
    case is RowDecodingError: StoreDamage("a column has a wrong type")
    case let error as DatabaseError where error.tellsDamage:
      StoreDamage("\(error); the reason can be a -wal of another copy: tsync-server(8), BACKUPS")
    default: error
    }
  }
}

extension DatabaseError {
  fileprivate var tellsDamage: Bool {
    switch resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
    // What json_extract says of the text of a row.
    case .SQLITE_ERROR: message == "malformed JSON"
    default: false
    }
  }
}
