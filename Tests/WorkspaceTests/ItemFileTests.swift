import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace
import WorkspaceSupport

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
      ("{\"l\": [{\"x\": 1, \"x\": 1}]}", "1:17: 'x' appears twice in the object"),
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

  @Test("Text in Latin-1 is invalid")
  func refusesLatin1() throws {
    let latin = try #require(try invalid(Array("{\"t\": \"caf".utf8) + [0xE9] + Array("\"}".utf8)))
    #expect(latin.message == "not valid UTF-8")
    #expect(latin.column == 11)
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
