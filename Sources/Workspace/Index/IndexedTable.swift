import SyncEngine
import SyncModel

/// What the stat index knows of one table, in the mapped file.
///
/// ```
///   entries   48 bytes a row: modified, changed, inode, row's offset (8 bytes each),
///             row's length, file's size, start of the name (4 each), length of the name, flags (2)
///   names     the ids, end to end, filled up to 8
///   digests   16 bytes a row
/// ```
///
/// A checksum covers entries and names; a digest that is damaged is no file's, and does no harm.
///
/// The rows with files stand first, in the order in which the directory was read, so that the next
/// walk meets them in order. Behind all bases stand the open arrivals.
///
/// It is a class because the table for looking up ids is made when it is first needed.
final class IndexedTable {
  /// How many bytes an entry has.
  static let stride = 48
  /// How many bytes a digest has.
  static let digestStride = 16

  /// What is marked in an entry.
  struct Flags: OptionSet {
    let rawValue: UInt16
    /// The row is a tombstone.
    static let tombstone = Flags(rawValue: 1)
    /// A file that has the entry's stamp means what the row says.
    static let stamped = Flags(rawValue: 2)
    /// The file's name is the id and the suffix.
    static let plainName = Flags(rawValue: 4)
    /// The digest stands for bytes that mean what the row says.
    static let digest = Flags(rawValue: 8)
    /// Not the line's row is meant, but what that is measured against.
    static let over = Flags(rawValue: 32)
    /// The item had a file at the last walk.
    static let file = Flags(rawValue: 64)
  }

  /// The table.
  let table: TableName
  /// The generation of the journal that the offsets are of.
  let generation: Text
  /// How far the journal is known.
  let position: LogPosition
  /// What the lines add up to there, beside the rows and writes.
  let state: TableState
  /// How many bases are no tombstones.
  let liveCount: Int
  /// How many bytes the lines of the bases have.
  let effectiveBytes: Int
  /// The device that the files lay on; none where it tells nothing of the stamps of files.
  let device: Int
  /// The stamp of their directory as long as all files there are those that are marked; `nil` where that
  /// isn't known.
  let directory: FileStamp?
  /// How many bases there are.
  let count: Int
  /// How many arrivals are open.
  let arrivalCount: Int
  /// The lines of open writes and of refusals.
  let open: OpenLines

  private let index: StatIndex
  private let entries: UnsafeRawBufferPointer
  private let names: UnsafeRawBufferPointer
  private let digests: UnsafeRawBufferPointer
  private lazy var slots = makeSlots()

