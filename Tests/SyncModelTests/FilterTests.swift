import SyncModel
import Testing

@Suite("Filters")
struct FilterTests {
  static let item = Item(
    JSONObject([
      .init(name: "text", value: "Buy Oat milk"), .init(name: "due", value: "2026-03-03"),
      .init(name: "count", value: .number(JSONNumber("2.50") ?? JSONNumber(0))),
      .init(name: "complete", value: false), .init(name: "empty", value: ""),
      .init(name: "nothing", value: .null), .init(name: "list", value: [1, "a"]),
      .init(name: "object", value: ["b": 1, "a": 2]), .init(name: "a.lt", value: "dots"),
      .init(name: "comma", value: "a,b"), .init(name: "tags", value: ["urgent", "at home", 7]),
      .init(name: "addr", value: ["city": "Rom", "zip": 187, "in": ["n": 1]]),
      .init(name: "x.y", value: "whole"), .init(name: "x", value: ["y": "member"]),
    ]))

  struct Row: CustomTestStringConvertible {
    let word: Text
    let fits: Bool
    var testDescription: String { word.string }

    init(_ word: Text, _ fits: Bool) {
      (self.word, self.fits) = (word, fits)
    }
  }

  static let rows: [Row] = [
    Row("text=Buy Oat milk", true), Row("text=buy oat milk", false), Row("text=Buy", false),
    Row("due=2026-03-03", true), Row("due.ne=2026-03-03", false), Row("due.ne=x", true),
    Row("due.lt=2026-03-04", true), Row("due.lt=2026-03-03", false), Row("due.le=2026-03-03", true),
    Row("due.gt=2026-03-02", true), Row("due.gt=2026-03-03", false), Row("due.ge=2026-03-03", true),
    Row("count=2.5", true), Row("count=25e-1", true), Row("count=2", false),
    Row("count=two", false),
    Row("count.gt=2", true), Row("count.lt=10", true), Row("count.lt=two", false),
    Row("count.ge=2.5", true), Row("count.ne=2.5", false), Row("count.ne=two", true),
    Row("complete=false", true), Row("complete=true", false), Row("complete=0", false),
    Row("complete.lt=true", false), Row("complete.ge=false", false),
    Row("empty=", true), Row("nothing=", true), Row("absent=", true), Row("text=", false),
    Row("empty.ne=", false), Row("absent.ne=", false), Row("text.ne=", true),
    Row("absent=x", false), Row("absent.ne=x", true), Row("absent.lt=x", false),
    Row("absent.gt=", false), Row("nothing.ge=", false), Row("complete=", false),
    Row("count=", false),
    Row("text.has=MILK", true), Row("text.has=soy", false), Row("text.has=", true),
    Row("count.has=2", false), Row("absent.has=", false),
    Row("due.in=2026-03-02,2026-03-03", true), Row("due.in=x,y", false),
    Row("count.in=1,2.50", true),
    Row("comma.in=x,a\\,b", true), Row("comma.in=a,b", false), Row("absent.in=x,", true),
    Row("list=[1,\"a\"]", true), Row("list=[1.0, \"a\"]", true), Row("list=1", false),
    Row("object={\"a\":2,\"b\":1}", true), Row("list.lt=[2]", false),
    Row("id=milk", true), Row("id.has=IL", true), Row("id.in=a,milk", true), Row("id.lt=n", true),
    Row("a.lt.lt=e", true), Row("a.lt.ne=", true),
    Row("tags.has=urgent", true), Row("tags.has=urg", false), Row("tags.has=7", true),
    Row("addr.city=Rom", true), Row("addr.city.has=OM", true), Row("addr.zip.lt=200", true),
    Row("addr.street=", true), Row("addr.street=x", false), Row("addr.city.x=", true),
    Row("addr.\"in\".n=1", true), Row("x.y=whole", true), Row("x.y=member", false),
  ]

  @Test("a word fits the items that it describes", arguments: rows)
  func fits(row: Row) throws {
    #expect(try Filter(row.word).fits(try ItemID("milk"), Self.item) == row.fits)
  }

  @Test(
    "a word is a field, an ending and a value",
    arguments: [
      ("a=b", "a", Filter.Comparison.equal, ["b"]), ("known.lt=c", "known.lt", .equal, ["c"]),
      ("a.lt=b=c", "a", .less, ["b=c"]), ("a.in=x,y\\,z,", "a", .isIn, ["x", "y,z", ""]),
      ("é.has=ü", "é", .has, ["ü"]), ("a.ne=", "a", .notEqual, [""]),
      ("a.b.ge=1", "a.b", .greaterOrEqual, ["1"]),
    ])
  func parsed(word: Text, field: Text, comparison: Filter.Comparison, values: [Text]) throws {
    let filter = try Filter(word) { $0 == "known.lt" }
    #expect(filter.field == field)
    #expect(filter.comparison == comparison)
    #expect(filter.values == values)
  }

