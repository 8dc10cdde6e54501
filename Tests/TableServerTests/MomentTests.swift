import SyncModel
import TableServer
import Testing

@Suite struct MomentTests {
  @Test(
    "dates are read in every form that clients write",
    arguments: [
      ("2026-11-21T10:02:03.123Z", 1_795_255_323_123), ("2026-11-21T10:02:03Z", 1_795_255_323_000),
      ("2026-11-21T10:02:03.1234567Z", 1_795_255_323_123),
      ("2026-11-21T10:02:03.5Z", 1_795_255_323_500),
      ("2026-11-21T12:02:03.123+02:00", 1_795_255_323_123),
      ("2026-11-21T12:02:03.123 02:00", 1_795_255_323_123),
      ("2026-11-21T05:02:03.123-05:00", 1_795_255_323_123),
      ("2026-11-21T10:02Z", 1_795_255_320_000),
      ("2026-11-21", 1_795_219_200_000), ("1970-01-01T00:00:00.000Z", 0),
      ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00Z", 951_782_400_000),
    ])
  func read(text: String, milliseconds: Int64) {
    #expect(Moment(text.utf8)?.milliseconds == milliseconds)
  }

  @Test(
    "what is no date is refused",
    arguments: [
      "", "2026", "2026-11", "2026-11-21T", "2026-11-21T10", "2026-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T10:60:00Z", "2026-01-01T10:00:60Z", "2026-01-01T10:00:00.Z",
      "2026-01-01T10:00:00ZZ",
      "2026-01-01T10:00:00+2:00", " 2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z ", "0000-01-01",
    ])
  func refused(text: String) {
    #expect(Moment(text.utf8) == nil)
  }

  @Test(
    "a moment is written with three digits and read back",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_255_323_120, "2026-11-21T10:02:03.120Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
    ])
  func written(milliseconds: Int64, text: String) {
    #expect("\(Moment(milliseconds: milliseconds))" == text)
    #expect(Moment(text.utf8)?.milliseconds == milliseconds)
  }

  @Test("a date of HTTP is written and read back to the second")
  func http() {
    let moment = Moment(milliseconds: 784_111_777_999)
    #expect(moment.httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(Moment(http: moment.httpDate) == moment.wholeSecond)
    for text in ["", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT", "x y z a b c"] {
      #expect(Moment(http: text) == nil)
    }
  }

  @Test("V6: a stamp is later than the one before, whatever the clock says")
  func stamps() {
    let first = Stamp(moment: Moment(milliseconds: 1_000), count: 7)
    for (now, moment) in [(2_000, 2_000), (1_000, 1_001), (5, 1_001)] as [(Int64, Int64)] {
      #expect(
        first.next(at: Moment(milliseconds: now), salt: 9)
          == Stamp(moment: Moment(milliseconds: moment), count: 8, salt: 9))
    }
  }

  @Test(
    "a version is the salt before the count, 8 bytes in base64",
    arguments: [
      (1, 0, "AAAAAAAAAAE="), (2_001, 0, "AAAAAAAAB9E="), (Int64.max, 0, "f/////////8="),
      (255, 0, "AAAAAAAAAP8="), (2_001, 0xC6AD_EC54, "xq3sVAAAB9E="),
      (1, .max, "/////wAAAAE="),
    ])
  func version(count: Int64, salt: UInt32, text: String) {
    let stamp = Stamp(moment: Moment(milliseconds: 0), count: count, salt: salt)
    #expect(stamp.version.text.string == text)
  }
}
