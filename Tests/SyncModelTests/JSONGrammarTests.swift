import SyncModel
import TestSupport
import Testing

@Suite("The grammar of JSON") struct JSONGrammarTests {
  @Test("what must be accepted is, and means the same once written", arguments: JSONTable.accepted)
  func accepts(_ row: JSONRow) throws {
    let value = try JSON(parsing: row.text)
    #expect(value.encoded() == row.written)
    #expect(try JSON(parsing: value.encoded()) == value)
  }

  @Test("what must be refused is, and its first fault is told", arguments: JSONTable.refused)
  func refuses(_ row: JSONRow) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: row.text) }
    #expect(error?.description == row.fault)
  }

  @Test("what may be decided is decided as the table says", arguments: JSONTable.decided)
  func decides(_ row: JSONRow) throws {
    if row.fault == nil { try accepts(row) } else { refuses(row) }
  }
}
