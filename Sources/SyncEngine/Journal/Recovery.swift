package import SyncModel

/// The recovery after an interrupted run, which needs no network.
///
/// A write whose outcome is unknown stays so: the next push settles it.
package enum Recovery {
  /// Recovers tables, at the start of every command that changes something.
  ///
  /// Each step can be cut off anywhere and done again.
  ///
  /// - Returns: What is to be told.
  package static func run(
    _ tables: [TableName], on disk: inout some Disk, settings: Settings
  ) throws -> [Event] {
    // What is acted upon now may have been recorded a moment before its process was stopped.
    try disk.append([], durably: true)
    for (key, resolution) in disk.journal.resolutions.sorted(by: { $0.key < $1.key }) {
      do {
        try disk.finish(resolution, of: key)
      } catch is UnwritableItem {}  // the conflict stays open
    }
    // What was edited or made since is its user's.
    for table in disk.journal.purges.sorted() { try disk.finishPurge(of: table, edits: false) }
    var events: [Event] = []
    for table in tables {
      // A file that is there was not removed, whoever put it there.
      let marks = try disk.marks(in: table)
      let back = try marks.all.keys.sorted().filter {
        try marks.isRemoved($0) && disk.client(ItemKey(table, $0)) != .absent
      }
      if !back.isEmpty { try disk.append(back.map { .marked($0, nil) }, to: table, durably: false) }
      events += try disk.takeArrivals(in: table, settings: settings).events
    }
    return events
  }
}
