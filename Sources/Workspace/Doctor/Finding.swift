package import SyncEngine
package import SyncModel

/// A finding of the doctor: a fault of a workspace, or a note for its user.
package struct Finding: Equatable, Sendable {
  /// The severity of a finding.
  package enum Gravity: String, CaseIterable, Sendable {
    /// Nothing need be done.
    case note
    /// To go on could harm.
    case unsafe
    /// Something of tsync's own was destroyed.
    case damage
  }

  /// The path, relative to `.todosync`.
  package let place: String
  /// The line in the file, from 1; `nil` where it is about no line.
  package var line: Int?
  /// The column in the line, in bytes from 1; `nil` where it is about none.
  package var column: Int?
  /// The fact, in words for people: lower case, no period.
  package let fact: String
  /// How grave it is.
  package let gravity: Gravity
  /// What `tsync doctor --fix` does about it; `nil` where it does nothing.
  package var remedy: Remedy?
  /// What its user can do about it; `nil` where that isn't known.
  package var way: Way?
  /// What was done about it, and where that is which was displaced; `nil` where it is still so.
  package var deed: String?
}

extension Finding {
  /// What a user can do about a finding.
  package enum Way: Equatable, Sendable {
    /// To mend a file that is no item.
    case mend(InvalidItem)
    /// To mend the side of a conflict, or to remove it.
    case mendSide(InvalidItem)
    /// To restore an item, whose row is live or deleted.
    case restore(ItemKey, isLive: Bool)
    /// To restore all items whose files are missing.
    case restoreMissing
    /// To edit the settings.
    case editSettings
    /// To set the server's address.
    case setAddress
  }
}

/// The way in which `tsync doctor --fix` fixes a finding.
///
/// No remedy removes a byte of the user's: what is displaced goes to the trash.
package enum Remedy: Hashable, Sendable {
  /// A table's journal goes to the trash, its rows and tokens with it; what stands by itself is kept.
  case salvage(TableName)
  /// `state.json` goes to the trash; the server tells it again.
  case forgetState

  /// What is done, in words for people: what it means for their items, too.
  package var words: String {
    switch self {
    case .salvage:
      """
      moves it to the trash, but keeps the writes without an answer; the next pull reads all rows, \
      and changes not pushed become conflicts
      """
    case .forgetState: "moves it to the trash; the next exchange gets its contents from the server"
    }
  }
}
