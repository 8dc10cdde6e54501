import SyncEngine
import SyncModel

extension InvalidItem {
  /// Returns what is wrong with a file that lies in the place of an item that the server has and says
  /// another id, with a way that works as things are.
  ///
  /// - Throws: ``WorkspaceError``.
  func advised(
    as key: ItemKey, in directory: Directory, _ base: BaseLog
  ) throws(WorkspaceError) -> InvalidItem {
    guard let claims, hint != nil, try base.base(of: key.id).item != nil else { return self }
    var advised = self
    let other = ItemKey(key.table, claims)
    guard case .absent = try FileReading(Layout.file(of: other), in: directory, limit: 0) else {
      advised.hint = "\(typed: "restore", "\(key)")"
      return advised
    }
    guard try base.base(of: claims).item != nil else { return self }
    advised.hint =
      claims.text.bytes.first == UInt8(ascii: "-")
      ? "\(typed: "restore", "\(key)")"
      : "\(typed: "mv", "\(other)", "\(claims)")"
    return advised
  }
}
