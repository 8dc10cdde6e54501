import SyncModel
import Testing

@testable import Commands

@Suite("Dates as people type them")
struct DateWordsTests {
  /// A day in a time zone, with its first and its last second.
  struct Day: Sendable, CustomTestStringConvertible {
    let zone: String
    let day: String
    let first: String
    let last: String
    let offset: @Sendable (Int64) -> Int64
    var testDescription: String { "\(day) in \(zone)" }
  }

  static let days = [
    Day(
      zone: "UTC", day: "2026-11-28", first: "2026-11-28T00:00:00Z", last: "2026-11-28T23:59:59Z",
      offset: { _ in 0 }),
    Day(
      zone: "Europe/Berlin", day: "2026-03-29", first: "2026-03-28T23:00:00Z",
      last: "2026-03-29T21:59:59Z", offset: berlin),
    Day(
      zone: "Europe/Berlin", day: "2026-10-25", first: "2026-10-24T22:00:00Z",
      last: "2026-10-25T22:59:59Z", offset: berlin),
    Day(
      zone: "Pacific/Kiritimati", day: "2026-11-28", first: "2026-11-27T10:00:00Z",
      last: "2026-11-28T09:59:59Z", offset: { _ in 14 * 3_600 }),
    Day(
      zone: "a zone without that midnight", day: "2026-11-01", first: "2026-11-01T03:00:00Z",
      last: "2026-11-02T01:59:59Z",
      offset: { $0 < seconds("2026-11-01T03:00:00Z") ? -3 * 3_600 : -2 * 3_600 }),
  ]

  @Sendable private static func berlin(_ time: Int64) -> Int64 {
    let isSummer =
      time >= seconds("2026-03-29T01:00:00Z") && time < seconds("2026-10-25T01:00:00Z")
    return isSummer ? 7_200 : 3_600
  }

  private static func seconds(_ text: String) -> Int64 {
    (Timestamp(Text(text))?.ticks ?? 0) / Timestamp.perSecond
  }

  @Test("each word means the same day from its first to its last second", arguments: days)
  func words(row: Day) throws {
    let day = try #require(CivilDate(Text(row.day)))
    func date(_ days: Int64) -> CivilDate { CivilDate(daysSince1970: day.daysSince1970 + days) }
    let names = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"]
    for now in [row.first, row.last].map(Self.seconds) {
      let words = DateWords(now: now, offset: row.offset)
      for (word, days) in [
        ("today", 0), ("Tomorrow", 1), ("yesterday", -1), ("+7d", 7), ("-2w", -14), ("+0d", 0),
      ] {
        #expect(words.relative(Text(word)) == date(Int64(days)), "\(word)")
      }
      for ahead in 0..<7 {
        let name = names[Int(date(Int64(ahead)).daysSince1970 % 7)]
        #expect(words.relative(Text(name)) == date(Int64(ahead)), "\(name)")
      }
      let month = words.relative("+1m")
      #expect(month?.day == day.day && month?.month == day.month % 12 + 1)
      #expect(words.relative("+1y")?.text == Text("2027\(row.day.dropFirst(4))"))
      let span = try #require(words.span("today"))
      #expect(span.start == Self.seconds(row.first) * Timestamp.perSecond)
      #expect(span.end == (Self.seconds(row.last) + 1) * Timestamp.perSecond)
    }
  }

  @Test(
    "a month or a year later is the last day of a shorter month",
    arguments: [
      ("2026-01-31", "+1m", "2026-02-28"), ("2028-01-31", "+1m", "2028-02-29"),
      ("2026-03-31", "-1m", "2026-02-28"), ("2028-02-29", "+1y", "2029-02-28"),
      ("2026-05-31", "+6m", "2026-11-30"), ("2026-01-15", "-1m", "2025-12-15"),
      ("2026-12-31", "+14m", "2028-02-29"),
    ])
  func months(today: String, word: Text, expected: String) {
    let words = DateWords(now: Self.seconds("\(today)T12:00:00Z")) { _ in 0 }
    #expect(words.relative(word)?.text == Text(expected))
  }

  @Test(
    "dates are read in their usual forms, and nothing else is",
    arguments: [
      ("28.11.2026", "2026-11-28"), ("1.2.2026", "2026-02-01"), ("2026-12-1", "2026-12-01"),
      ("2026-12-01", "2026-12-01"), ("2026-12-01T23:30:00-02:00", "2026-12-02"),
      ("11/28/2026", nil), ("28.11.", nil), ("28.11.26", nil), ("2026-02-30", nil), ("", nil),
      ("today ", nil), ("+d", nil), ("7d", nil), ("+9999999d", nil), ("2026.12.01", nil),
      ("1-12-2026", nil), ("+-7d", nil), ("3", nil),
    ] as [(Text, Text?)])
  func forms(text: Text, expected: Text?) {
    let words = DateWords(now: 0) { _ in 0 }
    #expect(words.span(text)?.day.text == expected)
  }
}
