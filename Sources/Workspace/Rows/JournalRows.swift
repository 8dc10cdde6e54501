import SyncEngine
import SyncModel

/// What the lines of a journal add up to: where each base lies, and each arrival that is open.
///
/// The rows that the stat index knows stay where they are, in the mapped index; what came since lies
/// beside them and counts in their stead.
struct JournalRows {
  /// The bases as the index knows them; `nil` where there is no index that fits.
  private(set) var known: IndexedTable?
  /// The bases that came since, or all.
  private(set) var newer = IDMap<JournalEntry>()
  /// The open arrivals; the newest of each id.
  private(set) var arrivals = IDMap<JournalEntry>()
  /// The open writes, the refusals, and which arrivals' rows have other ids than their items.
  var open = OpenLines()
  /// What the lines add up to beside the rows and writes.
  var state = TableState()
  /// How many bases are no tombstones.
  private(set) var liveCount = 0
  /// How many bytes the lines of the bases have.
  private(set) var effectiveBytes = 0

  /// Makes the rows of an empty log.
  init() {}

  /// Makes the rows that the index knows.
  init(_ index: IndexedTable) {
    known = index
    state = index.state
    liveCount = index.liveCount
    effectiveBytes = index.effectiveBytes
    open = index.open
    for place in 0..<index.arrivalCount {
      let entry = index.arrival(place)
      index.withArrivalName(place) { arrivals.set($0, entry) }
    }
  }

  // MARK: Lines

  /// Adds the line of a row that is the base.
  mutating func add(base entry: JournalEntry, _ id: UnsafeRawBufferPointer) {
    if let open = arrivals.place(of: id) { arrivals[open] = nil }
    setBase(entry, id)
  }

  /// Adds the line of a write that is open.
  mutating func add(attempt entry: JournalEntry, _ id: ItemID) { open.attempts[id] = entry }

  /// Adds the line of a refusal.
  mutating func add(refusal entry: JournalEntry, _ id: ItemID) {
    end(id)
    open.refusals[id] = entry
  }

  /// Notes that the write of an item is over.
  mutating func end(_ id: ItemID) {
    open.attempts[id] = nil
    open.refusals[id] = nil
  }

  /// Adds the line of an arrival of an item; with `isOver` it says what that is measured against, and its
  /// row's id is `new` where it is another one.
  mutating func add(
    arrival entry: JournalEntry, isOver: Bool, _ id: UnsafeRawBufferPointer, as new: ItemID? = nil
  ) {
    if let new, let id = ItemID(id) { open.renames[id] = new }
    if isOver {
      var base = entry
      (base.isOver, base.isTombstone) = (true, false)
      setBase(base, id)
    }
    arrivals.set(id, entry)
  }

  /// Sets a base; what was refused was refused over the one before.
  private mutating func setBase(_ entry: JournalEntry, _ id: UnsafeRawBufferPointer) {
    if !open.refusals.isEmpty, let id = ItemID(id) { open.refusals[id] = nil }
    if let former = self.entry(of: id) {
      effectiveBytes -= Int(former.length)
      liveCount -= former.isTombstone ? 0 : 1
    }
    effectiveBytes += Int(entry.length)
    liveCount += entry.isTombstone ? 0 : 1
    newer.set(id, entry)
  }

  /// Removes what stands for the base of an item that gets another id; returns that, `nil` for others.
  private mutating func move(_ id: UnsafeRawBufferPointer) -> ItemID? {
    guard !open.renames.isEmpty, let former = ItemID(id),
      let new = open.renames.removeValue(forKey: former)
    else { return nil }
    removeBase(id)
    state.took(new, from: former)
    return new
  }

  private mutating func removeBase(_ id: UnsafeRawBufferPointer) {
    guard let base = entry(of: id) else { return }
    effectiveBytes -= Int(base.length)
    liveCount -= base.isTombstone ? 0 : 1
    newer.remove(id)
  }

  /// Adds the line that makes arrivals bases: all but those of some ids.
  mutating func take(but ids: Set<ItemID>) {
    let before = arrivals
    arrivals = IDMap()
    // One item's new id may be another's former one.
    var moved: [(ItemID, JournalEntry)] = []
    for place in before.places {
      guard let arrival = before[place] else { continue }
      before.withName(place) { id in
        if !ids.isEmpty, ItemID(id).map(ids.contains) == true {
          arrivals.set(id, arrival)
        } else if let new = move(id) {
          moved.append((new, arrival))
        } else {
          if !state.laid.isEmpty, let id = ItemID(id) { state.took(id) }
          setBase(arrival, id)
        }
      }
    }
    for (id, entry) in moved { id.withBytes { setBase(entry, $0) } }
  }

  /// Adds the line of a row of which nothing is known any more.
  mutating func forget(_ id: ItemID) { id.withBytes { removeBase($0) } }

  // MARK: Looking up

  /// Returns where the base of an id lies; `nil` where none was ever seen.
  func entry(of id: UnsafeRawBufferPointer) -> JournalEntry? {
    if let place = newer.place(of: id) { return newer[place] }
    guard let known, let place = known.place(of: id) else { return nil }
    return known.entry(place)
  }

  /// Gives the id and place of every base.
  func forEach(_ body: (UnsafeRawBufferPointer, JournalEntry) -> Void) {
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

  /// Whether no arrival is open but of these ids.
  func areOpen(noneBut ids: Set<ItemID>) -> Bool {
    arrivals.places.allSatisfy { place in
      arrivals[place] == nil || arrivals.withName(place, ItemID.init).map(ids.contains) == true
    }
  }

  /// Whether these are the ids of all open arrivals of live rows.
  func areLiveArrivals(_ ids: some Collection<ItemID>) -> Bool {
    ids.count == arrivals.places.count { arrivals[$0]?.isTombstone == false }
      && ids.allSatisfy { arrivals[$0]?.isTombstone == false }
  }

  /// How many bytes the lines have that still say something.
  var usefulBytes: Int {
    arrivals.places.reduce(effectiveBytes + open.bytes + 64 * state.marks.all.count) {
      $0 + Int(arrivals[$1]?.length ?? 0)
    }
  }

  // MARK: Fingerprints

  /// Takes note of bytes that mean what a row says that was appended just now.
  mutating func note(_ digest: Digest, of id: ItemID) {
    id.withBytes { bytes in
      if let place = arrivals.place(of: bytes), arrivals[place] != nil {
        arrivals[place]?.digest = digest
      } else if let place = newer.place(of: bytes) {
        newer[place]?.digest = digest
      }
    }
  }

  /// Takes note of bytes that were found to mean what a base says; returns the row's place
  /// in ``newer``, which it has from now on.
  mutating func learn(_ digest: Digest, of id: ItemID, at entry: JournalEntry) -> Int {
    var entry = entry
    entry.digest = digest
    return id.withBytes { bytes in
      newer.set(bytes, entry)
      return newer.place(of: bytes) ?? 0
    }
  }
}
