package import SyncEngine
package import SyncModel

/// One conflict, for which files of other names are looked at anew.
extension Resolve {
  /// Returns a conflict as it now is.
  package func current(_ key: ItemKey, on disk: some Disk) throws -> Conflict {
    var claims = Claims()
    return try current(key, on: disk, claims: &claims)
  }

  /// Settles a conflict.
  package func settle(
    _ key: ItemKey, _ conflict: Conflict, by choice: Choice, on disk: inout some Disk
  ) throws {
    var claims = Claims()
    try settle(key, conflict, by: choice, on: &disk, claims: &claims)
  }
}