  @Test(
    "a word without a field or a sign is refused",
    arguments: ["", "a", "=b", ".lt=b", "a.=x", "a..b=x"] as [Text])
  func refused(word: Text) {
    #expect(throws: FilterError.self) { try Filter(word) }
  }

  @Test(
    "a word with a sign is a filter, unless it is a path, a table's item or a title",
    arguments: [
      ("a=b", true), ("a.lt=b/c", true), ("todoitem/a=b", false), (":/a=b", false), ("a:=b", false),
      ("a", false), ("=", true), ("./a=b.json", false), ("due<today", true), ("or", false),
    ] as [(Text, Bool)])
  func isFilter(word: Text, expected: Bool) {
    #expect(Filter.isFilter(word) == expected)
  }

  @Test(
    "a day has all its times; what is no date doesn't lie before or after it",
    arguments: [
      ("d=D", true, false), ("d.lt=D", false, false), ("d.le=D", true, false),
      ("d.gt=D", false, true), ("d.ge=D", true, true), ("d.ne=D", false, true),
      ("d.in=D,", true, false),
    ] as [(Text, Bool, Bool)])
  func days(word: Text, within: Bool, after: Bool) throws {
    let day = CivilDate(year: 2026, month: 3, day: 1)
    // Two hours east of UTC.
    let start = (day.daysSince1970 * 24 - 2) * 3_600 * Timestamp.perSecond
    let span = DateSpan(day, from: start, to: start + 86_400 * Timestamp.perSecond)
    let filter = try Filter(word).reading { $0 == "D" ? span : nil }
    func fits(_ text: Text) throws -> Bool {
      filter.fits(try ItemID("a"), Item(JSONObject([.init(name: "d", value: .string(text))])))
    }
    for text in ["2026-03-01", "2026-02-28T22:00:00Z", "2026-03-01T21:59:59.9999999Z"] as [Text] {
      #expect(try fits(text) == within, "\(text)")
    }
    for text in ["2026-03-02", "2026-03-01T22:00:00Z"] as [Text] {
      #expect(try fits(text) == after, "\(text)")
    }
    let isEmptyFitting = filter.comparison == .notEqual || filter.comparison == .isIn
    #expect(try fits("") == isEmptyFitting)
  }

  @Test("'or' stands between two groups")
  func groups() throws {
    #expect(try Filter.groups(["a=1", "b=2", "or", "c=3"]) == [["a=1", "b=2"], ["c=3"]])
    #expect(try Filter.groups([]) == [[]])
    for words in [["or"], ["or", "a=1"], ["a=1", "or"], ["a=1", "or", "or", "b=2"]] as [[Text]] {
      #expect(throws: FilterError.self) { try Filter.groups(words) }
    }
  }

  @Test("any text of an item is looked through, in members and lists, too")
  func anywhere() throws {
    for (word, fits) in [("OAT", true), ("at home", true), ("rom", true), ("187", false)] {
      #expect(Filter(anywhere: Text(word)).fits(try ItemID("milk"), Self.item) == fits)
    }
  }

  @Test(
    "numbers are ordered by their value",
    arguments: [
      ("1", "2"), ("-2", "-1"), ("-1", "0"), ("0", "0.1"), ("9", "10"), ("1e2", "101"),
      ("0.01", "0.1"),
      ("99999999999999999998", "99999999999999999999"), ("1e-400", "1e-399"), ("-1e400", "1e-400"),
      ("1", "1e999999999999999999999"), ("-1e99999999999999999999", "-1"), ("1.09", "1.1"),
      ("1e-99999999999999999999", "1"), ("0.00", "0.001"),
    ])
  func ordered(less: String, more: String) throws {
    let (less, more) = (try #require(JSONNumber(less)), try #require(JSONNumber(more)))
    #expect(less < more)
    #expect(!(more < less))
  }

  @Test(
    "numbers of one value are not ordered",
    arguments: [
      ("1", "1.0"), ("10", "1e1"), ("-0", "0"), ("0e5", "0"), ("0.10", "1e-1"), ("-5", "-50e-1"),
    ])
  func equal(one: String, other: String) throws {
    let (one, other) = (try #require(JSONNumber(one)), try #require(JSONNumber(other)))
    #expect(!(one < other))
    #expect(!(other < one))
  }
}
