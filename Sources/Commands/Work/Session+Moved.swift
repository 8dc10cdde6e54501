import SyncEngine
import SyncModel
import Workspace

extension Problem {
  /// The item's file was renamed by hand, which must be undone first.
  static func moved(_ key: ItemKey, to file: InvalidItem) -> Problem {
    Problem(
      .usage, "the file of \(key) was renamed to \(place: file.place)",
      hints: file.hint.map { ["to undo the rename: \($0)"] } ?? [])
  }
}

extension Session {
  /// Returns the failure if a rename by hand moved the item's file, or put another in its place.
  func moved(_ target: Target) throws -> Problem? {
    var here = target.misnamedFile
    if let key = target.key, case .invalid(let invalid) = try workspace.client(key) {
      here = invalid
    }
    let other = here?.otherID.map { ItemKey(target.table, $0) }
    guard let key = other ?? target.key, try workspace.client(key) == .absent,
      let file = try workspace.moved(key)
    else { return nil }
    return .moved(key, to: file)
  }
}
