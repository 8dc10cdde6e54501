extension Moment {
  /// Reads a date as clients of the family write it.
  ///
  /// `YYYY-MM-DD`, then perhaps `T` or a blank and `HH:MM`, `:SS`, a fraction of any length
  /// (cut to milliseconds), and `Z` or an offset. A blank before an offset is a `+` that wasn't
  /// escaped in the URL. Without an offset the time is UTC.
  package init?(_ text: some Sequence<UInt8>) {
    var scanner = DateScanner(bytes: Array(text)[...])
    guard let date = scanner.date() else { return nil }
    var milliseconds = date * 86_400_000
    if scanner.skip(UInt8(ascii: "T")) || scanner.skip(UInt8(ascii: "t"))
      || scanner.skip(UInt8(ascii: " "))
    {
      guard let time = scanner.time(), let offset = scanner.offset() else { return nil }
      milliseconds += time - offset
    } else {
      _ = scanner.skip(UInt8(ascii: "Z"))
    }
    guard scanner.bytes.isEmpty else { return nil }
    self.init(milliseconds: milliseconds)
  }

  /// Reads a date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7, the preferred form).
  package init?(http text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: " "))
    guard parts.count == 6, let day = Self.digits(parts[1], 2),
      let month = Self.months.firstIndex(where: { $0.utf8.elementsEqual(parts[2]) }),
      let year = Self.digits(parts[3], 4),
      let days = CalendarTime.days(year: year, month: month + 1, day: day),
      parts[5].elementsEqual("GMT".utf8)
    else { return nil }
    let clock = parts[4].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard clock.count == 3, let hour = Self.digits(clock[0], 2), hour < 24,
      let minute = Self.digits(clock[1], 2), minute < 60,
      let second = Self.digits(clock[2], 2), second < 61
    else { return nil }
    let seconds = days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    self.init(milliseconds: seconds * 1_000)
  }

  /// The moment as a date of HTTP, with seconds only.
  package var httpDate: String {
    let time = calendar
    var text = Array("\(Self.weekdays[time.weekday]), ".utf8)
    Self.write(time.day, digits: 2, into: &text)
    text.append(contentsOf: " \(Self.months[time.month - 1]) ".utf8)
    Self.write(time.year, digits: 4, into: &text)
    for (mark, value) in [(" ", time.hour), (":", time.minute), (":", time.second)] {
      text.append(contentsOf: mark.utf8)
      Self.write(value, digits: 2, into: &text)
    }
    text.append(contentsOf: " GMT".utf8)
    return String(decoding: text, as: UTF8.self)
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func digits(_ text: Substring.UTF8View, _ count: Int) -> Int? {
    guard text.count == count, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

/// Takes a date off the front of a text, part by part.
private struct DateScanner {
  var bytes: ArraySlice<UInt8>

  mutating func skip(_ byte: UInt8) -> Bool {
    guard bytes.first == byte else { return false }
    bytes.removeFirst()
    return true
  }

  mutating func number(_ count: Int) -> Int? {
    guard bytes.count >= count, bytes.prefix(count).allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    defer { bytes.removeFirst(count) }
    return bytes.prefix(count).reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Days from 1970-01-01.
  mutating func date() -> Int64? {
    guard let year = number(4), skip(UInt8(ascii: "-")), let month = number(2),
      skip(UInt8(ascii: "-")), let day = number(2)
    else { return nil }
    return CalendarTime.days(year: year, month: month, day: day)
  }

  /// Milliseconds from midnight.
  mutating func time() -> Int64? {
    guard let hour = number(2), hour < 24, skip(UInt8(ascii: ":")), let minute = number(2),
      minute < 60
    else { return nil }
    var milliseconds = (hour * 60 + minute) * 60_000
    guard skip(UInt8(ascii: ":")) else { return Int64(milliseconds) }
    guard let second = number(2), second < 60 else { return nil }
    milliseconds += second * 1_000
    guard skip(UInt8(ascii: ".")) else { return Int64(milliseconds) }
    guard bytes.first.map({ (0x30...0x39).contains($0) }) == true else { return nil }
    var unit = 100
    while let digit = number(1) {
      milliseconds += digit * unit
      unit /= 10
    }
    return Int64(milliseconds)
  }

  /// Milliseconds that the clock is ahead of UTC.
  mutating func offset() -> Int64? {
    if bytes.isEmpty || skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
    let sign: Int64 = bytes.first == UInt8(ascii: "-") ? -1 : 1
    guard skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-")) || skip(UInt8(ascii: " ")),
      let hours = number(2), hours <= 14
    else { return nil }
    let colon = skip(UInt8(ascii: ":"))
    guard let minutes = number(2) ?? (colon ? nil : 0), minutes < 60 else { return nil }
    return sign * Int64(hours * 60 + minutes) * 60_000
  }
}
