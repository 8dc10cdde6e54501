import SyncModel
import Testing

@Suite("Names") struct NameTests {
  /// A text, and why it can't be a name; `nil` where it can.
  struct Name: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: Text
    let fault: String?

    init(_ name: String, _ text: String, _ fault: String? = nil) {
      testDescription = name
      self.text = Text(text)
      self.fault = fault
    }
  }

  private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

  static let ids: [Name] = [
    Name("a letter", "a"),
    Name("a UUID", "8d5e1b0c-6b3f-4e0b-9f3c-000000000001"),
    Name("a path upwards", "../../.bashrc"),
    Name("a slash", "/"),
    Name("three dots", "..."),
    Name("a leading dash", "-rf"),
    Name("blanks around", " a "),
    Name("a quote and a percent sign", "\"%"),
    Name("a no-break space alone", "\u{A0}"),
    Name("beyond ASCII", "\u{20AC}"),
    Name("a right-to-left override", "\u{202E}"),
    Name("255 bytes", long(255)),
    Name("255 bytes in fewer scalars", long(1) + String(repeating: "\u{E9}", count: 127)),
    Name("nothing", "", "an id can't be empty"),
    Name("a dot", ".", "an id can't be '.' or '..'"),
    Name("two dots", "..", "an id can't be '.' or '..'"),
    Name("a blank", " ", "an id can't be blanks only"),
    Name("blanks", "   ", "an id can't be blanks only"),
    Name("256 bytes", long(256), "an id may have 255 bytes at most"),
    Name(
      "256 bytes in fewer scalars", String(repeating: "\u{E9}", count: 128),
      "an id may have 255 bytes at most"),
    Name("a NUL", "a\u{0}b", "an id can't hold a control character"),
    Name("a line end", "a\nb", "an id can't hold a control character"),
    Name("CRLF, which is one Character", "a\r\nb", "an id can't hold a control character"),
    Name("an escape", "\u{1B}[2J", "an id can't hold a control character"),
    Name("the last of C0", "\u{1F}", "an id can't hold a control character"),
    Name("DEL", "\u{7F}", "an id can't hold a control character"),
    Name("the first of C1", "\u{80}", "an id can't hold a control character"),
    Name("the last of C1", "\u{9F}", "an id can't hold a control character"),
    Name(
      "a control character with an accent", "a\u{1B}\u{301}", "an id can't hold a control character"
    ),
  ]

  @Test("an id is 1 to 255 bytes without control characters", arguments: ids)
  func id(_ row: Name) {
    #expect(fault { try ItemID(row.text).text } == row.fault)
  }

  static let tables: [Name] = [
    Name("a word", "todoitem"),
    Name("a letter", "t"),
    Name("capitals, digits and underscores", "_Todo_Item2"),
    Name("64 bytes", long(64)),
    Name("nothing", "", rule),
    Name("65 bytes", long(65), rule),
    Name("a digit first", "2todo", rule),
    Name("a dash", "todo-item", rule),
    Name("a dot", "todo.item", rule),
    Name("a slash", "todo/item", rule),
    Name("a blank", "todo item", rule),
    Name("a letter beyond ASCII", "tod\u{F6}", rule),
    Name("an accent", "todo\u{301}", rule),
    Name("a line end", "todo\n", rule),
    Name("a percent sign", "%2e", rule),
  ]

  private static let rule = "a table's name is a letter, then letters, digits and '_', 64 at most"

  @Test("a table's name is letters, digits and underscores", arguments: tables)
  func table(_ row: Name) {
    #expect(fault { try TableName(row.text).text } == row.fault)
  }

  private func fault(_ make: () throws -> Text) -> String? {
    do {
      _ = try make()
      return nil
    } catch { return "\(error)" }
  }

  @Test("names are compared byte by byte")
  func bytewise() throws {
    for (one, other) in [("A", "a"), ("\u{E9}", "e\u{301}"), ("a", "a "), ("\u{212B}", "\u{C5}")] {
      let (one, other) = (try ItemID(Text(one)), try ItemID(Text(other)))
      #expect(one != other)
      #expect(Set([one, other]).count == 2)
      #expect((one < other) != (other < one))
    }
    #expect(try TableName("A") != TableName("a"))
  }

  @Test("items are ordered by table, then by id")
  func order() throws {
    func key(_ table: Text, _ id: Text) throws -> ItemKey {
      ItemKey(try TableName(table), try ItemID(id))
    }
    let keys = [try key("a", "2"), try key("a", "10"), try key("B", "9"), try key("b", "1")]
    #expect(keys.sorted().map(\.description) == ["B/9", "a/10", "a/2", "b/1"])
  }

  static let versions: [Name] = [
    Name("a word", "AAAAAAAAB9E="),
    Name("a quote", "a\"b"),
    Name("a blank", " "),
    Name("1,024 bytes", long(1_024)),
    Name("nothing", "", "no version"),
    Name("1,025 bytes", long(1_025), "no version"),
    Name("a line end, which would split a header", "a\r\nX: y", "no version"),
    Name("a C1 character", "\u{85}", "no version"),
  ]

  @Test("a version is 1 to 1,024 bytes without control characters", arguments: versions)
  func version(_ row: Name) {
    #expect(Version(row.text)?.text == (row.fault == nil ? row.text : nil))
  }

  @Test("the system fields are known by their exact names, or begin with two underscores")
  func systemFields() {
    for name in ["createdAt", "updatedAt", "version", "deleted", "__version", "__"] as [Text] {
      #expect(SystemField.contains(name))
    }
    for name in ["id", "Deleted", "_version", "version ", "a__", ""] as [Text] {
      #expect(!SystemField.contains(name))
    }
  }
}
