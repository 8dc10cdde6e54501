import SyncModel

/// The day on which the trash was emptied last, as the file `.emptied` says it.
///
/// ```
///   20260301     the day; whatever lies in the trash was displaced on it or before
///   20260302+    the day after it: since then the clock stood before it, and nothing that the trash
///                holds of this day was named by the clock
/// ```
///
/// While the clock can't be right it doesn't go back, so that what is displaced then is named as the
/// newest, and is kept as long as all else. Where it can, and the day is later, the day was wrong.
struct TrashDay: Equatable {
  private static let length: Int64 = 86_400

  /// When it begins, in seconds since 1970.
  let start: Int64
  /// Whether the clock hasn't come to it yet.
  let isAhead: Bool

  private init(start: Int64, isAhead: Bool) {
    self.start = start
    self.isAhead = isAhead
  }

  /// The day of a time in seconds since 1970.
  init(of second: Int64) {
    self.init(start: second - second % Self.length, isAhead: false)
  }

  /// Reads the file; `nil` where it names no day.
  init?(_ text: [UInt8]) {
    let digits = text.prefix(8)
    guard digits.count == 8, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let parts = [digits.prefix(4), digits.dropFirst(4).prefix(2), digits.dropFirst(6)]
      .map { String(decoding: $0, as: UTF8.self) }
    guard let time = Timestamp(Text("\(parts.joined(separator: "-"))T00:00:00Z")) else {
      return nil
    }
    self.init(
      start: time.ticks / Timestamp.perSecond,
      isAhead: text.dropFirst(8).first == UInt8(ascii: "+"))
  }

  /// What the file says.
  var text: [UInt8] {
    Array("\(Trash.text(ofSecond: start).prefix(8))\(isAhead ? "+" : "")\n".utf8)
  }

  /// Returns the day that counts at a time in seconds since 1970.
  func next(at second: Int64) -> TrashDay {
    // Who waits for the next day goes on until it has come.
    let isNext = isAhead && second >= start - Self.length
    if second >= start || second >= Trash.firstSecond && !isNext { return TrashDay(of: second) }
    return isAhead ? self : TrashDay(start: start + Self.length, isAhead: true)
  }

  /// The last second of what may go when this was the day before, in seconds since 1970.
  func limit(at second: Int64) -> Int64 {
    max(0, min(second, start + Self.length) - Trash.age)
  }
}
