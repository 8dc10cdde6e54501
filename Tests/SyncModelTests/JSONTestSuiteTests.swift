import SyncModel
import TestSupport
import Testing

@Suite(
  "JSONTestSuite",
  .enabled(
    if: JSONTestSuite.directory != nil, "TSYNC_JSON_TEST_SUITE names no directory of its files")
)
struct JSONTestSuiteTests {
  @Test("the directory holds all three kinds of files")
  func isThere() {
    #expect(JSONTestSuite.files("y_").count >= 95)
    #expect(JSONTestSuite.files("n_").count >= 188)
    #expect(JSONTestSuite.files("i_").count >= 35)
  }

  @Test("what a parser must accept is accepted", arguments: JSONTestSuite.files("y_"))
  func accepts(_ name: String) throws {
    let text = try JSONTestSuite.bytes(name)
    #expect(throws: Never.self) { try JSON(parsing: text) }
  }

  @Test("what a parser must refuse is refused", arguments: JSONTestSuite.files("n_"))
  func refuses(_ name: String) throws {
    let text = try JSONTestSuite.bytes(name)
    #expect(throws: JSONError.self) { try JSON(parsing: text) }
  }

  @Test("what a parser may decide is decided without a trap", arguments: JSONTestSuite.files("i_"))
  func decides(_ name: String) throws {
    let text = try JSONTestSuite.bytes(name)
    guard let value = try? JSON(parsing: text) else { return }
    #expect(try JSON(parsing: value.encoded()) == value)
  }
}
