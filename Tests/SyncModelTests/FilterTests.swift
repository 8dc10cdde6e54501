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
      .init(name: "comma", value: "a,b"),
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
    "a word without a field or a sign, or with another operator, is refused",
    arguments: ["", "a", "=b", ".lt=b", "a.before=x", "a.LT=x", "a.=x", "a.b=c"] as [Text])
  func refused(word: Text) {
    #expect(throws: FilterError.self) { try Filter(word) }
  }

  @Test(
    "a word with a sign is a filter, unless it is a path, a table's item or a title",
    arguments: [
      ("a=b", true), ("a.lt=b/c", true), ("todoitem/a=b", false), (":/a=b", false), ("a:=b", false),
      ("a", false), ("=", true), ("./a=b.json", false),
    ] as [(Text, Bool)])
  func isFilter(word: Text, expected: Bool) {
    #expect(Filter.isFilter(word) == expected)
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
