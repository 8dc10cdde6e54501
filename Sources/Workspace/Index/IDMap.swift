import Glibc
import SyncModel

/// Ids and what is known of each: a dictionary without an allocation for each id.
///
/// The ids lie end to end in one buffer, so that 100,000 of them take megabytes, not tens of them.
struct IDMap<Value> {
  /// One id and its value.
  private struct Entry {
    var start: UInt32
    var count: UInt16
    /// `nil` where it was removed; the id keeps its place.
    var value: Value?
  }

  private var names: [UInt8] = []
  private var entries: [Entry] = []
  private var slots = IDSlots()
  /// How many ids have a value.
  private(set) var count = 0

  init() {}

  /// The values of all places that were ever taken; `nil` where one was removed.
  var places: Range<Int> { entries.indices }

  /// The value of an id.
  subscript(id: ItemID) -> Value? {
    get { id.withBytes { place(of: $0) }.flatMap { entries[$0].value } }
    set {
      id.withBytes { bytes in
        if let place = place(of: bytes) {
          self[place] = newValue
        } else if let newValue {
          insert(bytes, newValue)
        }
      }
    }
  }

  /// The value at a place; `nil` where it was removed.
  subscript(place: Int) -> Value? {
    get { entries[place].value }
    set {
      count += (newValue == nil ? 0 : 1) - (entries[place].value == nil ? 0 : 1)
      entries[place].value = newValue
    }
  }

  /// Sets the value of an id that is given as bytes.
  mutating func set(_ bytes: UnsafeRawBufferPointer, _ value: Value) {
    if let place = place(of: bytes) { self[place] = value } else { insert(bytes, value) }
  }

  /// Takes the value of an id away, known or not; the id keeps a place.
  mutating func remove(_ bytes: UnsafeRawBufferPointer) {
    if let place = place(of: bytes) { self[place] = nil } else { insert(bytes, nil) }
  }

  /// Returns the place of an id; `nil` where it never had one.
  func place(of bytes: UnsafeRawBufferPointer) -> Int? {
    slots.find(bytes) { place in withName(place) { $0.isSame(as: bytes) } }
  }

  /// Gives the bytes of the id at a place.
  func withName<Result, Failure: Error>(
    _ place: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let entry = entries[place]
    return try names.withUnsafeBufferPointer { (names) throws(Failure) in
      let start = Int(entry.start)
      return try body(
        UnsafeRawBufferPointer(
          UnsafeBufferPointer(rebasing: names[start..<start + Int(entry.count)])))
    }
  }

  private mutating func insert(_ bytes: UnsafeRawBufferPointer, _ value: Value?) {
    let place = entries.count
    entries.append(
      Entry(start: UInt32(names.count), count: UInt16(bytes.count), value: value))
    names.append(contentsOf: bytes)
    count += value == nil ? 0 : 1
    if slots.isFull(with: entries.count) {
      var larger = IDSlots(capacity: 2 * entries.count)
      for place in entries.indices { withName(place) { larger.insert($0, place) } }
      slots = larger
    } else {
      slots.insert(bytes, place)
    }
  }
}

/// An open hash table of places; its owner knows what is at each.
struct IDSlots {
  /// 0 where nothing lies, else the place plus 1.
  private var slots: [UInt32]

  /// Makes a table with room for so many places.
  init(capacity: Int = 0) {
    var size = 16
    while size * 3 < capacity * 4 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
  }

  /// Whether a larger table is due for so many places.
  func isFull(with count: Int) -> Bool { count * 4 > slots.count * 3 }

  /// Puts a place under a name that isn't there yet.
  mutating func insert(_ name: UnsafeRawBufferPointer, _ place: Int) {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(place + 1)
  }

  /// Finds the place of a name.
  func find(_ name: UnsafeRawBufferPointer, where isName: (Int) -> Bool) -> Int? {
    var slot = Self.hash(name) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if isName(place) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Mixes bytes by wide multiplication, from a seed of this process: a server that chooses ids
  /// can't make them meet.
  private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    var state = seed ^ UInt64(name.count)
    var offset = 0
    while offset < name.count {
      var word: UInt64 = 0
      if offset + 8 <= name.count {
        word = name.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      } else {
        for byte in name[offset...] { word = word << 8 | UInt64(byte) }
      }
      let product = (word ^ secret).multipliedFullWidth(by: state | 1)
      state = product.high ^ product.low ^ seed
      offset += 8
    }
    return Int(truncatingIfNeeded: state ^ state >> 32)
  }

  private static let seed = UInt64.random(in: 0...UInt64.max)
  private static let secret = UInt64.random(in: 0...UInt64.max)
}

extension ItemID {
  /// Gives the id's UTF-8 bytes.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var string = text.string
    return string.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
