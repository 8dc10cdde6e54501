/// Why a database can't serve as a store.
package enum PostgresStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libpq can't be used; the text says why.
  case noLibrary(String)
  /// The URL can't be read.
  case notAURL
  /// The URL has a password in it, which everybody on the machine can see.
  case passwordInURL
  /// The database can't be reached or used; the text is PostgreSQL's.
  case cannotOpen(reason: String)
  /// The database doesn't order texts by their bytes, or isn't in UTF-8.
  case wrongOrder
  /// Another version of tsync-server made the tables.
  case otherFormat

  package var description: String {
    switch self {
    case .noLibrary(let fact): "libpq \(fact): apt-get install libpq5"
    case .notAURL: "--store is not a URL of PostgreSQL, such as postgres://user@host/database"
    case .passwordInURL:
      "the URL of --store contains a password, which other users of this machine can see:"
        + " write it into ~/.pgpass"
    case .cannotOpen(let reason): "cannot open the database: \(reason)"
    case .wrongOrder:
      "the database does not order text by bytes; make it with: createdb --template=template0"
        + " --encoding=UTF8 --locale=C NAME"
    case .otherFormat: "the database was made by another version of tsync-server: use that version"
    }
  }

  /// Whether the command line is wrong, rather than a database.
  package var isOfURL: Bool { self == .notAURL || self == .passwordInURL }
}
