import SyncEngine
import SyncModel
import Testing

@testable import Remote

@Suite struct PageEnvelopeTests {
  private func rows(
    _ text: String, member: String = "items", allowsArray: Bool = false
  ) throws -> [String] {
    let body = Array(text.utf8)
    let envelope = try PageEnvelope(body, rowsMember: member, allowsArray: allowsArray)
    return envelope.rows.map { String(decoding: body[$0], as: UTF8.self) }
  }

  @Test("rows are cut out as they are written, from both forms of a list")
  func cutsOut() throws {
    let one = #"{"id":"a","t":"]}\"[,{","n":[1,{"x":[]}] }"#
    let text = #" { "count" : 7, "items" : [ \#(one) ,{} , 42,"x" ] , "nextLink":"a]}" } "#
    #expect(try rows(text) == [one, "{}", "42", #""x""#])
    #expect(try rows("[\(one)\n,\n{}]", allowsArray: true) == [one, "{}"])
    #expect(try rows(#"{"results":[\#(one)]}"#, member: "results", allowsArray: true) == [one])
    #expect(try rows(#"{"items":[]}"#) == [])
    #expect(try rows(" [ ] ", allowsArray: true) == [])
  }

  @Test(
    "the number of rows in all is read where it is told",
    arguments: [
      (#"{"items":[],"count":7}"#, 7), (#"{"count":0,"items":[]}"#, 0),
      (#"{"items":[],"count":null}"#, nil), (#"{"items":[]}"#, nil),
      (#"{"items":[{"count":3}],"x":{"count":4}}"#, nil),
    ] as [(String, Int?)])
  func readsTotal(text: String, total: Int?) throws {
    #expect(
      try PageEnvelope(Array(text.utf8), rowsMember: "items", allowsArray: false).total == total)
  }

  @Test(
    "a frame that is broken is no list",
    arguments: [
      "", " ", "42", "null", #""x""#, "{}", #"{"items":{}}"#, #"{"items":null}"#, #"{"items":[}"#,
      #"{"items":[{}"#, #"{"items":[{}]"#, #"{"items":[{]}"#, #"{"items":[{},]}"#,
      #"{"items":[,{}]}"#, #"{"items":[{} {}]}"#, #"{"items":[]]}"#, #"{"items":[]}x"#,
      #"{"items":[]}{"items":[]}"#, #"{"items":[],}"#, #"{"items":[],"items":[]}"#,
      #"{"items":[],"count":"7"}"#, #"{"items":[],"count":-1}"#, #"{"items":[],"count":1.5}"#,
      #"{"items":[],"count":1,"count":2}"#, #"{items:[]}"#, #"{"items"[]}"#, #"{"rows":[]}"#,
      #"{"items":[{"a":"x]}"#, #"{"items":["a\"]}"#, #"{"items":[{}],"nextLink":}"#, "[]", "[{}]",
      #"{"Items":[]}"#, "\u{feff}{\"items\":[]}",
    ])
  func refusesBroken(text: String) {
    #expect(throws: EnvelopeFault.self) { try rows(text) }
  }

  @Test("brackets without end don't exhaust the stack")
  func depth() {
    let open = String(repeating: "[", count: 1_000_000)
    #expect(throws: EnvelopeFault.self) { try rows(#"{"items":"# + open) }
    #expect(throws: EnvelopeFault.self) { try rows(#"{"x":"# + open) }
  }

  @Test("ten thousand rows are a page; one more is not")
  func tooManyRows() throws {
    let most = Array(repeating: "{}", count: 10_000).joined(separator: ",")
    #expect(try rows(#"{"items":[\#(most)]}"#).count == 10_000)
    #expect(throws: EnvelopeFault.self) { try rows(#"{"items":[\#(most),{}]}"#) }
  }

  @Test(
    "what can't be a row is set aside with its reason, its id and its time",
    arguments: [
      ("42", nil, "not an object"), ("{}", nil, "no id"), (#"{"id":7.5}"#, nil, "not a string"),
      (#"{"id":""}"#, "", "empty"), (#"{"id":".."}"#, "..", "'.' or '..'"),
      (#"{"id":"  "}"#, "  ", "blanks"), (#"{"id":"a\u0000b"}"#, "a\u{0}b", "control"),
      (#"{"id":"a\u001bb"}"#, "a\u{1b}b", "control"), (#"{"id":"a\ud800"}"#, nil, "surrogate"),
      (#"{"id":"a","x":1,"x":2}"#, "a", "'x' stands twice"),
      (#"{"id":"a","x":{"y":1,"y":2}}"#, "a", "'y' stands twice"),
      (#"{"id":"a","x":[[{"y":1,"y":2}]]}"#, "a", "'y' stands twice"),
      (#"{"id":"a","deleted":"yes"}"#, "a", "'deleted'"),
      (#"{"id":"a","version":7}"#, "a", "'version'"),
      (#"{"id":"a","version":""}"#, "a", "'version'"),
      (#"{"id":"a","updatedAt":1}"#, "a", "'updatedAt'"),
      (#"{"id":"a","updatedAt":"yesterday"}"#, "a", "'updatedAt'"),
      (#"{"id":5,"version":[]}"#, "5", "the row's 'version' is not a string"),
      (#"{"id":"a","n":01}"#, nil, "begin with 0"), (#"{"id":"a",}"#, nil, "member name"),
      (#"{"id":"a","n":NaN}"#, nil, "expected a value"),
      (#"{"id":"a"]"#, nil, "expected ',' or '}'"),
    ] as [(String, String?, String)])
  func setsAside(text: String, id: String?, reason: String) throws {
    guard case .refused(let row, _) = ListEntry(Array(text.utf8)[...], in: .datasync) else {
      Issue.record("taken")
      return
    }
    #expect(row.id == id.map { Text($0) })
    #expect(row.reason.contains(reason))
    #expect(row.text == Array(text.utf8))
  }

  @Test("limits are a row's own: depth, size, and the length of its file's name")
  func limits() {
    func entry(_ text: String) -> ListEntry { ListEntry(Array(text.utf8)[...], in: .datasync) }
    func isRow(_ entry: ListEntry) -> Bool { if case .row = entry { true } else { false } }
    let nested = { (depth: Int) in
      #"{"id":"a","x":"# + String(repeating: "[", count: depth)
        + String(repeating: "]", count: depth)
        + #","updatedAt":"2026-03-01T10:00:00Z"}"#
    }
    #expect(isRow(entry(nested(63))))
    #expect(!isRow(entry(nested(64))))
    #expect(entry(nested(64)).time == Timestamp("2026-03-01T10:00:00Z"))
    let filled = { (size: Int) in #"{"id":"a","x":"\#(String(repeating: "y", count: size - 17))"}"#
    }
    #expect(filled(100).utf8.count == 100)
    #expect(isRow(entry(filled(1 << 20))))
    #expect(!isRow(entry(filled((1 << 20) + 1))))
    #expect(isRow(entry(#"{"id":"\#(String(repeating: "x", count: 240))"}"#)))
    #expect(!isRow(entry(#"{"id":"\#(String(repeating: "x", count: 241))"}"#)))
    #expect(!isRow(entry(#"{"id":"\#(String(repeating: "/", count: 81))"}"#)))
  }

  @Test("a row's text stays to the byte, but for line ends")
  func keepsText() {
    let text = "{ \"id\" : \"a\",\n \"n\":1.10, \"e\":1e2,\"u\":\"\\u00e9\" }"
    guard case .row(let row) = ListEntry(Array(text.utf8)[...], in: .datasync) else {
      Issue.record("refused")
      return
    }
    #expect(row.text == Array(text.utf8).map { $0 == 0x0A ? 0x20 : $0 })
  }
}
