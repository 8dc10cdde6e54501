import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct ItemFileTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func invalid(_ bytes: [UInt8], id: Text = "a") throws -> InvalidItem? {
    let key = try playground.key(id)
    playground.directory.write(bytes, to: ".todosync/items/todoitem/\(id).json")
    guard case .invalid(let invalid) = try playground.open().client(key) else { return nil }
    return invalid
  }

  @Test(
    "What is no item is invalid, and its place is named",
    arguments: [
      ("", "1:1: the text ends where a value is expected"),
      ("{\"text\": \"a\"", "1:13: expected ',' or '}' after a value"),
      ("\0\0\0\0", "1:1: expected a value"),
      ("not json", "1:1: expected a value"),
      ("{\n  \"text\": \"a\",\n}", "3:1: expected a member name in quotes"),
      ("{\n  // note\n}", "2:3: expected a member name in quotes"),
      ("{'text': 1}", "1:2: expected a member name in quotes"),
      ("{\"a\": 1, \"a\": 2}", "1:10: the member 'a' stands twice"),
      ("{\"a\": 1,\n\"\\u0061\": 2}", "2:1: the member 'a' stands twice"),
      ("{\"o\": {\"x\": 1, \"x\": 1}}", "1:16: the member 'x' stands twice"),
      ("{\"l\": [{\"x\": 1, \"x\": 1}]}", "1:17: the member 'x' stands twice"),
      ("[]", "1:1: expected an object"),
      ("\n 42", "2:2: expected an object"),
      ("{} {}", "1:4: nothing may follow the value"),
      ("\u{feff}\u{feff}{}", "1:1: expected a value"),
      ("{\"id\": 7}", "1:8: the id is not a string"),
    ])
  func namesFaults(text: String, expected: String) throws {
    let invalid = try #require(try invalid(Array(text.utf8)))
    #expect(invalid.place == "items/todoitem/a.json")
    #expect("\(invalid.line ?? 0):\(invalid.column ?? 0): \(invalid.message)" == expected)
  }

  @Test("Text in UTF-16 and in Latin-1 is invalid")
  func refusesOtherEncodings() throws {
    let wide = Array("{}".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    #expect(try invalid([0xFF, 0xFE] + wide)?.message == "the text is UTF-16; it must be UTF-8")
    #expect(try invalid([0xFE, 0xFF, 0, 0x7B])?.message == "the text is UTF-16; it must be UTF-8")
    let latin = try #require(try invalid(Array("{\"t\": \"caf".utf8) + [0xE9] + Array("\"}".utf8)))
    #expect(latin.message == "not valid UTF-8")
    #expect(latin.column == 11)
  }

  @Test("A file with another id claims it, and the hint moves it")
  func namesTheClaimedID() throws {
    let invalid = try #require(try invalid(Array("{\n  \"id\": \"b c\"\n}".utf8)))
    #expect(invalid.message == "the id is 'b c', and the file's name says 'a'")
    #expect(invalid.claims == (try ItemID("b c")))
    #expect(invalid.hint?.typed == "tsync mv todoitem/a a")
    #expect(invalid.line == 2)
    #expect(invalid.column == 9)
  }

  @Test("Ids that are canonically equal but not the same bytes are two")
  func comparesIDsByBytes() throws {
    let key = try playground.key("e\u{301}")
    let text = Array("{\"id\": \"\u{e9}\"}".utf8)
    #expect(throws: InvalidItem.self) { try ItemFile.item(in: text, as: key, place: "") }
  }

  @Test("A file may leave out its id, name it, or say null")
  func takesTheIDFromTheName() throws {
    for text in [
      "{\"text\": \"x\"}", "{\"id\": \"a\", \"text\": \"x\"}", "{\"id\": null, \"text\": \"x\"}",
    ] {
      playground.save(text)
      let state = try playground.open().client(try playground.key())
      #expect(state == .item(try Item(text: "{\"text\": \"x\"}"), Digest(of: text.utf8)))
    }
  }

  @Test("System fields in a file are no fields")
  func ignoresSystemFields() throws {
    playground.save(
      #"{"text": "x", "version": "A", "deleted": true, "updatedAt": 7, "createdAt": null}"#)
    let item = try playground.open().client(try playground.key()).item
    #expect(item?.fields.members.map(\.name) == ["text"])
  }

  @Test("A byte order mark and CRLF are no faults")
  func takesMarksAndLineEnds() throws {
    playground.save("\u{feff}{\r\n  \"text\": \"x\"\r\n}\r\n")
    #expect(try playground.open().client(try playground.key()).item?["text"] == "x")
  }

  /// Items that come in a row of at most 1 MiB, and whose files are larger where they are indented.
  private static let large = [
    #"{"list":[\#((0..<120_000).map(String.init).joined(separator: ","))]}"#,
    #"{"deep":"# + String(repeating: "[", count: 60)
      + [String](repeating: "0", count: 20_000).joined(separator: ",")
      + String(repeating: "]", count: 60) + "}",
    #"{"text":"\#(String(repeating: #"\b"#, count: 520_000))"}"#,
  ]

  @Test("A row that fits is a file that fits, however it is written", arguments: large)
  func fits(text: String) throws {
    #expect(text.utf8.count <= 1 << 20)
    let item = try Item(text: text)
    var workspace = try playground.open()
    let new = try playground.key("new")
    _ = try workspace.write(item, to: new, expecting: nil)
    #expect(try workspace.client(new).item == item)
    let old = playground.save("{\n        \"other\": 1,\n        \"deep\": [\n        ]\n}\n")
    let key = try playground.key()
    let outcome = try workspace.write(item, to: key, expecting: old)
    #expect(outcome != .changedMeanwhile)
    #expect(try workspace.client(key).item == item)
  }

  @Test("4 MiB are read, and one byte more is not")
  func limitsSize() throws {
    let text = "{\"text\": \"\"}"
    let padding = String(repeating: " ", count: ItemFile.limit - text.utf8.count)
    #expect(try invalid(Array((text + padding).utf8)) == nil)
    #expect(try invalid(Array((text + padding + " ").utf8))?.message == "larger than 4 MiB")
  }

  @Test("W4, W5: what is no regular file is not read and not waited for")
  func readsRegularFilesOnly() throws {
    let path = playground.directory.path(of: ".todosync/items/todoitem/")
    playground.directory.write("{\"text\": \"secret\"}", to: "secret")
    #expect(symlink(playground.directory.path(of: "secret"), path + "link.json") == 0)
    #expect(mkfifo(path + "pipe.json", 0o600) == 0)
    #expect(mkdir(path + "dir.json", 0o700) == 0)
    let workspace = try playground.open()
    for id: Text in ["link", "pipe", "dir"] {
      let state = try workspace.client(try playground.key(id))
      #expect(
        state
          == .invalid(
            InvalidItem(place: "items/todoitem/\(id).json", message: "not a regular file")))
    }
  }

  @Test("W4: a directory of items that is a link is not followed")
  func followsNoDirectory() throws {
    let items = playground.directory.path(of: ".todosync/items")
    #expect(rename(items + "/todoitem", playground.directory.path(of: "elsewhere")) == 0)
    #expect(symlink(playground.directory.path(of: "elsewhere"), items + "/todoitem") == 0)
    let workspace = try playground.open()
    #expect(throws: WorkspaceError.self) { try workspace.client(try playground.key()) }
  }

  @Test("Nothing in an item's place is absent, without its directory too")
  func findsNothing() throws {
    let workspace = try playground.open()
    #expect(try workspace.client(try playground.key("none")) == .absent)
    #expect(try workspace.client(ItemKey(try TableName("other"), try ItemID("a"))) == .absent)
  }

  @Test(
    "A name stands for an id, for nothing, or is invalid with the command that renames it",
    arguments: [
      ("a.json", "item a"), ("buy-milk.json", "item buy-milk"), ("a.b.json", "item a.b"),
      ("%2E.%2Fx.json", "item ../x"), ("caf%C3%A9.json", "item caf\u{e9}"),
      ("x.json~", "ignored"), (".x.json.swp", "ignored"), (".x.json", "ignored"),
      ("4913", "ignored"), ("x.json.tmp", "ignored"), ("#x.json#", "ignored"), (".json", "ignored"),
      ("x.JSON", "ignored"),
      (
        "buy milk.json",
        "mv -n '.todosync/items/todoitem/buy milk.json' .todosync/items/todoitem/buy%20milk.json"
      ),
      ("%ZZ.json", "mv -n .todosync/items/todoitem/%ZZ.json .todosync/items/todoitem/%25ZZ.json"),
      ("%41.json", "mv -n .todosync/items/todoitem/%41.json .todosync/items/todoitem/A.json"),
      ("%2f.json", "mv -n .todosync/items/todoitem/%2f.json .todosync/items/todoitem/%2F.json"),
      ("-rf.json", "mv -n .todosync/items/todoitem/-rf.json .todosync/items/todoitem/%2Drf.json"),
      (
        "it's.json",
        #"mv -n '.todosync/items/todoitem/it'\''s.json' .todosync/items/todoitem/it%27s.json"#
      ),
      ("a\nb.json", "no hint"), ("\u{1B}.json", "no hint"),
    ])
  func readsNames(name: String, expected: String) {
    switch ItemFile.Name(of: Array(name.utf8), in: playground.table) {
    case .item(let id): #expect("item \(id)" == expected)
    case .ignored: #expect("ignored" == expected)
    case .invalid(let invalid):
      #expect(invalid.hint?.typed ?? "no hint" == expected)
      #expect(invalid.place == "items/todoitem/\(name)")
    }
  }

  @Test("A name that is not UTF-8 is invalid, without a hint that would not work")
  func readsBrokenNames() {
    guard
      case .invalid(let invalid) = ItemFile.Name(
        of: [0xFF] + Array(".json".utf8), in: playground.table)
    else {
      Issue.record("the name was taken")
      return
    }
    #expect(invalid.message == "the file's name is not UTF-8")
    #expect(invalid.hint == nil)
  }

  @Test("A new file has the id first, two spaces a level, no nulls and a line end at its end")
  func writesNewFiles() throws {
    let item = try Item(text: #"{"text": "x", "due": null, "tags": ["a"], "n": 1.50, "id": "zzz"}"#)
    let text = ItemFile.text(of: item, id: try ItemID("a/b"))
    #expect(
      String(decoding: text, as: UTF8.self) == """
        {
          "id": "a/b",
          "text": "x",
          "tags": [
            "a"
          ],
          "n": 1.50
        }

        """)
  }
}