  /// Reads a table's part of the index; `nil` where it is not as it was written.
  init?(
    _ table: TableName, _ description: JSONObject, in index: StatIndex,
    _ bytes: UnsafeRawBufferPointer
  ) {
    // What is beyond these bounds nobody has counted; within them sums can't overflow.
    func number(_ name: Text) -> Int? {
      description[name]?.integer.flatMap { (0..<1 << 53).contains($0) ? $0 : nil }
    }
    guard let generation = description["generation"]?.text,
      let offset = number("offset"), let line = number("number"),
      let durable = number("durable"),
      let lineChecksum = number("line").flatMap(UInt32.init(exactly:)),
      let live = number("live"), let bytesInEffect = number("bytes"),
      let device = description["device"]?.integer, let count = number("count"),
      let arrivals = number("arrivals"), let nameBytes = number("names"),
      let checksum = number("checksum")
    else { return nil }
    guard count + arrivals <= bytes.count / Self.stride, nameBytes <= bytes.count else {
      return nil
    }
    let entryEnd = (count + arrivals) * Self.stride
    let nameEnd = entryEnd + StatIndex.padded(nameBytes)
    let digestEnd = nameEnd + (count + arrivals) * Self.digestStride
    guard digestEnd <= bytes.count,
      Int(Checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<nameEnd])).value) == checksum
    else { return nil }
    self.table = table
    self.generation = generation
    position = LogPosition(
      offset: offset, number: line, durable: durable, checksum: lineChecksum)
    var state = TableState()
    for line in description["state"]?.elements ?? [] {
      if let fact = line.object.flatMap({ JournalLine.fact($0, of: table) }) { state.add(fact) }
    }
    self.state = state
    liveCount = live
    effectiveBytes = bytesInEffect
    self.device = index.isOfThisBoot ? device : -1
    directory = index.isOfThisBoot ? FileStamp(description["directory"]) : nil
    self.count = count
    arrivalCount = arrivals
    open = OpenLines(
      attempts: Self.lines(description["attempts"]), refusals: Self.lines(description["refusals"]),
      renames: Self.renames(description["renames"]))
    self.index = index
    entries = UnsafeRawBufferPointer(rebasing: bytes[..<entryEnd])
    names = UnsafeRawBufferPointer(rebasing: bytes[entryEnd..<entryEnd + nameBytes])
    digests = UnsafeRawBufferPointer(rebasing: bytes[nameEnd..<digestEnd])
  }

  private static func ids(_ list: JSON?) -> [ItemID] {
    (list?.elements ?? []).compactMap { $0.text.flatMap { try? ItemID($0) } }
  }

  /// Reads which ids stand for others, `["a","b"]` each.
  private static func renames(_ list: JSON?) -> [ItemID: ItemID] {
    let pairs = (list?.elements ?? []).compactMap { pair -> (ItemID, ItemID)? in
      let ids = ids(pair)
      return ids.count == 2 ? (ids[0], ids[1]) : nil
    }
    return Dictionary(pairs, uniquingKeysWith: { $1 })
  }

  /// Reads the places of lines, `["a",offset,length]` each.
  private static func lines(_ list: JSON?) -> [ItemID: JournalEntry] {
    let lines = (list?.elements ?? []).compactMap { line -> (ItemID, JournalEntry)? in
      guard let parts = line.elements, parts.count == 3, let text = parts[0].text,
        let id = try? ItemID(text), let offset = parts[1].integer,
        let length = parts[2].integer.flatMap(UInt32.init(exactly:))
      else { return nil }
      return (id, JournalEntry(offset: offset, length: length, isTombstone: false, digest: nil))
    }
    return Dictionary(lines, uniquingKeysWith: { $1 })
  }

  // MARK: Rows

  /// Where the row at a place lies, and what is known of it.
  func entry(_ place: Int) -> JournalEntry {
    let flags = flags(place)
    return JournalEntry(
      offset: load(place, 24, Int.self), length: load(place, 32, UInt32.self),
      isTombstone: flags.contains(.tombstone), isOver: flags.contains(.over),
      digest: flags.contains(.digest) ? digest(place) : nil)
  }

  /// What is marked at a place.
  func flags(_ place: Int) -> Flags { Flags(rawValue: load(place, 46, UInt16.self)) }

  /// The stamp of the file that was known to mean what the row says.
  func stamp(_ place: Int) -> FileStamp {
    FileStamp(
      modified: load(place, 0, Int64.self), changed: load(place, 8, Int64.self),
      inode: load(place, 16, UInt64.self), size: load(place, 36, UInt32.self))
  }

  /// The bytes of the id at a place, valid as long as the index.
  func name(_ place: Int) -> UnsafeRawBufferPointer {
    let start = Int(load(place, 40, UInt32.self))
    let count = Int(load(place, 44, UInt16.self))
    guard start + count <= names.count else {
      return UnsafeRawBufferPointer(rebasing: names[..<0])
    }
    return UnsafeRawBufferPointer(rebasing: names[start..<start + count])
  }

  /// Gives the bytes of the id at a place.
  func withName<Result>(_ place: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(name(place))
  }

  private func digest(_ place: Int) -> Digest {
    let start = place * Self.digestStride
    return Digest(
      bits: digests.loadUnaligned(fromByteOffset: start, as: UInt64.self),
      digests.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
  }

  /// Returns the place of an id among the bases.
  ///
  /// A few are looked for one by one: a table of all takes longer to make.
  func place(of id: UnsafeRawBufferPointer) -> Int? {
    lookups += 1
    if lookups <= Self.fewLookups { return (0..<count).first { name($0).isSame(as: id) } }
    return slots.find(id) { name($0).isSame(as: id) }
  }

  private var lookups = 0
  private static let fewLookups = 4

  private func makeSlots() -> IDSlots {
    var slots = IDSlots(capacity: count)
    for place in 0..<count { slots.insert(name(place), place) }
    return slots
  }

  private func load<Value: BitwiseCopyable>(
    _ place: Int, _ offset: Int, _ type: Value.Type
  ) -> Value {
    entries.loadUnaligned(fromByteOffset: place * Self.stride + offset, as: type)
  }

  // MARK: Arrivals

  /// An open arrival.
  func arrival(_ place: Int) -> JournalEntry {
    entry(count + place)
  }

  /// Gives the bytes of the id of an open arrival.
  func withArrivalName(_ place: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    body(name(count + place))
  }
}
