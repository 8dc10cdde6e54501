import SyncModel
import TableServer
import Testing

/// `$filter`: the same rows from every store.
@Suite struct FilterTests {
  static let items: [(id: String, json: String)] = [
    (
      "a",
      #"{"text":"milk","complete":false,"n":1,"due":"2026-03-01T10:00:00.000Z","at":"09:52:35"}"#
    ),
    ("b", #"{"text":"Bread","complete":true,"n":2.5,"note":null,"at":"09:52:35.1234567"}"#),
    (
      "c",
      #"{"text":"it's","complete":true,"n":-3,"due":"2026-03-02","tags":["x","y"],"at":"02:14"}"#
    ),
    ("d", #"{"text":"50% off_","n":10,"address":{"city":"Köln","zip":50667},"at":"24:00"}"#),
    ("e", #"{"complete":false,"big":9007199254740993,"n":"7","text":"  pad "}"#),
  ]

  struct Row: CustomTestStringConvertible, Sendable {
    let filter: String
    let ids: String
    init(_ filter: String, _ ids: String) { (self.filter, self.ids) = (filter, ids) }
    var testDescription: String { filter }
  }

  static let rows: [Row] = [
    // Comparisons
    Row("text eq 'milk'", "a"), Row("text ne 'milk'", "bcde"), Row("n gt 1", "bde"),
    Row("n ge 1", "abde"), Row("n lt 1", "c"), Row("n le 1", "ac"), Row("n eq 2.5", "b"),
    Row("n eq 1.0", "a"), Row("n eq '7'", "e"), Row("n eq 7", ""), Row("id eq 'c'", "c"),
    Row("id gt 'c'", "de"), Row("id le 'b'", "ab"), Row("'b' lt id", "cde"),
    Row("n eq -3", "c"), Row("-n eq 3", "c"), Row("n gt -5 and n lt 0", "c"),
    Row("big eq 9007199254740993", "e"), Row("big eq 9007199254740992", ""),
    Row("big gt 9007199254740992.0", "e"), Row("n eq 1L", "a"), Row("n eq 2.5f", "b"),
    Row("n eq 2.5M", "b"), Row("n eq .25e1", "b"), Row("n lt 99999999999999999999", "abcd"),
    // Null and what isn't there
    Row("note eq null", "abcde"), Row("due eq null", "bde"), Row("due ne null", "ac"),
    Row("unknown eq null", "abcde"), Row("unknown eq 'x'", ""), Row("unknown ne 'x'", "abcde"),
    Row("unknown gt 1", ""), Row("not (unknown gt 1)", "abcde"), Row("null eq null", "abcde"),
    // Booleans
    Row("complete eq true", "bc"), Row("complete eq false", "ae"), Row("complete ne true", "ade"),
    Row("complete", "bc"), Row("not complete", "ade"), Row("complete eq 1", "bc"),
    Row("not complete eq true", "ade"), Row("true", "abcde"), Row("false", ""),
    Row("(1 eq 1)", "abcde"), Row("(n eq 1) eq true", "a"), Row("deleted", "d"),
    Row("deleted eq false", "abce"), Row("not deleted", "abce"),
    // Logic and its precedence
    Row("n eq 1 or n eq 10 and complete", "a"), Row("(n eq 1 or n eq 2.5) and complete", "b"),
    Row("not (n eq 1) and n lt 5", "bc"), Row("n eq 1 or n eq 10 or n eq -3", "acd"),
    // Membership
    Row("id in ('a','e')", "ae"), Row("n in (1,10,-3)", "acd"), Row("note in (null)", "abcde"),
    Row("tolower(text) in ('bread')", "b"),
    // Functions of text
    Row("startswith(text,'mi')", "a"), Row("startswith(text,'50%')", "d"),
    Row("endswith(text,'off_')", "d"), Row("contains(text,'%')", "d"),
    Row("contains(text,'_')", "d"),
    Row("contains(text,'')", "abcde"), Row("substringof('rea',text)", "b"),
    Row("substringof('''',text)", "c"), Row("contains(text,'mi') eq true", "a"),
    Row("not contains(text,'i')", "bde"), Row("tolower(text) eq 'bread'", "b"),
    Row("toupper(text) eq 'MILK'", "a"), Row("trim(text) eq 'pad'", "e"),
    Row("length(text) eq 4", "ac"), Row("length(address/city) eq 4", "d"),
    Row("indexof(text,'k') eq 3", "a"), Row("indexof(text,'zz') eq -1", "abcde"),
    Row("substring(text,1) eq 'ilk'", "a"), Row("substring(text,1,2) eq 'il'", "a"),
    Row("concat(text,'!') eq 'milk!'", "a"), Row("replace(text,'i','y') eq 'mylk'", "a"),
    Row("replace(text,'%','%%') eq '50%% off_'", "d"), Row("startswith(n,'7')", "e"),
    Row("length(n) eq 1", "e"), Row("toupper(address/city) eq 'KÖLN'", "d"),
    // Arithmetic
    Row("n add 1 eq 2", "a"), Row("n sub 1 eq 1.5", "b"), Row("n mul 2 eq 20", "d"),
    Row("n div 4 eq 2.5", "d"), Row("n div 5 eq 2", "d"), Row("n mod 3 eq 1", "ad"),
    Row("n div 0 eq null", "abcde"),
    Row("150 div 60 eq 2.5", "abcde"), Row("150.0 div 60 eq 2.5", "abcde"),
    Row("big div 3 eq 3002399751580331", "e"), Row("big div 1 eq 9007199254740993", "e"),
    Row("-9223372036854775807 div -1 eq 9223372036854775807", "abcde"),
    Row("n add 2 mul 3 eq 7", "a"), Row("(n add 2) mul 3 eq 9", "a"),
    Row("round(n) eq 3", "b"), Row("floor(n) eq 2", "b"), Row("ceiling(n) eq 3", "b"),
    Row("text add 1 eq null", "abcde"),
    Row("9223372036854775807 add 1 eq 9223372036854775808", "abcde"),
    // Members in objects, and values that are no scalars
    Row("address/city eq 'Köln'", "d"), Row("address/zip gt 50000", "d"),
    Row("address/city/x eq null", "abcde"), Row(#"tags eq '["x","y"]'"#, "c"),
    Row(#"address ne null"#, "d"),
    // Dates in members
    Row("due lt datetimeoffset'2026-03-01T12:00:00Z'", "a"),
    Row("due eq datetime'2026-03-01T10:00:00.000Z'", "a"),
    Row("due eq datetimeoffset'2026-03-01T12:00:00.0000000+02:00'", "a"),
    Row("due ge 2026-03-01T10:00:00Z", "ac"), Row("due eq 2026-03-02", "c"),
    Row("year(due) eq 2026", "ac"), Row("month(due) eq 3 and day(due) eq 2", "c"),
    Row("hour(due) eq 10", "a"), Row("minute(due) add second(due) eq 0", "ac"),
    Row("cast(due,Edm.DateTimeOffset) gt cast(2026-03-01T23:00:00Z,Edm.DateTimeOffset)", "c"),
    Row("text gt datetime'2000-01-01T00:00:00Z'", ""),
    // Times of day
    Row("hour(at) eq 9", "ab"), Row("minute(at) eq 14", "c"), Row("second(at) eq 35", "ab"),
    Row("second(at) eq 0", "c"), Row("year(at) eq null", "abcde"),
    Row("month(at) add day(at) eq null", "abcde"), Row("at eq 09:52:35", "a"),
    Row("at eq 09:52:35.0000000", "a"), Row("at eq 09:52", ""), Row("02:14:00.000 eq at", "c"),
    Row("at ge 09:52:35.123456", "b"), Row("at le 09:52:35", "ac"), Row("at ne 02:14", "abde"),
    Row("at gt 09:52:35.1234566", "b"), Row("at gt 09:52:35.1234567", ""),
    Row("at eq 09:52:35.12345678", "b"), Row("at in (02:14,09:52:35)", "ac"),
    Row("at eq cast(02:14:00,Edm.TimeOfDay)", "c"), Row("at eq '09:52:35.000'", ""),
    Row("cast(at,Edm.TimeOfDay) lt cast('09:52:35.0001',Edm.TimeOfDay)", "ac"),
    Row("cast(at,Edm.TimeOfDay) eq '09:52:35.000'", "a"),
    Row("cast('x',Edm.TimeOfDay) eq null", "abcde"), Row("text lt 23:59", ""),
    Row("hour(cast(at,Edm.TimeOfDay)) eq 9", "ab"), Row("due ne 10:00", "abcde"),
    Row("createdAt gt 00:00", ""), Row("not (n gt 00:00)", "abcde"), Row("n gt 00:00", ""),
    // Injection: all of it is literal
    Row("text eq 'x'' or 1 eq 1 or '''", ""), Row("text eq ''') OR 1=1 --'", ""),
    Row("text eq '\"); DROP TABLE items; --'", ""),
    Row("contains(text,'''; DELETE FROM items')", ""),
    Row("id eq '?1'", ""), Row("text eq ':a'", ""), Row("body eq 'x'", ""),
    Row("version eq null", ""), Row("tbl eq 1", ""),
    Row("number eq 1", ""), Row("created_at gt 0", ""), Row("rowid gt 0", ""),
    Row("sqlite_version eq null", "abcde"),
  ]

  @Test("a filter finds the same items in every store", arguments: StoreKind.allCases, rows)
  func filter(kind: StoreKind, row: Row) async throws {
    try await kind.withStore { store in
      for item in Self.items { try await store.insert(item.id, item.json) }
      _ = try await store.write(RowWrite(.delete, id("d")), in: todoitem)
      #expect(try await store.ids(row.filter) == row.ids)
    }
  }

  @Test(
    "a filter that is no condition is refused",
    arguments: [
      "'text' and", "text eq", "eq 1", "n eq 1 and", "(n eq 1", "n eq 1)", "n = 1", "n == 1",
      "text eq 'open", "text eq \"milk\"", "'x'", "1", "n add 1", "length(text)", "drop(text)",
      "length()", "length(text,1)", "startswith(text)", "substring(text,1,2,3)",
      "n eq 1; drop table t",
      "(year - 1900) ge 100", "n eq 1x", "due gt datetime'soon'",
      "due gt datetime'2026-02-30T00:00:00Z'",
      "due gt 2026-13-01T00:00:00Z", "time'10:00' eq n", "n in 1", "n in ()", "n in (1", "id/ eq 1",
      "cast(x,Edm.Guid", "cast(x)", "not", "- eq 1", "a,b", "text eq 'a' 'b'", "add(n,1) eq 2",
      "moment(due) eq 1",
      "timeOfDay(due) eq 1", "at eq 24:00:00", "at eq 09:60", "at eq 09:52:60", "at eq 9:52",
      "at eq 09:52:35.", "at eq 09:52:35Z", "at eq cast(25:00,Edm.TimeOfDay)",
      "n eq 1 or or n eq 2", "*", "text eq 'a' -- x", "n eq 0x10", "n eq 1.5L",
    ])
  func refused(filter: String) {
    #expect(throws: ODataError.self) { try ODataFilter(Text(filter)) }
  }

  @Test(
    "a filter that SQLite couldn't read, or that is larger than it looks, is refused",
    arguments: [
      ("length(", "text", ")", 32, " eq 1"), ("", "n", " eq 1", 98, ""),
      ("", "n", " gt null", 31, ""), ("(", "n", " gt null)", 31, ""),
      ("", "n", " in (1,2)", 24, ""),
      ("(", "n", " in (1,2)) ", 24, ""),
      ("length(", "cast(1 add 1 add 1 add 1 add 1 add 1,Edm.Int32)", ")", 24, " eq 1"),
    ])
  func tooDeep(open: String, middle: String, close: String, count: Int, end: String) async throws {
    let filter =
      String(repeating: open, count: count) + middle + String(repeating: close, count: count) + end
    var request = PageRequest()
    do throws(ODataError) { request.filter = try ODataFilter(Text(filter)) } catch { return }
    try await StoreKind.sqlite.withStore { [request] store in
      await #expect(throws: TableError.badRequest("$filter: the filter is nested too deeply")) {
        try await store.page(request, of: todoitem)
      }
    }
  }

  @Test("the largest filters that are read are carried out", arguments: StoreKind.allCases)
  func largest(kind: StoreKind) async throws {
    try await kind.withStore { store in
      for item in Self.items { try await store.insert(item.id, item.json) }
      let chain = Array(repeating: "complete", count: 100).joined(separator: " or ")
      #expect(try await store.ids(chain) == "bc")
      for (open, middle, close, count, ids) in [
        ("not (", "n eq 1", ")", 16, "a"), ("not ", "complete", "", 32, "bc"),
        ("(", "n eq 1", ")", 32, "a"), ("(complete and ", "n eq 2.5", ")", 32, "b"),
        ("(", "n eq 2.5", " and complete)", 32, "b"),
        ("(complete or (not deleted and ", "n eq 1", "))", 15, "abc"),
        ("(1 eq ", "complete", ")", 32, "bc"), ("(1 le ", "complete", ")", 32, "bc"),
        ("concat('x',", "text", ")", 25, ""), ("concat(", "text", ",'x')", 25, ""),
        ("trim(", "text", ")", 25, ""), ("(n add ", "n", ")", 16, ""),
        ("(", "n", " add n)", 25, ""),
        ("- ", "n", "", 25, "a"), ("", "n", " add 0", 25, "a"),
        ("", "n", " ge null", 16, ""), ("(", "complete", " in (true,1))", 3, "bc"),
      ] {
        var filter =
          String(repeating: open, count: count) + middle + String(repeating: close, count: count)
        // What is no condition is compared; signs cancel out but for one.
        if ids.isEmpty { filter += " eq 'none'" }
        if middle == "n", !ids.isEmpty { filter += open == "- " ? " eq -1" : " eq 1" }
        #expect(try await store.ids(filter) == ids)
      }
      #expect(throws: ODataError.self) {
        try ODataFilter(Text("n" + String(repeating: " add 0", count: 33) + " eq 1"))
      }
    }
  }
}
