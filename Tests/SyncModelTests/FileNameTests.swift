import SyncModel
import Testing

@Suite("Names of files") struct FileNameTests {
  /// An id and the one file name for it.
  struct Pair: CustomTestStringConvertible, Sendable {
    let id, name: String
    var testDescription: String { "\(id) → \(name)" }

    init(_ id: String, _ name: String) { (self.id, self.name) = (id, name) }
  }

  static let pairs: [Pair] = [
    Pair("7f3a", "7f3a"),
    Pair("8d5e1b0c-6b3f-4e0b-9f3c-000000000001", "8d5e1b0c-6b3f-4e0b-9f3c-000000000001"),
    Pair("a_B-9", "a_B-9"),
    // Safety case 1 and its kind: nothing leads out of the directory.
    Pair("../../.bashrc", "%2E.%2F..%2F.bashrc"),
    Pair("/etc/passwd", "%2Fetc%2Fpasswd"),
    Pair("...", "%2E.%2E"),
    Pair("a/\u{301}b", "a%2F%CC%81b"),
    Pair("\\\\host\\share", "%5C%5Chost%5Cshare"),
    Pair("c:", "c%3A"),
    Pair("~", "%7E"),
    Pair("~root", "%7Eroot"),
    // Dots and dashes.
    Pair(".git", "%2Egit"),
    Pair("a.b", "a.b"),
    Pair("a..b", "a..b"),
    Pair("x.json", "x.json"),
    Pair("a.", "a%2E"),
    Pair("a..", "a.%2E"),
    Pair(".a.", "%2Ea%2E"),
    Pair("-rf", "%2Drf"),
    Pair("--", "%2D-"),
    Pair("-", "%2D"),
    Pair("a-", "a-"),
    // Everything that is no plain byte.
    Pair("buy milk", "buy%20milk"),
    Pair(" a ", "%20a%20"),
    Pair("100%", "100%25"),
    Pair("%41", "%2541"),
    Pair("a\"b'c`d", "a%22b%27c%60d"),
    Pair("$(x)", "%24%28x%29"),
    Pair("a*b?c|d<e>f", "a%2Ab%3Fc%7Cd%3Ce%3Ef"),
    Pair("caf\u{E9}", "caf%C3%A9"),
    Pair("cafe\u{301}", "cafe%CC%81"),
    Pair("\u{1F600}", "%F0%9F%98%80"),
    Pair("Ab", "Ab"),
    Pair("aB", "aB"),
    // Names that Windows keeps for devices.
    Pair("CON", "%43ON"),
    Pair("con", "%63on"),
    Pair("cOn.txt", "%63On.txt"),
    Pair("PRN", "%50RN"),
    Pair("aux", "%61ux"),
    Pair("NUL", "%4EUL"),
    Pair("nul.tar.gz", "%6Eul.tar.gz"),
    Pair("com1", "%63om1"),
    Pair("COM9.x", "%43OM9.x"),
    Pair("LPT3", "%4CPT3"),
    Pair("com0", "com0"),
    Pair("com10", "com10"),
    Pair("CONS", "CONS"),
    Pair("CO", "CO"),
    Pair("xCON", "xCON"),
    Pair("x.CON", "x.CON"),
    // What tsync and others call their own files.
    Pair("lock", "lock"),
    Pair(".tmp-1-2", "%2Etmp-1-2"),
  ]

  @Test("each id has one file name, and it leads back", arguments: pairs)
  func map(_ pair: Pair) throws {
    let id = try ItemID(Text(pair.id))
    #expect(FileName.of(id) == Text(pair.name))
    #expect(try FileName.id(of: Text(pair.name)) == id)
  }

  /// A name that no id has, and what is said of it.
  struct Refused: CustomTestStringConvertible, Sendable {
    let name, fault: String
    var testDescription: String { name }

    init(_ name: String, _ fault: String) { (self.name, self.fault) = (name, fault) }
  }

  static let refused: [Refused] = [
    Refused("buy milk", "the file name for this id is buy%20milk.json"),
    Refused("%2f", "the file name for this id is %2F.json"),
    Refused("%41", "the file name for this id is A.json"),
    Refused("a%2Eb", "the file name for this id is a.b.json"),
    Refused("caf\u{E9}", "the file name for this id is caf%C3%A9.json"),
    Refused("con", "the file name for this id is %63on.json"),
    Refused(".a", "the file name for this id is %2Ea.json"),
    Refused("a.", "the file name for this id is a%2E.json"),
    Refused("-a", "the file name for this id is %2Da.json"),
    Refused("a+b", "the file name for this id is a%2Bb.json"),
    Refused("a%", "the file name contains a '%' that is not an escape"),
    Refused("a%2", "the file name contains a '%' that is not an escape"),
    Refused("a%ZZ", "the file name contains a '%' that is not an escape"),
    Refused("%%41", "the file name contains a '%' that is not an escape"),
    Refused("%FF", "the file name is not UTF-8"),
    Refused("%C3", "the file name is not UTF-8"),
    Refused("%ED%A0%80", "the file name is not UTF-8"),
    Refused(String(repeating: "x", count: 241), "the id is too long for a file name"),
    Refused("", "an id can't be empty"),
    Refused("%2E", "an id can't be '.' or '..'"),
    Refused("%2E%2E", "an id can't be '.' or '..'"),
    Refused("%20", "an id can't be blanks only"),
    Refused("a%00", "an id can't hold a control character"),
    Refused("a%0Ab", "an id can't hold a control character"),
    Refused("%C2%85", "an id can't hold a control character"),
  ]

  @Test(
    "a name that says an id in another way is refused, with the name to use", arguments: refused)
  func refuses(_ row: Refused) {
    #expect(throws: NameError(row.fault)) { try FileName.id(of: Text(row.name)) }
  }
}
