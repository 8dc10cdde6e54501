import Glibc

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Its text is what the server stores and sends: `2026-11-21T10:02:03.123Z`, always three digits
/// after the point.
package struct Moment: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func < (left: Moment, right: Moment) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The milliseconds of the moments that a stamp can have: from 1970 to the end of 9999, what four
  /// digits can say.
  package static let served: Range<Int64> = 0..<253_402_300_800_000

  /// The moment after this one: one millisecond later.
  package var next: Moment { Moment(milliseconds: milliseconds + 1) }

  /// The moment's second, what HTTP's own dates can tell.
  package var wholeSecond: Moment {
    Moment(milliseconds: Self.floor(milliseconds, 1_000).quotient * 1_000)
  }

  /// Year, month, day, hour, minute and second in UTC.
  package var calendar: CalendarTime { CalendarTime(self) }

  /// Divides so that the remainder is never negative.
  static func floor(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension Moment: CustomStringConvertible {
  package var description: String {
    var text: [UInt8] = []
    write(into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the moment's text.
  package func write(into text: inout [UInt8]) {
    let time = calendar
    Self.write(time.year, digits: 4, into: &text)
    text.append(UInt8(ascii: "-"))
    Self.write(time.month, digits: 2, into: &text)
    text.append(UInt8(ascii: "-"))
    Self.write(time.day, digits: 2, into: &text)
    text.append(UInt8(ascii: "T"))
    Self.write(time.hour, digits: 2, into: &text)
    text.append(UInt8(ascii: ":"))
    Self.write(time.minute, digits: 2, into: &text)
    text.append(UInt8(ascii: ":"))
    Self.write(time.second, digits: 2, into: &text)
    text.append(UInt8(ascii: "."))
    Self.write(time.millisecond, digits: 3, into: &text)
    text.append(UInt8(ascii: "Z"))
  }

  static func write(_ number: Int, digits: Int, into text: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}

extension Moment {
  /// The machine's time.
  package static var now: Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
