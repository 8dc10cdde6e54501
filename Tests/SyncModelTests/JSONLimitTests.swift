import SyncModel
import Testing

@Suite("Limits of JSON texts") struct JSONLimitTests {
  /// A text at the edge of a limit, and what is said of it; `nil` where it is accepted.
  struct Edge: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let fault: String?

    init(_ name: String, _ text: String, _ fault: String?) {
      testDescription = name
      self.text = text
      self.fault = fault
    }
  }

  static let small = JSONLimits(depth: 3, members: 2, string: 4, number: 5)

  static let edges: [Edge] = [
    Edge("arrays as deep as may be", "[[[1]]]", nil),
    Edge("arrays one deeper", "[[[[1]]]]", "1:4: nested deeper than 3"),
    Edge("an empty array one deeper", "[[[[]]]]", "1:4: nested deeper than 3"),
    Edge("objects as deep as may be", #"{"a":{"b":{"c":1}}}"#, nil),
    Edge("an object one deeper", #"{"a":{"b":[{}]}}"#, "1:12: nested deeper than 3"),
    Edge("depth counts what is open, not what was", "[[],[],[[1]],[[]]]", nil),
    Edge("as many members as may be", #"{"a":1,"b":2}"#, nil),
    Edge(
      "a member too many", #"{"a":1,"b":2,"c":3}"#, "1:19: an object may have 2 members at most"),
    Edge("members count by object", #"{"a":{"b":1,"c":2},"d":{"e":1}}"#, nil),
    Edge("elements are no members", "[1,2,3,4,5]", nil),
    Edge("a string as long as may be", #""abcd""#, nil),
    Edge("a byte too many", #"["abcde"]"#, "1:2: a string may have 4 bytes at most"),
    Edge("escapes count by what they mean", #""\u0041\u0042\u0043\u0044""#, nil),
    Edge("an escape too many", #""abcd\n""#, "1:1: a string may have 4 bytes at most"),
    Edge("bytes count, not scalars", "\"\u{1F600}\"", nil),
    Edge(
      "a scalar of more bytes than are left", "\"a\u{1F600}\"",
      "1:1: a string may have 4 bytes at most"),
    Edge("names are strings", #"{"abcde":1}"#, "1:2: a string may have 4 bytes at most"),
    Edge("a number as long as may be", "-1.25", nil),
    Edge("a digit too many", "[1, 123456]", "1:5: a number may have 5 bytes at most"),
  ]

  @Test("the last that is allowed and the first that isn't", arguments: edges)
  func edge(_ row: Edge) {
    do {
      _ = try JSON(parsing: Array(row.text.utf8), limits: Self.small)
      #expect(row.fault == nil)
    } catch {
      #expect(error.description == row.fault)
    }
  }

  @Test("an item is 64 deep at most, with 4,096 members, strings of 1 MiB, numbers of 1,024 bytes")
  func itemLimits() throws {
    func fault(_ text: String) -> String? {
      do {
        _ = try JSON(parsing: Array(text.utf8), limits: .item)
        return nil
      } catch { return error.message }
    }
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}"
    }
    func string(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }
    #expect(fault(nested(64)) == nil)
    #expect(fault(nested(65)) == "nested deeper than 64")
    #expect(fault(object(4_096)) == nil)
    #expect(fault(object(4_097)) == "an object may have 4096 members at most")
    #expect(fault(string(1 << 20)) == nil)
    #expect(fault(string(1 << 20 + 1)) == "a string may have 1048576 bytes at most")
    #expect(fault(String(repeating: "7", count: 1_024)) == nil)
    #expect(
      fault(String(repeating: "7", count: 1_025)) == "a number may have 1024 bytes at most")
  }
}
