import SyncModel

/// A table as the next index shall know it.
struct TableImage {
  /// A base, or an arrival.
  private enum Line {
    case known(Int, stamp: FileStamp?, hasFile: Bool)
    case new(Int, stamp: FileStamp?, hasFile: Bool)
    case arrival(Int)
  }

  /// The table's journal.
  let base: Journal
  /// The device that the files lie on.
  let device: Int
  /// The stamp of their directory, if all files there are those of rows that have one.
  private(set) var directory: FileStamp?
  private var lines: [Line] = []
  /// How many of them are bases.
  private(set) var count = 0

  /// Brings together what the log says now and what a walk has found out, which may be older.
  init(of base: Journal, walk: TableWalk?) {
    self.base = base
    device = walk?.device ?? base.rows.known?.device ?? 0
    directory = walk == nil ? base.rows.known?.directory : walk?.settled
    let isDeviceKnown = device == base.rows.known?.device
    var isTaken = [Bool](repeating: false, count: base.rows.newer.places.count)
    lines.reserveCapacity(
      (base.rows.known?.count ?? 0) + base.rows.newer.count + base.rows.arrivals.count)
    for row in walk?.rows ?? Self.indexed(base) {
      // What was read may be of a row that came after the walk: a push has brought it to the server.
      var read: (stamp: FileStamp, digest: Digest)?
      if case .new(let place) = row.stamp { read = walk?.stamps[Int(place)] }
      var newer: Int?
      switch row.place {
      case .known(let place):
        guard let known = base.rows.known else { continue }
        newer = base.rows.newer.place(of: known.name(Int(place)))
        guard newer == nil else { break }
        let entry = known.entry(Int(place))
        var stamp = read?.digest == entry.digest ? read?.stamp : nil
        if row.stamp == .asIndexed, isDeviceKnown, known.flags(Int(place)).contains(.stamped) {
          stamp = known.stamp(Int(place))
        }
        lines.append(.known(Int(place), stamp: stamp, hasFile: row.hasFile))
        continue
      case .new(let place): newer = Int(place)
      case .none(let place):
        newer = walk.flatMap { $0.unknown[Int(place)].withBytes(base.rows.newer.place(of:)) }
      }
      guard let newer, !isTaken[newer], let entry = base.rows.newer[newer] else {
        if row.hasFile { directory = nil }
        continue
      }
      isTaken[newer] = true
      lines.append(
        .new(
          newer, stamp: read?.digest == entry.digest ? read?.stamp : nil, hasFile: row.hasFile))
    }
    for place in base.rows.newer.places where !isTaken[place] && base.rows.newer[place] != nil {
      lines.append(.new(place, stamp: nil, hasFile: false))
    }
    count = lines.count
    for place in base.rows.arrivals.places where base.rows.arrivals[place] != nil {
      lines.append(.arrival(place))
    }
  }

  private static func indexed(_ base: Journal) -> [TableWalk.Row] {
    (0..<UInt32(base.rows.known?.count ?? 0)).map {
      TableWalk.Row(
        place: .known($0), stamp: .asIndexed,
        hasFile: base.rows.known?.flags(Int($0)).contains(.file) == true)
    }
  }

  /// How many arrivals are open.
  var arrivalCount: Int { lines.count - count }

  /// Gives every row's id, where it lies, its file's stamp, and whether it has one.
  func forEach(
    _ body: (UnsafeRawBufferPointer, JournalEntry, FileStamp?, Bool)
      throws(WorkspaceError) -> Void
  ) throws(WorkspaceError) {
    for line in lines {
      switch line {
      case .known(let place, let stamp, let hasFile):
        guard let known = base.rows.known else { continue }
        try body(known.name(place), known.entry(place), stamp, hasFile)
      case .new(let place, let stamp, let hasFile):
        guard let entry = base.rows.newer[place] else { continue }
        try base.rows.newer.withName(place) { (id) throws(WorkspaceError) in
          try body(id, entry, stamp, hasFile)
        }
      case .arrival(let place):
        guard let open = base.rows.arrivals[place] else { continue }
        try base.rows.arrivals.withName(place) { (id) throws(WorkspaceError) in
          try body(id, open, nil, false)
        }
      }
    }
  }
}
