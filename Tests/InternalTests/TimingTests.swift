import SyncModel
import Testing

@testable import Remote

@Suite struct TimingTests {
  private static let date = HTTPField("Date", "Sun, 06 Nov 1994 08:49:37 GMT")

  @Test(
    "a date of HTTP is read in its three forms",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thursday, 01-Jan-70 00:00:01 GMT", 1),
      ("Tue, 01-Mar-26 00:00:00 GMT", 1_772_323_200),
      ("Tue, 29 Feb 2028 00:00:00 GMT", 1_835_395_200),
    ] as [(String, Int64)])
  func readsDates(text: String, seconds: Int64) {
    #expect(HTTPDate(Text(text))?.seconds == seconds)
  }

  @Test(
    "what is no date of HTTP is none",
    arguments: [
      "", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "1994-11-06T08:49:37Z",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 199 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
    ])
  func refusesOtherDates(text: String) {
    #expect(HTTPDate(Text(text)) == nil)
  }

  @Test(
    "case 54, S22: a wish to wait is read in seconds or as a date",
    arguments: [
      ("2", 2), ("0", 0), (" 120 ", 120), ("86400", 86_400), ("999999999999999999999", .max),
      ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
      ("Thu, 01 Jan 1970 00:00:00 GMT", nil), ("-5", nil), ("banana", nil), ("1.5", nil), ("", nil),
    ] as [(String, Int?)])
  func readsWishes(text: String, seconds: Int?) {
    let answer = HTTPAnswer(status: 503, headers: [Self.date, HTTPField("retry-after", text)])
    #expect(answer.retryAfter == seconds)
  }

  @Test("S22: a date without the server's own says nothing")
  func dateWithoutDate() {
    let field = HTTPField("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")
    #expect(HTTPAnswer(status: 503, headers: [field]).retryAfter == nil)
    #expect(HTTPAnswer(status: 503).retryAfter == nil)
  }

  @Test("pauses double, are drawn from nothing on, and end after five attempts")
  func pausesDouble() {
    let policy = RetryPolicy()
    let longest = (1...5).map { policy.pause(after: $0, waited: 0, wish: nil) { $0 } }
    #expect(longest == [500, 1_000, 2_000, 4_000, nil])
    #expect(policy.pause(after: 4, waited: 0, wish: nil) { _ in 0 } == 0)
  }

  @Test("no pause of our own is longer than 30 s")
  func pausesAreLimited() {
    var policy = RetryPolicy()
    policy.attempts = 100
    #expect(policy.pause(after: 8, waited: 0, wish: nil) { $0 } == 30_000)
    #expect(policy.pause(after: 99, waited: 0, wish: nil) { $0 } == 30_000)
  }

  @Test("case 54, S22: a wish is granted up to 120 s, and up to 5 minutes in all")
  func wishesAreLimited() {
    let policy = RetryPolicy()
    #expect(policy.pause(after: 1, waited: 0, wish: 120) { $0 } == 120_000)
    #expect(policy.pause(after: 1, waited: 0, wish: 121) { $0 } == nil)
    #expect(policy.pause(after: 1, waited: 0, wish: .max) { $0 } == nil)
    #expect(policy.pause(after: 3, waited: 180_000, wish: 120) { $0 } == 120_000)
    #expect(policy.pause(after: 3, waited: 180_001, wish: 120) { $0 } == nil)
  }
}
