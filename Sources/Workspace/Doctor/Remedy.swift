package import SyncModel

/// How a finding is mended.
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
  case closeIntent(ItemKey)

  /// What is done, in words for people: what it means for their items, too.
  package var words: String {
    switch self {
    case .finish: "finishes what a stopped command left, as every command does that writes"
    case .close: "closes it to other users"
    case .salvageJournal:
      """
      keeps the records that can be read, and the damaged file in the trash; a change whose record is \
      lost is found again by comparing, and a write that was on its way is settled by asking the server
      """
    case .forget:
      """
      moves it to the trash, so that the next pull reads everything; items that are as on the server \
      stay as they are, changes not pushed yet become conflicts, and deletes not pushed yet come back
      """
    case .beginHistory: "moves it to the trash; nothing depends on it"
    case .forgetState:
      "moves it to the trash; the next exchange learns from the server what was in it"
    case .dropIndex: "removes it; it is only a cache"
    case .clear(let place) where Text(place) == Text(Layout.trash):
      "gives it another name, beside which there is a trash again"
    case .clear, .discard, .keepSide: "moves it to the trash"
    case .layConflict: "lays it down again"
    case .closeIntent:
      "closes it, without sending anything; the change, if it stands, is pending again"
    }
  }
}
