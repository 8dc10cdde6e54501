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
  /// - Throws: What reading and writing items and rows throws.
  package static func run(
    _ tables: [TableName], on disk: inout some Disk, settings: Settings
  ) throws -> [Event] {
    var events: [Event] = []
    for table in tables {
      // A file that is there was not removed, whoever put it there.
      let marks = try disk.state(of: table).marks
      let back = try marks.all.keys.sorted().filter {
        try marks.isRemoved($0) && disk.client(ItemKey(table, $0)) != .absent
      }
      if !back.isEmpty { try disk.append(back.map { .marked($0, nil) }, to: table, durably: false) }
      events += try disk.takeArrivals(in: table, settings: settings).events
    }
    return events
  }
}
