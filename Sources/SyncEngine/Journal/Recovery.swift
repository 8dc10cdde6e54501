package import SyncModel

/// The recovery after an interrupted run, which needs no network.
///
/// A write whose outcome is unknown stays so: the next push settles it.
package enum Recovery {
  /// Recovers tables, at the start of every command that changes something.
  ///
  /// Each step can be cut off anywhere and done again.
  ///
  /// - Returns: What is to be told, and the conflicts that a stopped command had resolved.
  package static func run(
    _ tables: [TableName], on disk: inout some Disk, settings: Settings
  ) throws -> (events: [Event], resolved: [ItemKey]) {
    // What is acted upon now may have been recorded a moment before its process was stopped.
    try disk.append([], durably: true)
    let resolved = try disk.finishResolved()
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
    return (events, resolved)
  }
}
