import SyncModel
import Testing

@Suite("Base64") struct Base64Tests {
  @Test(
    "a text is read back, and nothing else is taken for it",
    arguments: [
      ("", []), ("/w==", [0xFF]), ("/wA=", [0xFF, 0]), ("/wCA", [0xFF, 0, 0x80]),
      ("/x==", nil), ("/w=", nil), ("====", nil), ("/w==/w==", nil), ("/w!=", nil), ("AAA", nil),
      ("_wCA", nil), ("/wA", nil),
    ] as [(String, [UInt8]?)])
  func readsBack(text: String, bytes: [UInt8]?) {
    #expect(Base64.bytes(of: text) == bytes)
    if let bytes { #expect(Base64.text(of: bytes) == text) }
  }

  @Test(
    "letters of either alphabet are read, padded or not",
    arguments: [
      ("", []), ("_wCA", [0xFF, 0, 0x80]), ("/wCA", [0xFF, 0, 0x80]), ("-_8", [0xFB, 0xFF]),
      ("+/8=", [0xFB, 0xFF]), ("AAA", [0, 0]), ("/w", [0xFF]), ("/w!", nil), ("/w ", nil),
    ] as [(String, [UInt8]?)])
  func readsLetters(text: String, bytes: [UInt8]?) {
    #expect(Base64.bytes(for: text.utf8) == bytes)
  }

  @Test("every byte survives, at every length up to 64", arguments: 0...64)
  func survives(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 250) }
    #expect(Base64.bytes(of: Base64.text(of: bytes)) == bytes)
    #expect(Base64.bytes(for: Base64.letters(for: bytes)) == bytes)
    #expect(Base64.text(of: bytes).utf8.count % 4 == 0)
  }
}
