package import SyncModel

/// The reason why an exchange stopped early; nothing is lost.
package enum Stop: Error, Equatable, Sendable {
  /// The server can't be reached, or the connection broke, in words for people.
  case unreachable(String)
  /// The server asks to wait until later; seconds, where it said.
  case busy(status: Int, seconds: Int?)
  /// The server wants to know who asks, or forbids it.
  case unauthorized(Refusal)
  /// What answers does not speak the protocol, in words for people.
  case notSpeaking(String, Sign? = nil)
  /// What answers is no server of tables, such as a login page, in words for people.
  case elsewhere(String, Sign? = nil)
  /// The server has no such table; it may have others.
  case noTable(TableName)
  /// To go on could harm.
  case unsafe(Danger)

  /// What an answer shows of who gave it.
  package enum Sign: Equatable, Sendable {
    /// The server speaks this dialect; `nil` where the rows do not show which.
    case dialect(Text?)
    /// The server has moved to this address.
    case moved(to: String)
    /// It is an HTML page.
    case page
    /// The server speaks TLS, at this address.
    case tls(at: String)
    /// The server does not speak TLS, and may be at this address.
    case noTLS(at: String)
  }
}

/// What would do damage if a pull or push went on.
package enum Danger: Equatable, Sendable {
  /// No pull has read the rows of a table, and new items may be there already.
  case notPulled(TableName)
  /// The server has only so many of the known items of a table.
  case otherData(Int, of: Int, in: TableName)
  /// So many of a table's items would be removed: deletes of the server's, and items that are `leaving` their
  /// queries. The command shows them, or not.
  case removals(deletes: Int, leaving: Int, of: Int, in: TableName, areShown: Bool)
  /// The server doesn't have so many of the rows that a push would change.
  case rowsAreGone(Int, of: Int)
  /// The server lacks rows that are known, or has them in states from before; `accepting` is how many a full
  /// pull would take back.
  case wentBack(accepting: Int? = nil)
  /// The server has another state of a row under the version of the one that is known.
  case renumbered(accepting: Int? = nil)
  /// No command has made these changes.
  case unmeant(Unmeant)
  /// The server at an address has another data set than the workspace, or tells none.
  case otherDataset(Text?, known: Text, address: String)
  /// The token is of another user than the workspace.
  case otherUser(Text, known: Text, address: String)
  /// The server passes over the condition of a query.
  case unfiltered(query: Text?)
}
