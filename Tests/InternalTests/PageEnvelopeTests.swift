import Testing

@testable import Remote

@Suite struct PageEnvelopeTests {
  private func envelope(_ text: String) throws -> PageEnvelope {
    try PageEnvelope(Array(text.utf8), rowsMember: "items", allowsArray: false)
  }

  @Test(
    "the number of rows in all is read where it is told",
    arguments: [
      (#"{"items":[],"count":7}"#, 7), (#"{"count":0,"items":[]}"#, 0),
      (#"{"items":[],"count":null}"#, nil), (#"{"items":[]}"#, nil),
      (#"{"items":[{"count":3}],"x":{"count":4}}"#, nil),
    ] as [(String, Int?)])
  func readsTotal(text: String, total: Int?) throws {
    #expect(try envelope(text).total == total)
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
    #expect(throws: EnvelopeFault.self) { try envelope(text) }
  }

  @Test("a page may have more rows than any that is asked for")
  func manyRows() throws {
    let rows = Array(repeating: "{}", count: 12_000).joined(separator: ",")
    #expect(try envelope(#"{"items":[\#(rows)]}"#).rows.count == 12_000)
  }
}
