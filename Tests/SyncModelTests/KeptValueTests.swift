import SyncModel
import Testing

@Suite("Values as servers keep them") struct KeptValueTests {
  @Test(
    "A server may give a value back as the same instant, double, text or as [object Object]",
    arguments: [
      (#""2020-02-29""#, #""2020-02-29T00:00:00.000Z""#, true),
      (#""2020-02-29T12:00:00+02:00""#, #""2020-02-29T10:00:00.000Z""#, true),
      (#""2020-02-29""#, #""2020-02-28T23:00:00.000Z""#, false),
      (#""2020-02-29T12:00:00.1237777Z""#, #""2020-02-29T12:00:00.123Z""#, true),
      (#""2020-02-29T12:00:00.1237777Z""#, #""2020-02-29T12:00:00.124Z""#, false),
      (#""2020-02-30""#, #""2020-03-01T00:00:00.000Z""#, false),
      (#""a""#, #""b""#, false), (#""a""#, #""a""#, true),
      ("9007199254740993", "9007199254740992", true), ("1.10", "1.1", true), ("1", "2", false),
      ("1e400", "1e500", false), ("1e400", "1e400", true),
      ("12.50", #""12.50""#, true), ("12.50", #""12.5""#, true), (#""12.50""#, "12.5", true),
      ("12.50", #""13""#, false), ("12", #""twelve""#, false),
      ("true", #""true""#, true), (#""false""#, "false", true), ("true", #""false""#, false),
      ("true", #""1""#, false), (#"{"a":1}"#, #""[object Object]""#, true),
      (#""[object Object]""#, #"{"a":1}"#, false), ("[1]", #""[object Object]""#, false),
      (#""yes""#, "true", true), (#""Off""#, "false", true), (#""yes""#, "false", false),
      (#""no""#, "true", false), (#""maybe""#, "true", false), ("1", "true", true),
      ("0", "false", true), ("2", "true", false), ("true", "1", false),
      (#"{"a":1.0}"#, #"{"a":1}"#, true), ("[1]", "[2]", false), ("null", #""null""#, false),
    ])
  func keeps(_ sent: String, _ kept: String, _ expected: Bool) throws {
    #expect(try JSON(text: sent).isKept(as: JSON(text: kept)) == expected)
  }
}
