import SyncEngine
import SyncModel
import Workspace

extension Failure {
  /// That nothing can be done about an item before its file, which was moved by hand, is back, or the
  /// moving is finished.
  static func moved(_ key: ItemKey, to file: InvalidItem, isInConflict: Bool = false) -> Failure {
    var hints: [Hint] = []
    if key.id.text.bytes.first != UInt8(ascii: "-") {
      hints.append("take it back: \(typed: "mv", "\(key)", "\(key.id)")")
    }
    // What is in conflict has to be resolved under its own id.
    if !isInConflict { hints.append("or finish it: \(typed: "mv", "\(key)", "NEWID")") }
    return .usage("the file of \(key) was renamed to \(file.place)", hints: hints)
  }
}

extension OpenWorkspace {
  /// Returns why an item, or the file that lies under its name, has to be left alone: its own file was
  /// moved by hand, or it is to that place that another item's was; `nil` where neither is so.
  func moved(_ referent: Referent, _ claims: inout Claims) throws -> Failure? {
    var here = referent.stray
    if let key = referent.key, case .invalid(let invalid) = try workspace.client(key) {
      here = invalid
    }
    let claimed = here?.claims.map { ItemKey(referent.table, $0) }
    guard let key = claimed ?? referent.key, try workspace.client(key) == .absent,
      let file = try workspace.moved(key, &claims)
    else { return nil }
    return .moved(key, to: file, isInConflict: workspace.journal.conflicts[key] != nil)
  }

  /// Returns why the file under an item's name can't be removed as that item's: it is another's, under
  /// whose name lies a third's, or this one's; `nil` where it isn't so.
  func exchanged(_ referent: Referent) throws -> Failure? {
    guard let key = referent.key, case .invalid(let file) = try workspace.client(key),
      let other = file.claims.map({ ItemKey(key.table, $0) }),
      case .invalid(let its) = try workspace.client(other), its.claims != nil
    else { return nil }
    // Of what was never sent there is no row to put in its place.
    let areKnown = try [key, other].allSatisfy { try workspace.base(of: $0).item != nil }
    return .usage(
      "\(file.place) is the file of \(other)",
      hints: [
        its.claims == key.id && areKnown
          ? "put both right: \(typed: "restore", "\(key)", "\(other)")"
          : "give each file the name of the id in it"
      ])
  }
}
