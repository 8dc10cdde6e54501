import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// Finds the items of a table that differ from their bases, by one walk through their directory.
///
/// The walk meets the files in the order in which the index has them, so that nothing needs to be
/// looked up: a file whose stamp is the index's is as its base says, and is not opened. Of any other
/// file the bytes are read; if their fingerprint isn't one that is known to mean what the row says,
/// they are parsed and compared with the row.
struct Scanner {
  /// What may differ from its base.
  private(set) var candidates: [Candidate] = []
  /// What was found out about the files that don't.
  private(set) var walk: TableWalk

  private let base: Journal
  private let known: IndexedTable?
  private let directory: Directory?
  private let time: Int64
  private let former: TableWalk?
  private var isSeen: [Bool]
  private var isNewSeen: [Bool]
  /// The place in the index that the next file is expected to be at.
  private var next = 0
  /// How many files were met elsewhere than expected.
  private var strays = 0
  private var trustsStamps = false
  /// Whether there are files that are of no row, or of which nothing is known.
  private var hasOthers = false

  /// Makes a scanner of a table.
  ///
  /// - Parameters:
  ///   - base: The table's rows.
  ///   - directory: The directory of the table's items; `nil` where there is none.
  ///   - former: The walk before this one, by the same command.
  ///   - time: The time in nanoseconds since 1970.
  init(of base: Journal, in directory: Directory?, after former: TableWalk? = nil, at time: Int64) {
    self.former = former
    self.base = base
    known = base.rows.known
    self.directory = directory
    self.time = time
    walk = TableWalk(generation: base.generation)
    isSeen = [Bool](repeating: false, count: base.rows.known?.count ?? 0)
    isNewSeen = [Bool](repeating: false, count: base.rows.newer.places.count)
  }

  /// Walks.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, a damaged row.
  mutating func run() throws(WorkspaceError) {
    walk.rows.reserveCapacity(isSeen.count + isNewSeen.count)
    if let directory {
      let status = try directory.status()
      walk.device = Int(truncatingIfNeeded: status.st_dev)
      walk.stamp = FileStamp(status)
      trustsStamps = known?.device == walk.device
      if trustsStamps, let known, known.directory == walk.stamp {
        try visit(known, in: directory)
        walk.settled = hasOthers ? nil : walk.stamp
      } else {
        try DirectoryEntries.forEach(in: directory) { (name) throws(WorkspaceError) in
          try visit(name, in: directory)
        }
        if let stamp = walk.stamp, !hasOthers, stamp.isSettled(by: time),
          KnownFiles.areTold(by: directory)
        {
          (walk.settled, walk.isNews) = (stamp, true)
        }
      }
    }
    addMissing()
    if strays > 64, strays * 16 > isSeen.count { walk.isNews = true }
    let found = candidates
    candidates = found.indices.sorted { Self.precedes(found[$0], found[$1]) }.map { found[$0] }
  }

