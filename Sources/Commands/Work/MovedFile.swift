import SyncEngine
import SyncModel
import Workspace

extension Failure {
  /// That nothing can be done about an item whose file was renamed by hand, before that is undone.
  static func moved(_ key: ItemKey, to file: InvalidItem) -> Failure {
    .usage(
      "the file of \(key) was renamed to \(file.place)",
      hints: file.hint.map { ["to undo the rename: \($0)"] } ?? [])
  }
}

extension OpenWorkspace {
  /// Returns why an item, or the file that is under its name, has to be left alone: its own file was
  /// renamed by hand, or another item's was to that name; `nil` where neither is so.
  func moved(_ referent: Referent, _ claims: inout Claims) throws -> Failure? {
    var here = referent.stray
    if let key = referent.key, case .invalid(let invalid) = try workspace.client(key) {
      here = invalid
    }
    let claimed = here?.claims.map { ItemKey(referent.table, $0) }
    guard let key = claimed ?? referent.key, try workspace.client(key) == .absent,
      let file = try workspace.moved(key, &claims)
    else { return nil }
    return .moved(key, to: file)
  }
}
