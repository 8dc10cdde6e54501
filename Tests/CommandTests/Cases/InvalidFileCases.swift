import CommandSupport
import Commands
import Glibc
import SyncModel
import TestSupport
import Testing

/// Files that are no items: named with their place, never sent, never
/// overwritten, and nothing else stops.
@Suite struct InvalidFileCases {
  private let world: CaseWorld
  private var anna: Person { world.anna }

  init() throws {
    world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    anna.run("new", "-s", "id=tea", "Tea")
  }

  /// Expects what every invalid file must come to; the file of `milk` is one.
  private func expectInvalid(_ place: String, _ location: SourceLocation = #_sourceLocation) throws
  {
    let before = try LaidFile(anna.directory.path(of: anna.file("milk")))
    let status = anna.run("status", "--porcelain")
    #expect(status.status == 0, sourceLocation: location)
    #expect(
      status.output.hasPrefix("# tsync.status 1\n!! invalid todoitem/milk -\n"),
      sourceLocation: location)
    let named = anna.run("push", "milk")
    #expect(named.status == 2, sourceLocation: location)
    #expect(named.error.contains(place), "\(named.error)", sourceLocation: location)
    #expect(world.writes == [], sourceLocation: location)
    #expect(anna.run("show", "milk").status == 2, sourceLocation: location)
    let pushed = anna.run("push")
    #expect(pushed.status == 3, sourceLocation: location)
    #expect(pushed.output == "created tea  Tea\n", sourceLocation: location)
    #expect(pushed.error.contains(place), sourceLocation: location)
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": "by hand"}"#)
    for _ in 1...2 {
      let pulled = anna.run("pull")
      #expect(pulled.status == 3, sourceLocation: location)
      #expect(pulled.error.contains(place), sourceLocation: location)
    }
    #expect(world.writes == ["POST"], sourceLocation: location)
    let after = try LaidFile(anna.directory.path(of: anna.file("milk")))
    #expect(after == before, sourceLocation: location)
    // Mended, it is an item like others, and what came meanwhile is merged.
    let path = anna.directory.path(of: anna.file("milk"))
    #expect(remove(path) == 0, sourceLocation: location)
    anna.directory.write(#"{"id": "milk", "text": "Oat milk"}"#, to: anna.file("milk"))
    let mended = anna.run("sync")
    #expect(mended.status == 0, "\(mended.error)", sourceLocation: location)
    #expect(anna.item("milk")?.contains("by hand") == true, sourceLocation: location)
    #expect(try world.row("milk").contains("Oat milk"), sourceLocation: location)
    anna.expectSound(location)
  }

  private func expectInvalid(_ text: [UInt8], _ place: String) throws {
    anna.directory.write(text, to: anna.file("milk"))
    try expectInvalid("items/todoitem/milk.json\(place)")
  }

  @Test(
    "case 64: what is not JSON, cut off, empty or full of zeros is named by line and column",
    arguments: [
      ("not json", ":1:1: expected a value"),
      ("{\n  \"text\": \"Milk\",\n  \"no", ":3:3: a string is not closed"),
      ("{\"text\": \"Milk\"", ":1:16: expected ',' or '}' after a value"),
      ("", ":1:1: the text ends where a value is expected"),
      ("\0\0\0\0\0\0\0\0", ":1:1: expected a value"),
    ])
  func isNoJSON(text: String, place: String) throws { try expectInvalid(Array(text.utf8), place) }

  @Test(
    "case 65: a trailing comma, a comment and single quotes are invalid, and the column is shown",
    arguments: [
      ("{\"text\": \"a\",}", ":1:14: "), ("{\n  \"text\": \"a\",\n}", ":3:1: "),
      ("{\n  // note\n}", ":2:3: "), ("{/* note */}", ":1:2: "), ("{'text': 1}", ":1:2: "),
      ("{\"n\": NaN}", ":1:7: "),
    ])
  func isRelaxedJSON(text: String, place: String) throws {
    try expectInvalid(Array(text.utf8), place)
  }

  @Test(
    "case 66: a member that stands twice is invalid, however its name is written",
    arguments: [
      ("{\"a\": 1, \"a\": 2}", ":1:10: 'a' appears twice in the object"),
      ("{\"a\": 1,\n\"\\u0061\": 2}", ":2:1: 'a' appears twice in the object"),
      ("{\"o\": {\"x\": 1, \"x\": 1}}", ":1:16: 'x' appears twice in the object"),
    ])
  func standsTwice(text: String, place: String) throws {
    try expectInvalid(Array(text.utf8), place)
  }

  @Test("case 67: UTF-16 is invalid", arguments: [false, true])
  func isUTF16(isBigEndian: Bool) throws {
    let bytes = "\u{FEFF}{\"text\": \"Milk\"}".utf16.flatMap { unit -> [UInt8] in
      let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
      return isBigEndian ? pair : pair.reversed()
    }
    try expectInvalid(bytes, ":1:1: the text is UTF-16; it must be UTF-8")
  }

  @Test("case 67: a byte order mark and CRLF are kept", arguments: ["\u{FEFF}", ""])
  func keepsMarks(mark: String) throws {
    anna.run("push")
    let text = "\(mark){\r\n  \"id\": \"milk\",\r\n  \"text\": \"Oat milk\"\r\n}\r\n"
    anna.directory.write(text, to: anna.file("milk"))
    #expect(anna.run("push").status == 0)
    #expect(anna.directory.read(anna.file("milk")) == Array(text.utf8))
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": "by hand"}"#)
    #expect(anna.run("pull").status == 0)
    let merged = try #require(anna.directory.read(anna.file("milk")))
    #expect(merged.starts(with: Array(mark.utf8) + Array("{\r\n".utf8)))
    #expect(merged.firstRange(of: Array("by hand\"\r\n}\r\n".utf8)) != nil)
    anna.expectSound()
  }

  @Test("case 68: an id that differs from the file's name is invalid, and the ways on are offered")
  func claimsAnotherID() throws {
    anna.directory.write("{\n  \"id\": \"b c\"\n}", to: anna.file("milk"))
    let way = "to fix it: change the id in it to 'milk', or rename the file to b%20c.json"
    #expect(anna.run("push", "milk").error.contains(way))
    try expectInvalid(
      "items/todoitem/milk.json:2:9: the id is 'b c', but the file name says 'milk'")
  }

  @Test("case 69: a file's own version, deleted and times are no fields, and never sent")
  func hasSystemFields() throws {
    anna.run("push")
    let system =
      #""version": "AAAA", "deleted": true, "updatedAt": "2106-01-01T00:00:00Z", "createdAt": null"#
    anna.directory.write(#"{"id": "milk", "text": "Milk", \#(system)}"#, to: anna.file("milk"))
    #expect(anna.run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"))
    anna.directory.write(#"{"id": "milk", "text": "Oat milk", \#(system)}"#, to: anna.file("milk"))
    anna.directory.write(#"{"text": "Bread", \#(system)}"#, to: anna.file("bread"))
    let pushed = anna.run("push")
    #expect(pushed.status == 0)
    #expect(
      Set(pushed.output.split(separator: "\n")) == [
        "updated milk  Oat milk", "created bread  Bread",
      ])
    for request in world.line.requests where request.method != "GET" {
      let body = String(decoding: request.body, as: UTF8.self)
      for name in ["AAAA", "deleted", "updatedAt", "createdAt"] { #expect(!body.contains(name)) }
    }
    anna.expectSound()
  }

  @Test(
    "case 70: an array, a number or null is no item",
    arguments: ["[{\"text\": \"a\"}]", "42", "null"])
  func isNoObject(text: String) throws {
    try expectInvalid(Array(text.utf8), ":1:1: expected an object")
  }

  @Test("case 71: a file of 4 MiB and a byte is invalid")
  func isTooLarge() throws {
    try expectInvalid([UInt8](repeating: 0x20, count: 4 << 20 + 1), ": larger than 4 MiB")
  }

  @Test("cases 71, W5: a file of 10 GB that takes no room is not read, and invalid")
  func isSparse() throws {
    let path = anna.directory.path(of: anna.file("milk"))
    guard truncate(path, 10 << 30) == 0 else { try Test.cancel("the disk has no files of 10 GB") }
    try expectInvalid(": larger than 4 MiB")
  }

  @Test("W5: a device is not read, and invalid")
  func isDevice() throws {
    let path = anna.directory.path(of: anna.file("milk"))
    #expect(remove(path) == 0)
    // /dev/zero's number: to read it would never end.
    guard mknod(path, S_IFCHR | 0o600, 1 << 8 | 5) == 0 else {
      try Test.cancel("only root makes devices")
    }
    try expectInvalid("items/todoitem/milk.json: not a regular file")
  }

  @Test(
    "cases 71, W4, W5: what is no regular file is not read, not waited for and not sent",
    arguments: ["fifo", "link", "endless", "dangling", "directory"])
  func isNoFile(kind: String) throws {
    let path = anna.directory.path(of: anna.file("milk"))
    #expect(remove(path) == 0)
    anna.directory.write(#"{"text": "canary-of-a-key"}"#, to: "id_ed25519")
    switch kind {
    case "fifo": #expect(mkfifo(path, 0o600) == 0)
    case "link": #expect(symlink(anna.directory.path(of: "id_ed25519"), path) == 0)
    case "dangling": #expect(symlink("nowhere", path) == 0)
    case "endless": #expect(symlink("/dev/zero", path) == 0)
    default: #expect(mkdir(path, 0o700) == 0)
    }
    try expectInvalid("items/todoitem/milk.json: not a regular file")
    #expect(!world.hasSent("canary-of-a-key"))
    #expect(anna.directory.text("id_ed25519") == #"{"text": "canary-of-a-key"}"#)
  }

  @Test("case 71: a second name of a file is an item like others, and only one of them is replaced")
  func isHardLinked() throws {
    anna.run("push")
    let path = anna.directory.path(of: anna.file("milk"))
    #expect(link(path, anna.directory.path(of: "second")) == 0)
    let before = anna.directory.text("second")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("milk")?.contains("Oat milk") == true)
    #expect(anna.directory.text("second") == before)
    anna.expectSound()
  }

  @Test("case 72: what editors drop is ignored")
  func isDropped() {
    anna.run("push")
    let items = "list/.todosync/items/todoitem"
    let names = [
      "milk.json~", ".milk.json.swp", ".milk.json", "4913", "milk.json.tmp", "#milk.json#",
      ".#milk.json", "milk.json.orig", "milk.JSON",
    ]
    for name in names { anna.directory.write("rubbish", to: "\(items)/\(name)") }
    anna.expectSound()
    for name in names { #expect(anna.directory.text("\(items)/\(name)") == "rubbish") }
  }

  @Test("case 73: a name that is not its id's is invalid, and the command that renames it works")
  func hasAnotherName() throws {
    let items = "list/.todosync/items/todoitem"
    let names = [
      ("%ZZ", "%25ZZ"), ("%2f", "%2F"), ("%41", "A"), ("buy milk", "buy%20milk"),
      ("it's", "it%27s"), ("-rf", "%2Drf"), ("con", "%63on"),
    ]
    for (name, _) in names {
      anna.directory.write(#"{"text": "Milk"}"#, to: "\(items)/\(name).json")
    }
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output == "created tea  Tea\n")
    let start = "tsync: to fix it: "
    let hints = pushed.error.split(separator: "\n").filter { $0.hasPrefix(start) }
    #expect(hints.count == names.count)
    for hint in hints {
      #expect(try anna.shell(String(hint.dropFirst(start.count))).status == 0)
    }
    for (_, canonical) in names {
      #expect(anna.directory.names(in: items).contains("\(canonical).json"))
    }
    #expect(anna.run("push").error == "\(names.count) pushed\n")
    anna.expectSound()
  }
}

/// What lies at a path, never followed or waited for.
private struct LaidFile: Equatable {
  let mode: mode_t
  let inode: ino_t
  let size: off_t
  let bytes: [UInt8]?

  init(_ path: String) throws {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    (mode, inode) = (status.st_mode, status.st_ino)
    size = status.st_size
    bytes = mode & S_IFMT == S_IFREG && size < 16 << 20 ? Files.read(path) : nil
  }
}
