import SyncModel
import TestSupport
import Testing

@Suite("Timestamps") struct TimestampTests {
  /// A text and the instant it means, in units of 100 ns since 1970.
  struct Reading: CustomTestStringConvertible, Sendable {
    let text: String
    let ticks: Int64
    var testDescription: String { text }

    init(_ text: String, _ ticks: Int64) { (self.text, self.ticks) = (text, ticks) }
  }

  static let readings: [Reading] = [
    Reading("1970-01-01T00:00:00Z", 0),
    Reading("1970-01-01T00:00:00.0Z", 0),
    Reading("1970-01-01T00:00:01Z", 10_000_000),
    Reading("1970-01-01T00:00:00.1Z", 1_000_000),
    Reading("1970-01-01T00:00:00.12Z", 1_200_000),
    Reading("1970-01-01T00:00:00.123Z", 1_230_000),
    Reading("1970-01-01T00:00:00.1234Z", 1_234_000),
    Reading("1970-01-01T00:00:00.12345Z", 1_234_500),
    Reading("1970-01-01T00:00:00.123456Z", 1_234_560),
    Reading("1970-01-01T00:00:00.1234567Z", 1_234_567),
    Reading("1970-01-01T00:00:00.0000001Z", 1),
    Reading("1969-12-31T23:59:59.9999999Z", -1),
    Reading("1969-12-31T00:00:00Z", -864_000_000_000),
    Reading("1970-01-02t00:00:00z", 864_000_000_000),
    Reading("1970-01-02 00:00:00Z", 864_000_000_000),
    Reading("1970-01-01T07:00:00+07:00", 0),
    Reading("1969-12-31T17:30:00-06:30", 0),
    Reading("1970-01-01T00:00:00.5+00:00", 5_000_000),
    Reading("1970-01-01T00:00:00-00:00", 0),
    Reading("1999-12-03T15:44:29.0Z", 9_442_358_690_000_000),
    Reading("2000-02-29T00:00:00Z", 9_517_824_000_000_000),
    Reading("2024-02-29T23:59:59Z", 17_092_511_990_000_000),
    Reading("2026-03-01T10:02:03.456Z", 17_723_593_234_560_000),
    Reading("2016-12-31T23:59:60Z", 14_832_288_000_000_000),
    Reading("9999-12-31T23:59:59.9999999Z", 2_534_023_007_999_999_999),
    Reading("0001-01-01T00:00:00Z", -621_355_968_000_000_000),
  ]

  @Test("a text is an instant, and is kept to the last digit", arguments: readings)
  func reads(_ row: Reading) throws {
    let stamp = try #require(Timestamp(Text(row.text)))
    #expect(stamp.ticks == row.ticks)
    #expect(stamp.text == Text(row.text))
  }

  @Test(
    "a text that is no instant is refused",
    arguments: [
      "", "now", "9999-12-31T23:59:59-01:00", "0000-12-31T23:59:59Z", "0000-12-31T23:59:59-01:00",
      "0001-01-01T00:00:00+00:01",
      "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00Z", "70-01-01T00:00:00Z",
      "1970-1-1T0:0:0Z", "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z", "1970-01-32T00:00:00Z",
      "1970-01-00T00:00:00Z", "1970-04-31T00:00:00Z", "2023-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "1970-01-01T24:00:00Z",
      "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:00.Z",
      "1970-01-01T00:00:00.12345678Z", "1970-01-01T00:00:00,5Z", "1970-01-01T00:00:00+0700",
      "1970-01-01T00:00:00+7:00", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+07:60",
      "1970-01-01T00:00:00+07", "1970-01-01T00:00:00Z ", " 1970-01-01T00:00:00Z",
      "1970-01-01T00:00:00ZZ", "1970/01/01T00:00:00Z", "1970-01-01T00.00.00Z",
      "+1970-01-01T00:00:00Z", "-1970-01-01T00:00:00Z", "19700-01-01T00:00:00Z",
      "1970-01-01T00:00:0\u{FF10}Z", "1970-01-01T00:00:00\u{2212}07:00", "1970-01-01X00:00:00Z",
      "/Date(0)/", "0",
    ])
  func refuses(_ text: String) {
    #expect(Timestamp(Text(text)) == nil)
  }

  @Test("instants are compared, not texts")
  func compares() throws {
    func stamp(_ text: Text) throws -> Timestamp { try #require(Timestamp(text)) }
    let one = try stamp("2026-01-01T12:00:00.0Z")
    #expect(one == (try stamp("2026-01-01T13:00:00+01:00")))
    #expect(one < (try stamp("2026-01-01T12:00:00.0000001Z")))
    #expect((try stamp("2026-01-01T12:00:00+00:01")) < one)
    #expect(
      [try stamp("2026-01-01T09:00:00-05:00"), one].max() == (try stamp("2026-01-01T14:00:00Z")))
  }

