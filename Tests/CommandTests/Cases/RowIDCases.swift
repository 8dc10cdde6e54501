import CommandSupport
import Commands
import TestSupport
import Testing

/// Ids that a server sends, whatever it means by them.
@Suite("Ids from a hostile server") struct RowIDCases {
  private let table: HostileTable
  private let anna = Person()

  init() throws {
    table = try HostileTable()
  }

  @Test(
    "case 1: an id that names a place outside becomes a file in its directory",
    arguments: [
      ("../../.bashrc", "%2E.%2F..%2F.bashrc"), ("../../../config/tsync", nil),
      ("/etc/passwd", "%2Fetc%2Fpasswd"), (".bashrc", "%2Ebashrc"), ("-rf", "%2Drf"),
      ("..\\\\..\\\\x", "%2E.%5C..%5Cx"), ("%2e%2e%2fx", "%252e%252e%252fx"), ("a/..", "a%2F.%2E"),
      ("items/todoitem/../../journal", nil), ("x.json/../../y", nil),
    ] as [(String, String?)])
  func staysInside(id: String, name: String?) throws {
    anna.directory.write("mine", to: ".bashrc")
    anna.directory.write("mine", to: "config/tsync/config")
    table.put("good", at: 1)
    table.put(id, at: 2)
    table.put("last", at: 3)
    let before = anna.surroundings
    #expect(anna.clone(table).status == 0)
    #expect(anna.surroundings == before)
    #expect(anna.items.count == 3)
    if let name { #expect(anna.items.contains("\(name).json")) }
    #expect(anna.items.allSatisfy { !$0.utf8.contains(UInt8(ascii: "/")) })
    // The files are the table's and nobody else's: nothing is to be sent, nothing new comes.
    anna.expectClean()
    #expect(anna.run("pull").status == 0)
  }

  @Test(
    "cases 2, 3, 9: an id that is none is set aside, and the others go on",
    arguments: [
      ".", "..", "", " ", "   ", #"\u0000"#, #"a\u0000b"#, #"\u001b]52;c;eA==\u0007"#, #"a\nb"#,
      #"\u0085"#, #"a\u007fb"#,
    ])
  func isSetAside(id: String) throws {
    table.put("good", at: 1)
    table.put(id, at: 2)
    table.put("last", at: 3)
    let before = anna.surroundings
    let cloned = anna.clone(table)
    #expect(cloned.status == 3)
    #expect(cloned.output.hasPrefix("quarantined "))
    #expect(cloned.isPrintable)
    #expect(anna.surroundings == before)
    #expect(anna.items == ["good.json", "last.json"])
    #expect(anna.quarantined.count == 1)
    // The token has passed the row: the next pull begins behind it.
    #expect(anna.run("pull").status == 0)
    #expect(table.requests.last?.contains("updatedAt ge cast(\(HostileTable.time(3))") == true)
    anna.expectClean(quarantined: 1)
  }

  @Test(
    "case 4: an id is taken as long as its file's name is, and set aside where it is longer",
    arguments: [
      ("x", 240, 0), ("x", 241, 3), ("x", 255, 3), ("x", 256, 3), ("/", 80, 0), ("/", 81, 3),
    ])
  func length(character: String, count: Int, status: Int32) throws {
    table.put(String(repeating: character, count: count), at: 1)
    table.put("last", at: 2)
    let cloned = anna.clone(table)
    #expect(cloned.status == status)
    #expect(anna.items.count == (status == 0 ? 2 : 1))
    #expect(anna.quarantined.count == (status == 0 ? 0 : 1))
    #expect(anna.run("pull").status == 0)
  }

  @Test(
    "cases 5, 6, 7, S3: ids that look alike are items of their own, and stay so",
    arguments: [
      ("Ab", "aB"), ("é", "e\u{301}"), ("a", "a "), ("a/\u{301}b", "a/b"), ("ß", "ss"),
      ("a", "a\u{200B}"), ("K", "\u{212A}"),
    ])
  func twins(one: String, other: String) throws {
    table.put(one, at: 1, #""text":"one""#)
    table.put(other, at: 2, #""text":"other""#)
    #expect(anna.clone(table).status == 0)
    #expect(anna.items.count == 2)
    let texts = anna.items.compactMap {
      anna.directory.text("list/.todosync/items/todoitem/\($0)")
    }
    #expect(texts.contains { $0.contains(#""text": "one""#) })
    #expect(texts.contains { $0.contains(#""text": "other""#) })
    table.put(other, at: 3, version: "v2", #""text":"changed""#)
    #expect(anna.run("pull").status == 0)
    #expect(anna.items.count == 2)
    anna.expectClean()
    // Where a file system knows no letter case, they would be one file.
    #expect(anna.run("doctor").output.contains("upper and lower case") == (one == "Ab"))
  }

  @Test("case 8: names that mean something to programs and systems are ids like others")
  func reserved() throws {
    let ids = [
      "CON", "nul", "com1", ".git", "lock", "x.json", "journal", "base", "con.txt", ".tmp-1",
    ]
    for (index, id) in ids.enumerated() { table.put(id, at: index) }
    let before = anna.surroundings
    #expect(anna.clone(table).status == 0)
    #expect(anna.surroundings == before)
    #expect(
      anna.items
        == [
          "%2Egit.json", "%2Etmp-1.json", "%43ON.json", "%63om1.json", "%63on.txt.json",
          "%6Eul.json", "base.json", "journal.json", "lock.json", "x.json.json",
        ].sorted())
    let listed = anna.run("list", "-a")
    #expect(listed.status == 0)
    anna.expectClean()
  }
}
