import SyncModel
import Testing

/// The expected values were computed with another implementation of the published algorithm.
@Suite("Fingerprints") struct DigestTests {
  static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEF".utf8)

  static let vectors: [(Int, String)] = [
    (0, "00000000000000000000000000000000"),
    (1, "85555565f6597889e6b53a48510e895a"),
    (7, "a6cd2f9fc09ee4991c3aa23ab155bbb6"),
    (8, "cc8a0ab037ef8c0248890d60eb6940a1"),
    (9, "0547c0cff13c796479b53df5b741e033"),
    (15, "8abe2451890c2ffb6a548c2d9c962a61"),
    (16, "c4ca3ca3224cb7234333d695b331eb1a"),
    (17, "7564747f88bda657ecda499da1110de4"),
    (23, "40480aba9d4f238e83beb7eb1c54e9ff"),
    (24, "6494960fd4de2cf7790fcfa35321f208"),
    (25, "71e7cba42f07960fedee1581399ebddb"),
    (31, "4bf06228635658a8bedbd26090f9ef7a"),
    (32, "16a127b539e20ae3edcb0722a1febf68"),
    (33, "eea5f18b80c9608823bd1bc4319c6f3a"),
    (40, "7e1e3de19c11e1244f3c46d72733bc36"),
  ]

  @Test("the fingerprint of so many bytes is the published one", arguments: vectors)
  func lengths(_ count: Int, _ expected: String) {
    #expect(Digest(of: Self.alphabet[..<count]).description == expected)
  }

  @Test("the fingerprint of a sentence is the published one")
  func sentence() {
    #expect(
      Digest(of: Array("The quick brown fox jumps over the lazy dog".utf8)).description
        == "e34bbc7bbc071b6c7a433ca9c49a9347")
  }

  @Test("bytes of all values count")
  func bytes() {
    #expect(Digest(of: [0]).description == "4610abe56eff5cb551622daa78f83583")
    #expect(
      Digest(of: [UInt8](repeating: 0, count: 16)).description
        == "4bbd1bf27da918d6b465a9eccd791cb6")
    #expect(
      Digest(of: [UInt8](repeating: 0xFF, count: 33)).description
        == "2160d8cad132ac9336d0284cf2f8a1e4")
    #expect(Digest(of: Array(0...255)).description == "1c99c313dc6f12b970d6077fab34cc1e")
  }

  @Test("it makes no difference how the bytes are held")
  func storage() {
    let text = "The quick brown fox"
    let digest = Digest(of: Array(text.utf8))
    #expect(Digest(of: text.utf8) == digest)
    #expect(Digest(of: Array(("xx" + text).utf8)[2...]) == digest)
    #expect(Digest(of: Array(text.utf8.reversed()).reversed()) == digest)
  }

  @Test("what is written reads back")
  func roundTrip() {
    for count in 0...42 {
      let digest = Digest(of: Self.alphabet[..<count])
      #expect(Digest(digest.description) == digest)
    }
    #expect(Digest("4610ABE56EFF5CB551622DAA78F83583") == Digest(of: [0]))
  }

  @Test(
    "a text that is no fingerprint is refused",
    arguments: [
      "", "4610abe56eff5cb551622daa78f8358", "4610abe56eff5cb551622daa78f835833",
      "4610abe56eff5cb551622daa78f8358g", " 4610abe56eff5cb551622daa78f8358",
      "+610abe56eff5cb551622daa78f83583", "4610abe56eff5cb5-1622daa78f83583",
    ])
  func refuses(_ text: String) {
    #expect(Digest(text) == nil)
  }
}