  @Test("an instant is written in UTC, with three digits where they are exact, else with seven")
  func writes() {
    func text(_ ticks: Int64) -> Text { Timestamp(ticks: ticks).text }
    #expect(text(0) == "1970-01-01T00:00:00.000Z")
    #expect(text(1_230_000) == "1970-01-01T00:00:00.123Z")
    #expect(text(1_234_000) == "1970-01-01T00:00:00.1234000Z")
    #expect(text(1) == "1970-01-01T00:00:00.0000001Z")
    #expect(text(-1) == "1969-12-31T23:59:59.9999999Z")
    #expect(text(-10_000) == "1969-12-31T23:59:59.999Z")
    #expect(text(17_723_593_234_560_000) == "2026-03-01T10:02:03.456Z")
    #expect(text(-621_355_968_000_000_000) == "0001-01-01T00:00:00.000Z")
  }

  @Test("an instant that no server reads is the nearest that all do")
  func clamps() {
    #expect(Timestamp(ticks: .max).text == "9999-12-31T23:59:59.9999999Z")
    #expect(Timestamp(ticks: .max).ticks == 2_534_023_007_999_999_999)
    #expect(Timestamp(ticks: .min).text == "0001-01-01T00:00:00.000Z")
  }

  @Test("what is written reads back as the same instant", arguments: UInt64(0)..<10)
  func roundTrips(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      var ticks = Int64.random(
        in: -621_355_968_000_000_000...2_534_023_007_999_999_999, using: &random)
      if random.once(in: 2) { ticks -= ticks % 10_000 }
      #expect(Timestamp(Timestamp(ticks: ticks).text)?.ticks == ticks)
    }
  }

  /// A day of the calendar and its distance from 1970-01-01.
  struct Day: CustomTestStringConvertible, Sendable {
    let year, month, day, distance: Int64
    var testDescription: String { "\(year)-\(month)-\(day)" }

    init(_ year: Int64, _ month: Int64, _ day: Int64, _ distance: Int64) {
      (self.year, self.month, self.day, self.distance) = (year, month, day, distance)
    }
  }

  static let days: [Day] = [
    Day(1970, 1, 1, 0), Day(1970, 1, 31, 30), Day(1970, 2, 1, 31), Day(1970, 3, 1, 59),
    Day(1970, 12, 31, 364), Day(1971, 1, 1, 365), Day(1972, 2, 29, 789), Day(1972, 3, 1, 790),
    Day(1969, 12, 31, -1), Day(1900, 3, 1, -25_508), Day(1900, 2, 28, -25_509),
    Day(2000, 2, 29, 11_016), Day(2000, 3, 1, 11_017), Day(2026, 3, 1, 20_513),
    Day(2100, 2, 28, 47_540), Day(2100, 3, 1, 47_541), Day(1, 1, 1, -719_162),
    Day(0, 3, 1, -719_468), Day(0, 2, 29, -719_469), Day(9_999, 12, 31, 2_932_896),
  ]

  @Test("a day is counted from 1970, both ways", arguments: days)
  func civil(_ row: Day) {
    let date = CivilDate(year: row.year, month: row.month, day: row.day)
    #expect(date.daysSince1970 == row.distance)
    #expect(CivilDate(daysSince1970: row.distance) == date)
  }

  @Test("every day of four centuries follows the one before")
  func everyDay() {
    var date = CivilDate(year: 1_999, month: 12, day: 31)
    for distance in date.daysSince1970 + 1...date.daysSince1970 + 146_097 {
      let next = CivilDate(daysSince1970: distance)
      let follows =
        (next.year, next.month, next.day) == (date.year, date.month, date.day + 1)
        || (next.year, next.month, next.day) == (date.year, date.month + 1, 1)
        || (next.year, next.month, next.day) == (date.year + 1, 1, 1)
      guard follows, next.daysSince1970 == distance else {
        Issue.record("\(distance): \(next) after \(date)")
        return
      }
      date = next
    }
    #expect(date == CivilDate(year: 2_399, month: 12, day: 31))
  }

  @Test("a token is kept as it was stored, also where it means no instant")
  func tokens() {
    #expect(DeltaToken("2026-01-01T00:00:00.1Z").timestamp?.text == "2026-01-01T00:00:00.1Z")
    #expect(DeltaToken("garbage").timestamp == nil)
    #expect(DeltaToken("2026-01-01T00:00:00.1Z") != DeltaToken("2026-01-01T00:00:00.10Z"))
  }
}
