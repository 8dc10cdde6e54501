import SyncModel
import TestSupport
import Testing

@Suite("Numbers") struct JSONNumberTests {
  /// Two numbers, and whether they are the same decimal value.
  struct Pair: CustomTestStringConvertible, Sendable {
    let one, other: String
    let equal: Bool
    var testDescription: String {
      "\(one.prefix(40)) \(equal ? "is" : "is not") \(other.prefix(40))"
    }

    init(_ one: String, _ other: String, _ equal: Bool) {
      (self.one, self.other, self.equal) = (one, other, equal)
    }
  }

  private static let long = String(repeating: "1234567890", count: 40)

  static let pairs: [Pair] = [
    Pair("1", "1", true),
    Pair("1.0", "1", true),
    Pair("1.10", "1.1", true),
    Pair("11e-1", "1.1", true),
    Pair("1e2", "100", true),
    Pair("1E+2", "1e2", true),
    Pair("1e02", "100", true),
    Pair("100e-2", "1", true),
    Pair("0.001", "1e-3", true),
    Pair("0.1e1", "1", true),
    Pair("120", "12e1", true),
    Pair("-0", "0", true),
    Pair("-0.0e5", "0", true),
    Pair("0e400", "0", true),
    Pair("0e-99999999999999999999999", "0", true),
    Pair("-1", "1", false),
    Pair("1", "2", false),
    Pair("1", "10", false),
    Pair("0.1", "0.01", false),
    Pair("1", "0", false),
    Pair("12", "102", false),
    Pair("101", "11", false),
    Pair("9007199254740993", "9007199254740992", false),
    Pair("9007199254740993", "9007199254740993.0", true),
    Pair("0.1", "0.1000000000000000055511151231257827", false),
    Pair("1e400", "1e401", false),
    Pair("1e400", "10e399", true),
    Pair("1e-400", "0", false),
    Pair("1e400", "1e-400", false),
    Pair(long, long, true),
    Pair(long, long + ".0", true),
    Pair(long, "0." + long + "e400", true),
    Pair(long, long + "0", false),
    Pair(long + "1", long + "2", false),
    Pair("1e1000000000", "10e999999999", true),
    Pair("1e1000000000", "1e1000000001", false),
    Pair("1e9223372036854775807", "1e9223372036854775807", true),
    Pair("1e9223372036854775807", "1e9223372036854775806", false),
    Pair("1e99999999999999999999999", "1e99999999999999999999999", true),
    Pair("1e99999999999999999999999", "1", false),
    Pair("1e99999999999999999999999", "1e-99999999999999999999999", false),
    Pair("1e-9223372036854775807", "1", false),
    Pair("1e-9223372036854775808", "1", false),
    Pair("1e-9223372036854775809", "1", false),
  ]

  @Test("numbers are equal by their decimal value", arguments: pairs)
  func equality(_ pair: Pair) throws {
    let one = try #require(JSONNumber(pair.one))
    let other = try #require(JSONNumber(pair.other))
    #expect((one == other) == pair.equal)
    #expect((other == one) == pair.equal)
  }

  @Test(
    "a text that is no number is none",
    arguments: [
      "", " 1", "1 ", "1\n", "+1", "01", "1.", ".5", "1e", "--1", "0x1", "1,5", "NaN",
      "\u{FF11}", "1_000", "true", "\"1\"", "[1]",
    ])
  func none(_ text: String) {
    #expect(JSONNumber(text) == nil)
  }

  @Test("an integer is written without a point")
  func integers() {
    #expect(JSONNumber(0).text == "0")
    #expect(JSONNumber(Int.min).text == "-9223372036854775808")
    #expect(JSON.integer(.max).integer == .max)
    #expect(JSON.number(JSONNumber(7)) == 7)
  }

  @Test("what is no integer has no integer value")
  func noIntegers() throws {
    #expect(try JSON(text: "1.5").integer == nil)
    #expect(try JSON(text: "9223372036854775808").integer == nil)
    #expect(try JSON(text: "\"7\"").integer == nil)
  }

  @Test("floating point is for arithmetic, and says infinity where it ends")
  func double() throws {
    #expect(JSONNumber("1.5")?.double == 1.5)
    #expect(JSONNumber("-2e3")?.double == -2_000)
    #expect(JSONNumber("1e400")?.double == .infinity)
  }

  @Test("moving the point and the exponent together changes nothing", arguments: UInt64(0)..<20)
  func shifted(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let digits = String(1 + random.below(1_000_000))
      let places = random.below(30)
      let exponent = random.below(800) - 400
      let one = try #require(JSONNumber("\(digits)e\(exponent)"))
      let zeros = String(repeating: "0", count: places)
      #expect(one == JSONNumber("\(digits)\(zeros)e\(exponent - places)"))
      #expect(one == JSONNumber("0.\(zeros)\(digits)e\(exponent + places + digits.utf8.count)"))
      #expect(one == JSONNumber("\(digits).0\(zeros)E\(exponent < 0 ? "" : "+")\(exponent)"))
      #expect(one != JSONNumber("\(digits)e\(exponent + 1)"))
      #expect(one != JSONNumber("-\(digits)e\(exponent)"))
    }
  }
}
