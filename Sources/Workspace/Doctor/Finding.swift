package import SyncEngine

/// A finding of the doctor: a problem in a workspace, or a note for its user.
package struct Finding: Equatable, Sendable {
  /// An invariant of a workspace, with its number.
  package enum Invariant: Int, CaseIterable, Sendable {
    /// Every line of the journal is as it was written, is the next one, and holds a known record.
    case journalLines = 1
    /// An open write says what it sends, and is guarded by a version unless it is an insert.
    case attempts = 3
    /// No item has both an open conflict and an open write.
    case conflictOrAttempt
    /// Every row in effect can be read, and is the one that it is looked up as.
    case baseRows
    /// A file's name is the one name of its id, or its table.
    case names
    /// An item's file is an item, and its id is its name's.
    case items
    /// An open conflict has its files, and files of a conflict have one that is open.
    case conflicts
    /// What the index says of items and rows is what their bytes say.
    case index
    /// No delta token is later than every row that is known.
    case token
    /// There is no temporary file, and no file that is empty or all NUL.
    case leftovers
    /// Files and directories are what they are made as: the owner's own, closed to others, no links.
    case modes
    /// Settings and state can be read.
    case state
    /// What the history says is in the trash is there, as it was.
    case history
  }

  /// The severity of a finding.
  package enum Gravity: String, CaseIterable, Sendable {
    /// Nothing need be done.
    case note
    /// Nothing is lost, and ``Finding/remedy`` mends it.
    case mendable
    /// To go on could harm.
    case unsafe
    /// Something of tsync's own was destroyed.
    case damage
  }

  /// What doesn't hold.
  package let invariant: Invariant
  /// The path, relative to `.todosync`.
  package let place: String
  /// The line in the file, from 1; `nil` where it is about no line.
  package let line: Int?
  /// The column in the line, in bytes from 1; `nil` where it is about none.
  package let column: Int?
  /// The fact, in words for people: lower case, no period.
  package let fact: String
  /// How grave it is.
  package let gravity: Gravity
  /// What `tsync doctor --fix` does about it; `nil` where it does nothing.
  package let remedy: Remedy?
  /// What its user can do about it; `nil` where that isn't known.
  package let hint: Hint?

  /// Makes a finding.
  package init(
    _ invariant: Invariant, at place: String, line: Int? = nil, column: Int? = nil, _ fact: String,
    _ gravity: Gravity, _ remedy: Remedy? = nil, hint: Hint? = nil
  ) {
    self.invariant = invariant
    self.place = place
    self.line = line
    self.column = column
    self.fact = fact
    self.gravity = gravity
    self.remedy = remedy
    self.hint = hint
  }
}

extension Finding.Invariant: CustomStringConvertible {
  /// Its code in tsync-json(5): `I1`.
  package var description: String { "I\(rawValue)" }
}
