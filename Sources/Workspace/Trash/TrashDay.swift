import SyncModel

/// The day on which the trash was emptied last, as the file `.emptied` says it.
///
/// ```
///   20260301                     the day, by the clock; nothing in the trash is named by a later one
///   20260301 20260331            nothing goes before the second day
///   20260302 20260401 20230601   the clock stands before the day, and said the third
/// ```
///
/// It never goes back, so that what is displaced later is named by a later time. Where the clock falls
/// behind nobody knows whether it was wrong before or is now: the day after the mark's waits for it, and
/// where it won't come soon, each day on which the clock goes on counts for one. What is too much in it
/// is waited for, and so is what was too little when the clock is right again.
struct TrashDay: Equatable {
  private static let length: Int64 = 86_400

  /// When it begins, in seconds since 1970.
  let start: Int64
  /// The day before which nothing goes; 0 where that has passed.
  private let held: Int64
  /// The clock's own day where it stands before this one.
  private let clock: Int64?

  private init(start: Int64, held: Int64, clock: Int64? = nil) {
    self.start = start
    self.held = held > start || clock != nil ? held : 0
    self.clock = clock
  }

  /// The day of a time in seconds since 1970.
  init(of second: Int64) {
    self.init(start: second - second % Self.length, held: 0)
  }

  /// Reads the file; `nil` where it names no day.
  init?(_ text: [UInt8]) {
    let days = text.split(separator: UInt8(ascii: " ")).compactMap(Self.start)
    guard let start = days.first else { return nil }
    self.init(
      start: start, held: days.count > 1 ? days[1] : 0, clock: days.count > 2 ? days[2] : nil)
  }

  /// Returns when a day begins that is written as eight digits.
  private static func start(_ text: ArraySlice<UInt8>) -> Int64? {
    let digits = text.prefix(8)
    guard digits.count == 8, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let parts = [digits.prefix(4), digits.dropFirst(4).prefix(2), digits.dropFirst(6)]
      .map { String(decoding: $0, as: UTF8.self) }
    return Timestamp(Text("\(parts.joined(separator: "-"))T00:00:00Z"))
      .map { $0.ticks / Timestamp.perSecond }
  }

  /// What the file says.
  var text: [UInt8] {
    let days = [start] + (held > 0 ? [held] : []) + (clock.map { [$0] } ?? [])
    let words = days.map { String(Trash.text(ofSecond: $0).prefix(8)) }
    return Array("\(words.joined(separator: " "))\n".utf8)
  }

  /// Returns the day that counts at a time in seconds since 1970.
  func next(at second: Int64) -> TrashDay {
    let today = TrashDay(of: second).start
    guard today < start else {
      guard clock != nil else { return TrashDay(start: today, held: held) }
      // What was named meanwhile may be as young as today, unless the day is the right one.
      let isRight = today - start <= Self.length
      return TrashDay(start: today, held: isRight ? held - Trash.age : today + Trash.age)
    }
    guard let clock else {
      let next = start + Self.length
      return TrashDay(start: next, held: max(held, next) + Trash.age, clock: today)
    }
    // A clock that was set anew has not gone on.
    let goesOn = (1...Trash.age).contains(today - clock) && start - today > Trash.age
    return TrashDay(start: goesOn ? start + Self.length : start, held: held, clock: today)
  }

  /// The last second of what may go on a day when this was the day before, in seconds since 1970;
  /// `nil` where nothing may.
  func limit(on today: TrashDay) -> Int64? {
    guard today.start >= today.held else { return nil }
    return max(0, min(today.start, start + Self.length) - Trash.age)
  }
}
