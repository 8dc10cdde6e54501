import SyncModel

/// What the lines of a base log add up to: where each row lies, and which rows are in effect.
///
/// The rows that the stat index knows stay where they are, in the mapped index; what came since lies
/// beside them and counts in their stead.
struct BaseRows {
  /// The rows in effect as the index knows them; `nil` where there is no index that fits.
  private(set) var known: IndexedTable?
  /// The rows in effect that came since, or all.
  private(set) var newer = IDMap<BaseLogEntry>()
  /// The rows that are not in effect; the newest of each id.
  private(set) var incoming = IDMap<IncomingEntry>()
  /// How far the table's pulls have come.
  private(set) var token: DeltaToken?
  /// The number of the last commit.
  private(set) var commitNumber = 0
  /// How many rows are in effect and no tombstones.
  private(set) var liveCount = 0
  /// How many bytes the lines of the rows in effect have.
  private(set) var effectiveBytes = 0

  /// Makes the rows of an empty log.
  init() {}

  /// Makes the rows that the index knows.
  init(_ index: IndexedTable) {
    known = index
    token = index.token
    commitNumber = index.commitNumber
    liveCount = index.liveCount
    effectiveBytes = index.effectiveBytes
    for place in 0..<index.incomingCount {
      let entry = index.incoming(place)
      index.withIncomingName(place) { incoming.set($0, entry) }
    }
  }

  // MARK: Lines

  /// Adds a row's line; `atOnce` says that it is in effect without a commit.
  mutating func add(_ id: UnsafeRawBufferPointer, _ entry: BaseLogEntry, atOnce: Bool) {
    let waiting = incoming.place(of: id)
    if atOnce {
      // It takes the place of the row that waited, too; one that is newer is appended again behind it.
      if let waiting { incoming[waiting] = nil }
      bringIntoEffect(id, entry)
    } else if let waiting {
      incoming[waiting] = IncomingEntry(entry: entry, isHeld: false)
    } else {
      incoming.set(id, IncomingEntry(entry: entry, isHeld: false))
    }
  }

  private mutating func bringIntoEffect(_ id: UnsafeRawBufferPointer, _ entry: BaseLogEntry) {
    if let former = self.entry(of: id) {
      effectiveBytes -= Int(former.length)
      liveCount -= former.isTombstone ? 0 : 1
    }
    effectiveBytes += Int(entry.length)
    liveCount += entry.isTombstone ? 0 : 1
    newer.set(id, entry)
  }

  /// Adds a commit's line: the rows since the commit before it are in effect, but for those held.
  mutating func add(commit number: Int, token: DeltaToken?, held: Set<ItemID>) {
    commitNumber = number
    self.token = token ?? self.token
    let before = incoming
    incoming = IDMap()
    for place in before.places {
      guard var waiting = before[place] else { continue }
      before.withName(place) { id in
        if !waiting.isHeld, !held.isEmpty, let id = ItemID(id), held.contains(id) {
          waiting.isHeld = true
        }
        if waiting.isHeld {
          incoming.set(id, waiting)
        } else {
          bringIntoEffect(id, waiting.entry)
        }
      }
    }
  }

  // MARK: Looking up

  /// Returns where the row of an id in effect lies; `nil` where none was ever seen.
  func entry(of id: UnsafeRawBufferPointer) -> BaseLogEntry? {
    if let place = newer.place(of: id) { return newer[place] }
    guard let known, let place = known.place(of: id) else { return nil }
    return known.entry(place)
  }

  /// Gives the id and place of every row in effect.
  func forEach(_ body: (UnsafeRawBufferPointer, BaseLogEntry) -> Void) {
    if let known {
      for place in 0..<known.count where newer.place(of: known.name(place)) == nil {
        body(known.name(place), known.entry(place))
      }
    }
    for place in newer.places {
      guard let entry = newer[place] else { continue }
      newer.withName(place) { body($0, entry) }
    }
  }

  /// The ids of the rows in effect that are no tombstones.
  var liveIDs: [ItemID] {
    var ids: [ItemID] = []
    // The count is the index's, which somebody may have made up.
    ids.reserveCapacity(min(liveCount, (known?.count ?? 0) + newer.count))
    forEach { id, entry in
      if !entry.isTombstone, let id = ItemID(id) { ids.append(id) }
    }
    return ids
  }

  /// The rows since the last commit.
  var uncommitted: [ItemID] {
    incoming.places.compactMap { place in
      incoming[place]?.isHeld == false ? incoming.withName(place, ItemID.init) : nil
    }
  }

  /// How many bytes the lines have that still say something.
  var usefulBytes: Int {
    incoming.places.reduce(effectiveBytes) { $0 + Int(incoming[$1]?.entry.length ?? 0) }
  }

  // MARK: Fingerprints

  /// Takes note of bytes that mean what a row says that was appended just now.
  mutating func note(_ digest: Digest, of id: ItemID) {
    id.withBytes { bytes in
      if let place = incoming.place(of: bytes), incoming[place] != nil {
        incoming[place]?.entry.digest = digest
      } else if let place = newer.place(of: bytes) {
        newer[place]?.digest = digest
      }
    }
  }

  /// Takes note of bytes that were found to mean what a row in effect says; returns the row's place
  /// in ``newer``, which it has from now on.
  mutating func learn(_ digest: Digest, of id: ItemID, at entry: BaseLogEntry) -> Int {
    var entry = entry
    entry.digest = digest
    return id.withBytes { bytes in
      newer.set(bytes, entry)
      return newer.place(of: bytes) ?? 0
    }
  }
}