  /// Whether a candidate stands before another one: by their ids; those without one last.
  private static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
    switch (left.key, right.key) {
    case (let one?, let other?): one < other
    case (nil, nil): left.modified < right.modified
    case (let one, _): one != nil
    }
  }

  /// Visits the files that the index knows, where they are all that there are.
  private mutating func visit(
    _ known: IndexedTable, in directory: Directory
  ) throws(WorkspaceError) {
    let isSame = try KnownFiles.areSame(known, in: directory, on: walk.device)
    for place in 0..<known.count where known.flags(place).contains(.file) {
      let id = known.name(place)
      if isSame[place], base.rows.newer.places.isEmpty || base.rows.newer.place(of: id) == nil {
        addAsIndexed(place)
      } else if let key = ItemID(id).map({ ItemKey(base.table, $0) }) {
        try Array(Layout.file(of: key).utf8CString).withUnsafeBufferPointer {
          (name) throws(WorkspaceError) in
          let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: name.dropLast()))
          try visit(bytes, in: directory, known: place, id: id)
        }
      }
    }
  }

  private mutating func addAsIndexed(_ place: Int) {
    isSeen[place] = true
    walk.rows.append(TableWalk.Row(place: .known(UInt32(place)), stamp: .asIndexed))
  }

  // MARK: One file

  private mutating func visit(
    _ name: UnsafeRawBufferPointer, in directory: Directory
  ) throws(WorkspaceError) {
    let count = name.count - Self.suffixLength
    guard count > 0, name[0] != UInt8(ascii: "."),
      name.loadUnaligned(fromByteOffset: count, as: UInt32.self) == Self.suffixStart,
      name[name.count - 1] == UInt8(ascii: "n")
    else { return }
    let stem = UnsafeRawBufferPointer(rebasing: name[..<count])
    if let place = expected(stem) {
      try visit(name, in: directory, known: place, id: stem)
    } else if PlainName.isPlain(stem) {
      try visit(name, in: directory, id: stem)
    } else {
      switch ItemFile.Name(of: name, in: base.table) {
      case .ignored: return
      case .item(let id):
        try id.text.bytes.withUnsafeBufferPointer { (id) throws(WorkspaceError) in
          try visit(name, in: directory, id: UnsafeRawBufferPointer(id))
        }
      case .invalid(let invalid):
        hasOthers = true
        guard let status = self.status(of: name, in: directory) else { return }
        let advised = try invalid.advised(as: nil, in: directory, base)
        candidates.append(
          Candidate(
            key: nil, client: .invalid(advised), modified: FileStamp(status).modified))
      }
    }
  }

  /// Returns the place in the index of a file that is met where it is expected.
  private mutating func expected(_ stem: UnsafeRawBufferPointer) -> Int? {
    guard let known else { return nil }
    for place in next..<min(next + Self.window, known.count) {
      if known.name(place).isSame(as: stem), known.flags(place).contains(.plainName) {
        next = place + 1
        return place
      }
    }
    return nil
  }

  /// Visits a file that was not met where it was expected.
  private mutating func visit(
    _ name: UnsafeRawBufferPointer, in directory: Directory, id: UnsafeRawBufferPointer
  ) throws(WorkspaceError) {
    if let place = known?.place(of: id) {
      next = place + 1
      strays += 1
      try visit(name, in: directory, known: place, id: id)
    } else if let place = base.rows.newer.place(of: id), let entry = base.rows.newer[place] {
      try check(name, in: directory, id: id, row: (.new(UInt32(place)), entry))
    } else {
      try check(name, in: directory, id: id, row: nil)
    }
  }

  private mutating func visit(
    _ name: UnsafeRawBufferPointer, in directory: Directory, known place: Int,
    id: UnsafeRawBufferPointer
  ) throws(WorkspaceError) {
    guard let known else { return }
    if !base.rows.newer.places.isEmpty, let newer = base.rows.newer.place(of: id) {
      let entry = base.rows.newer[newer]
      try check(name, in: directory, id: id, row: entry.map { (.new(UInt32(newer)), $0) })
      return
    }
    let flags = known.flags(place)
    if trustsStamps, flags.contains(.stamped), !flags.contains(.tombstone) {
      guard let status = self.status(of: name, in: directory) else { return }
      if FileStamp(status) == known.stamp(place),
        Int(truncatingIfNeeded: status.st_dev) == walk.device
      {
        return addAsIndexed(place)
      }
    }
    try check(name, in: directory, id: id, row: (.known(UInt32(place)), known.entry(place)))
  }

  /// Reads a file, and finds out whether it means what the row says.
  private mutating func check(
    _ name: UnsafeRawBufferPointer, in directory: Directory, id: UnsafeRawBufferPointer,
    row: (place: RowPlace, entry: JournalEntry)?
  ) throws(WorkspaceError) {
    guard let id = ItemID(id) else { return }
    let file = String(decoding: name, as: UTF8.self)
    let live = row.flatMap { $0.entry.isTombstone ? nil : $0 }
    let key = ItemKey(base.table, id)
    var state: ClientState
    var status: stat?
    if let known = former?.state(of: id, in: directory, file) {
      (state, status) = known
    } else {
      let reading = try FileReading(file, in: directory, limit: ItemFile.limit)
      if case .absent = reading { return }
      if let row = live, let digest = row.entry.digest,
        case .file(let bytes, let status) = reading, Digest(of: bytes) == digest
      {
        mark(row.place)
        addClean(row.place, digest, status)
        return
      }
      (state, status) = ItemFile.state(of: reading, as: key, place: directory.place(of: file))
    }
    if let row { mark(row.place) }
    if case .invalid(let invalid) = state {
      state = .invalid(try invalid.advised(as: key, in: directory, base))
    }
    if let row = live, case .item(let item, let digest) = state, let status {
      if row.entry.digest == digest { return addClean(row.place, digest, status) }
      let known = try base.row(at: row.entry, as: id)
      if known.item == item {
        let place = base.learn(digest, of: id, at: row.entry)
        if place == isNewSeen.count { isNewSeen.append(true) }
        walk.isNews = true
        return addClean(.new(UInt32(place)), digest, status)
      }
      return addChanged(key, state, over: Base(known), at: row.place, status)
    }
    addChanged(
      key, state, over: nil, at: row?.place, status ?? self.status(of: name, in: directory))
  }

  private mutating func addChanged(
    _ key: ItemKey, _ state: ClientState, over base: Base?, at place: RowPlace?, _ status: stat?
  ) {
    let modified = status.map { FileStamp($0).modified }
    candidates.append(Candidate(key: key, client: state, modified: modified ?? 0, base: base))
    var row = TableWalk.Row(
      place: place ?? .none(UInt32(walk.unknown.count)), stamp: place == nil ? .none : .asIndexed)
    if place == nil {
      walk.unknown.append(key.id)
      hasOthers = true
    }
    if case .item(let item, let digest) = state, let status {
      let stamp = settled(status)
      if let stamp { row.stamp = keep(stamp, digest) }
      walk.readings[key.id] = TableWalk.Reading(stamp: stamp, item: item, digest: digest)
    }
    walk.rows.append(row)
  }

  private mutating func mark(_ place: RowPlace) {
    switch place {
    case .known(let place): isSeen[Int(place)] = true
    case .new(let place): isNewSeen[Int(place)] = true
    case .none: break
    }
  }

  private mutating func addClean(_ place: RowPlace, _ digest: Digest, _ status: stat) {
    guard let stamp = settled(status) else {
      walk.rows.append(TableWalk.Row(place: place, stamp: .none))
      return
    }
    walk.isNews = true
    walk.rows.append(TableWalk.Row(place: place, stamp: keep(stamp, digest)))
  }

  /// Returns the stamp of a file, where a later change of it is bound to show in that.
  private func settled(_ status: stat) -> FileStamp? {
    let stamp = FileStamp(status)
    return stamp.isSettled(by: time) && Int(truncatingIfNeeded: status.st_dev) == walk.device
      ? stamp : nil
  }

  private mutating func keep(_ stamp: FileStamp, _ digest: Digest) -> TableWalk.Stamp {
    walk.stamps.append((stamp, digest))
    return .new(UInt32(walk.stamps.count - 1))
  }

  // MARK: Files that are not there

  private mutating func addMissing() {
    if let known {
      for place in isSeen.indices where !isSeen[place] {
        let name = known.name(place)
        if !base.rows.newer.places.isEmpty, base.rows.newer.place(of: name) != nil { continue }
        walk.rows.append(
          TableWalk.Row(place: .known(UInt32(place)), stamp: .asIndexed, hasFile: false))
        if !known.flags(place).contains(.tombstone) { addAbsent(name) }
      }
    }
    for place in isNewSeen.indices where !isNewSeen[place] {
      guard let entry = base.rows.newer[place] else { continue }
      walk.rows.append(TableWalk.Row(place: .new(UInt32(place)), stamp: .none, hasFile: false))
      if !entry.isTombstone { base.rows.newer.withName(place) { addAbsent($0) } }
    }
  }

  private mutating func addAbsent(_ name: UnsafeRawBufferPointer) {
    guard let id = ItemID(name) else { return }
    candidates.append(Candidate(key: ItemKey(base.table, id), client: .absent, modified: 0))
  }

  // MARK: Details

  private mutating func status(
    of name: UnsafeRawBufferPointer, in directory: Directory
  ) -> stat? {
    var status = stat()
    let start = name.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let start,
      fstatat(directory.descriptor.rawValue, start, &status, AT_SYMLINK_NOFOLLOW) == 0
    else {
      // There may be a file all the same: nothing is known of the directory as a whole.
      hasOthers = true
      return nil
    }
    return status
  }

  /// How far ahead of the expected place a name is looked for before it is looked up.
  private static let window = 4
  private static let suffixLength = 5  // ".json"
  private static let suffixStart = UInt32(littleEndian: 0x6F73_6A2E)  // ".jso"
}
