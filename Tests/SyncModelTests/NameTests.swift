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

  private static let rule =
    "a table name must be a letter, then letters, digits and '_', 64 at most"

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
