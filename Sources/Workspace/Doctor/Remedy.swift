package import SyncModel

/// The way in which `tsync doctor --fix` fixes a finding.
///
/// No remedy removes a byte of the user's: what is displaced goes to the trash.
package enum Remedy: Hashable, Sendable {
  /// What a stopped command left is finished, as any command that writes does first.
  case finish
  /// Others lose their right to a file or directory of tsync's own.
  case close(place: String)
  /// The journal is written anew with the records that can be read; the damaged one is kept whole.
  case salvageJournal
  /// A table's base log goes to the trash, its rows and token with it.
  case forget(TableName)
  /// The history goes to the trash; the next command begins another one.
  case beginHistory
  /// `state.json` goes to the trash; the server tells it again.
  case forgetState
  /// The index, a cache, is removed.
  case dropIndex
  /// What lies in the place of a file or directory of tsync's own, and is none, goes to the trash.
  case clear(place: String)
  /// A file that nobody needs goes to the trash.
  case discard(place: String)
  /// The files of an open conflict are laid down again, from the journal and the base.
  case layConflict(ItemKey)
  /// A file of a conflict that is not open goes to the trash.
  case keepSide(place: String)
  /// An open write is closed; should its change still stand, it is pending again.
  case closeAttempt(ItemKey)

  /// What is done, in words for people: what it means for their items, too.
  package var words: String {
    switch self {
    case .finish: "completes the interrupted command, as the next command that writes would"
    case .close: "removes the access of other users"
    case .salvageJournal:
      """
      keeps the readable records, and moves the damaged file to the trash; the next command finds \
      changes by comparing
      """
    case .forget:
      """
      moves it to the trash, but keeps the writes without an answer; the next pull reads all rows: items that are equal on the server stay \
      as they are, changes not pushed become conflicts, and items deleted but not pushed come back
      """
    case .beginHistory: "moves it to the trash; nothing depends on it"
    case .forgetState:
      "moves it to the trash; the next exchange gets its contents from the server"
    case .dropIndex: "removes it; it is only a cache"
    case .clear(let place) where Text(place) == Text(Layout.trash):
      "renames it, and makes a new trash"
    case .clear, .discard, .keepSide: "moves it to the trash"
    case .layConflict: "writes it again"
    case .closeAttempt:
      "closes it, and sends nothing; if the item still differs, the change is pending again"
    }
  }
}
