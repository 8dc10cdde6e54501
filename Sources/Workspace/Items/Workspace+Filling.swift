import Glibc
import SyncEngine
package import SyncModel
import SystemPackage

// The first items of a table, which take its place in one step.
extension Workspace {
  package mutating func fill(_ rows: [Row], of table: TableName) throws -> Bool {
    if filling?.table != table { filling = try newFilling(of: table) }
    guard let filling else { return false }
    filling.add(rows)
    // They are many, and asked for only where the filling fails.
    try self.rows.log(of: table).recent = [:]
    return true
  }

  /// Begins to make the first items of a table; `nil` where it has files already, or that can't be done.
  private func newFilling(of table: TableName) throws -> Filling? {
    requireLock()
    let name = "\(Layout.temporary)\(getpid())-\(trash.nextNumber())"
    guard mkdirat(trash.directory.descriptor.rawValue, name, 0o700) == 0 else { return nil }
    let directory = try? trash.directory.child(name)
    // It is going to have another name.
    trash.directory.forget(name)
    let former = try? itemDirectory(of: table)
    // A directory that its user has made another one of stays, as whatever is no directory does.
    func isAsMade(_ directory: Directory, _ new: Directory) throws -> Bool {
      try directory.names().isEmpty && directory.status().st_mode == new.status().st_mode
    }
    guard let directory, former.map({ (try? isAsMade($0, directory)) == true }) != false else {
      trash.directory.removeTree(name)
      return nil
    }
    return Filling(in: directory, named: name, of: table)
  }

  package mutating func endFill(of table: TableName) throws -> Bool {
    guard let filling else { return false }
    self.filling = nil
    let log = try rows.log(of: table)
    // No item may be there before its row is safe.
    try log.append([], durably: true)
    guard let made = try? filling.end(), !made.isEmpty, log.rows.areLiveArrivals(made.keys),
      try take(filling, of: made.count, as: table)
    else {
      trash.directory.removeTree(filling.name)
      for arrival in try log.arrivals() { log.recent[arrival.id] = arrival }
      return false
    }
    for (id, digest) in made { log.rows.note(digest, of: id) }
    history.addFirst(in: table, made.count)
    return true
  }

  /// Puts a directory of the trash in the place of a table's, which is empty or absent; answers whether
  /// that could be done.
  private mutating func take(
    _ filling: Filling, of count: Int, as table: TableName
  ) throws -> Bool {
    guard let items = try root.existingChild(Layout.items) else { return false }
    try root.synchronizeAll()
    let (from, to) = (trash.directory.descriptor.rawValue, items.descriptor.rawValue)
    // Not where somebody has put a file there meanwhile,
    // nor where somebody has removed what was made.
    guard try filling.directory.names().count == count,
      renameat(from, filling.name, to, table.text.string) == 0
    else { return false }
    items.forget(table.text.string)
    try items.synchronize()
    // Where it had both names after a power loss, it would be removed as a leftover.
    try trash.directory.synchronize()
    return true
  }
}
