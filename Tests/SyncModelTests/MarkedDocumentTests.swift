import SyncModel
import TestSupport
import Testing

@Suite struct MarkedDocumentTests {
  private let id: ItemID

  init() throws {
    id = try ItemID("2b9e")
  }

  private func item(_ text: String) throws -> Item {
    Item(try #require(JSON(parsing: Array(text.utf8)).object))
  }

  private func conflict(_ base: String?, _ client: String?, _ server: String?) throws -> Conflict {
    let (base, client, server) = (
      try base.map(item), try client.map(item), try server.map(item)
    )
    guard let client, let server else {
      return Conflict(
        base: base, client: client,
        server: server)
    }
    return Conflict(
      base: base, client: client, server: server,
      fields: FieldMerge(base: base, client: client, server: server))
  }

  /// Returns the text of a document below its first line.
  private func text(_ base: String?, _ client: String?, _ server: String?) throws -> String {
    let text = try MarkedDocument(conflict(base, client, server), of: id).text
    return String(decoding: text.drop { $0 != 0x0A }.dropFirst(), as: UTF8.self)
  }

  // MARK: The first line

  private func firstLine(_ base: String?, _ client: String?, _ server: String?) throws -> String {
    let text = try MarkedDocument(conflict(base, client, server), of: id).text
    return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  @Test("the first line names what each side says, or that it deleted the item")
  func namesTheVersions() throws {
    func version(_ due: Int) -> String {
      let text = "{\n  \"id\": \"2b9e\",\n  \"due\": \(due)\n}\n"
      return String(Digest(of: Array(text.utf8)).description.prefix(8))
    }
    #expect(
      try firstLine(#"{"due": 1}"#, #"{"due": 2}"#, #"{"due": 3}"#)
        == "// client \(version(2)), server \(version(3)): leave this line")
    #expect(
      try firstLine(nil, #"{"due": 2, "n": null}"#, #"{"due": 3}"#)
        == "// client \(version(2)), server \(version(3)): leave this line")
    #expect(
      try firstLine(#"{"due": 1}"#, nil, #"{"due": 3}"#)
        == "// client deleted, server \(version(3)): leave this line")
    #expect(
      try firstLine(#"{"due": 1}"#, #"{"due": 2}"#, nil)
        == "// client \(version(2)), server deleted: leave this line")
  }

  @Test("what the server had changed before it deleted the item is of the client's version")
  func namesWhatIsRevived() throws {
    let versions = try [nil, #"{"due": 1, "n": 2}"#, #"{"due": 1, "n": 3}"#].map { last in
      let conflict = Conflict(
        base: try item(#"{"due": 1}"#), client: try item(#"{"due": 2}"#), server: nil,
        last: try last.map(item))
      return MarkedDocument(conflict, of: id).versions
    }
    #expect(Set(versions).count == 3)
  }

  @Test(
    "the versions are read back, whatever an editor made of the rest of the line",
    arguments: [
      "// client 3f9a01c2, server deleted: leave this line\n{}",
      "// client 3f9a01c2, server deleted",
      "// client 3f9a01c2, server deleted: leave this line\r\n{}",
      "\u{FEFF}// client 3f9a01c2, server deleted: and this\n{}",
      "  // client 3f9a01c2, server deleted:\n{}",
    ])
  func readsTheVersions(_ text: String) {
    let versions = MarkedDocument(Array(text.utf8), of: id).versions
    #expect(versions.map(Array.init) == Array("// client 3f9a01c2, server deleted".utf8))
  }

  @Test(
    "no other line names versions, and a comment elsewhere is a mistake",
    arguments: ["{}", "\n// client 3f9a01c2, server deleted: leave this line\n{}", "// mine\n{}"])
  func readsNoVersions(_ text: String) {
    let document = MarkedDocument(Array(text.utf8), of: id)
    #expect(document.versions == nil)
    if text != "{}" { #expect(throws: JSONError.self) { try document.item() } }
  }

  private static let firstLine = "// client 3f9a01c2, server é: leave this line"

  @Test("below the first line a mistake is told with its place", arguments: mistakes)
  func tellsMistakesBelow(_ mistake: Mistake) throws {
    let error = #expect(throws: JSONError.self) {
      try MarkedDocument(Array("\(Self.firstLine)\n\(mistake.text)".utf8), of: id).item()
    }
    #expect(error?.message == mistake.message)
    #expect(error?.line == mistake.line + 1)
    #expect(error?.column == mistake.column)
  }

  // MARK: The text

  @Test("marks the field in conflict, and merges the rest")
  func marksTheField() throws {
    let text = try text(
      #"{"text": "Renew passport", "due": "2026-02-27"}"#,
      #"{"text": "Renew passport", "due": "2026-03-03"}"#,
      #"{"text": "Renew passport", "due": "2026-03-10", "notes": "bring photos"}"#)
    #expect(
      text == """
        {
          "id": "2b9e",
          "text": "Renew passport",
        <<<<<<< client
          "due": "2026-03-03",
        ||||||| base
          "due": "2026-02-27",
        =======
          "due": "2026-03-10",
        >>>>>>> server
          "notes": "bring photos"
        }

        """)
  }

  @Test("the last member has no comma on any side")
  func marksTheLastMember() throws {
    let text = try text(#"{"n": 3}"#, #"{"n": 13}"#, #"{"n": 23}"#)
    #expect(
      text == """
        {
          "id": "2b9e",
        <<<<<<< client
          "n": 13
        ||||||| base
          "n": 3
        =======
          "n": 23
        >>>>>>> server
        }

        """)
  }

  @Test("a side without the field is empty")
  func marksAnAbsentSide() throws {
    let text = try text(#"{"text": "a", "due": 1}"#, #"{"text": "a"}"#, #"{"text": "a", "due": 2}"#)
    #expect(
      text == """
        {
          "id": "2b9e",
          "text": "a",
        <<<<<<< client
        ||||||| base
          "due": 1
        =======
          "due": 2
        >>>>>>> server
        }

        """)
  }

  private static let (base, client, server) = (
    #"{"addr": {"city": "Bern", "zip": "1", "geo": 1}, "notes": "l1\nl2\nl3\n\n\tl5"}"#,
    #"{"addr": {"city": "Bern", "zip": "3", "geo": 5}, "notes": "l1\nANNA2\nl3\n\n\tl5"}"#,
    #"{"addr": {"city": "Wien", "zip": "2", "geo": 1}, "notes": "l1\nBEN2\nl3\n\n\tl5\n"}"#
  )

  @Test("the marks are within objects, and between the lines of a text")
  func marksMembersAndLines() throws {
    #expect(
      try text(Self.base, Self.client, Self.server) == """
        {
          "id": "2b9e",
          "addr": {
            "city": "Wien",
        <<<<<<< client
            "zip": "3",
        ||||||| base
            "zip": "1",
        =======
            "zip": "2",
        >>>>>>> server
            "geo": 5
          },
          "notes": \"""
            l1
        <<<<<<< client
            ANNA2
        ||||||| base
            l2
        =======
            BEN2
        >>>>>>> server
            l3

            \tl5

            \"""
        }

        """)
  }

  @Test("a text in conflict that can't be a block stands whole, merged with each side's lines")
  func marksAText() throws {
    let text = try text(
      #"{"t": "a\nb\nc\r\nd"}"#, #"{"t": "a\nB\nc\r\nd"}"#, #"{"t": "a\nX\nc\r\nD"}"#)
    let sides = [#""a\nB\nc\r\nD""#, #""a\nb\nc\r\nD""#, #""a\nX\nc\r\nD""#]
    let expected = """
      {
        "id": "2b9e",
      <<<<<<< client
        "t": \(sides[0])
      ||||||| base
        "t": \(sides[1])
      =======
        "t": \(sides[2])
      >>>>>>> server
      }

      """
    #expect(text == expected)
  }

  @Test("where one side deleted the item the marks are around the whole object")
  func marksTheWholeObject() throws {
    let text = try text(#"{"text": "old"}"#, #"{"text": "new"}"#, nil)
    #expect(
      text == """
        <<<<<<< client
        {
          "id": "2b9e",
          "text": "new"
        }
        ||||||| base
        {
          "id": "2b9e",
          "text": "old"
        }
        =======
        {
          "id": "2b9e",
          "deleted": true
        }
        >>>>>>> server

        """)
  }

  // MARK: The way back

  @Test("the id may stay or go, and the rest is the item")
  func readsAnItem() throws {
    let expected = try item(#"{"text": "a", "n": 1.50}"#)
    for text in [#"{"id": "2b9e", "text": "a", "n": 1.50}"#, #"{"text": "a", "n": 1.5}"#] {
      #expect(try MarkedDocument(Array(text.utf8), of: id).item() == expected)
    }
  }

  @Test("an object that says so deletes the item")
  func readsADeletion() throws {
    let text = #"{"id": "2b9e", "deleted": true}"#
    #expect(try MarkedDocument(Array(text.utf8), of: id).item() == nil)
  }

  /// A text with a mistake, and what is said of it.
  struct Mistake: CustomTestStringConvertible, Sendable {
    let name, text, message: String
    let line, column: Int
    var testDescription: String { name }
  }

  static let mistakes = [
    Mistake(
      name: "a first mark", text: "{\n<<<<<<< client\n  \"a\": 1\n}",
      message: "a conflict marker is left", line: 2, column: 1),
    Mistake(
      name: "a mark in the middle", text: "{\n  \"a\": 1,\n=======\n  \"b\": 1\n}",
      message: "a conflict marker is left", line: 3, column: 1),
    Mistake(
      name: "a mark after CR", text: "{\r\n  \"a\": 1\r\n>>>>>>> server\r\n}",
      message: "a conflict marker is left", line: 3, column: 1),
    Mistake(
      name: "a mark that was moved into a text",
      text: "{\n  \"a\": \"\"\"\n    x\n    <<<<<<< client\n    y\n    \"\"\"\n}",
      message: "a conflict marker is left", line: 4, column: 1),
    Mistake(
      name: "both sides", text: "{\n  \"due\": 1,\n  \"due\": 2\n}",
      message: "'due' appears twice in the object", line: 3, column: 3),
    Mistake(
      name: "both sides, as another spelling", text: "{\n  \"due\": 1,\n  \"\\u0064ue\": 2\n}",
      message: "'due' appears twice in the object", line: 3, column: 3),
    Mistake(
      name: "another id", text: "{\n  \"id\": \"other\",\n  \"a\": 1\n}",
      message: "the id must stay '2b9e'", line: 2, column: 9),
    Mistake(
      name: "no value", text: "{\n  \"a\": \n}", message: "expected a value", line: 3, column: 1),
    Mistake(
      name: "no value after a member without a comma",
      text: "{\n  \"a\": 1\n  \"b\": ,\n  \"c\": 2\n}",
      message: "expected a value", line: 3, column: 8),
    Mistake(
      name: "no object", text: "[1]", message: "expected an object", line: 1, column: 1),
    Mistake(
      name: "two objects", text: "{\"a\": 1}\n{\"deleted\": true}",
      message: "nothing may follow the value", line: 2, column: 1),
    Mistake(
      name: "a block that is not closed", text: "{\n  \"a\": \"\"\"\n    l1\n}",
      message: "the text has no closing \"\"\"", line: 2, column: 8),
    Mistake(
      name: "a line of a block too far left",
      text: "{\n  \"a\": \"\"\"\n    l1\n   l2\n    \"\"\"\n}",
      message: "this line must begin with the blanks before the closing \"\"\"", line: 4, column: 1),
    Mistake(
      name: "a block that begins on its line", text: "{\n  \"a\": \"\"\"l1\n    \"\"\"\n}",
      message: "\"\"\" must end its line", line: 2, column: 8),
    Mistake(
      name: "no value, in a line behind a block",
      text: "{\"a\": \"\"\"\n m\n n\n \"\"\",\n  \"é\": x}",
      message: "expected a value", line: 5, column: 8),
    Mistake(
      name: "no value, behind a block with CR LF",
      text: "{\"a\": \"\"\"\r\n\tm\r\n\t\"\"\", \"b\": x}",
      message: "expected a value", line: 3, column: 12),
    Mistake(
      name: "a deletion with fields", text: "{\n  \"deleted\": true,\n  \"a\": 1\n}",
      message: "a deleted item cannot have other members", line: 2, column: 14),
  ]

  @Test("a mistake is told with its place", arguments: mistakes)
  func tellsMistakes(_ mistake: Mistake) throws {
    let error = #expect(throws: JSONError.self) {
      try MarkedDocument(Array(mistake.text.utf8), of: id).item()
    }
    #expect(error?.message == mistake.message)
    #expect(error?.line == mistake.line)
    #expect(error?.column == mistake.column)
  }

  @Test("a text beyond 4 MiB is a mistake")
  func tellsTooMuch() throws {
    let long = Array("{\"a\": \"".utf8) + [UInt8](repeating: 0x61, count: 4 << 20) + "\"}".utf8
    #expect(throws: JSONError.self) { try MarkedDocument(long, of: id).item() }
  }

  @Test(
    "commas that lines left behind or took along are no mistake",
    arguments: [
      "{\n  \"a\": \"1\",\n  \"b\": [2,3]\n}",
      "{\n  \"a\": \"1\",\n  \"b\": [2,3],\n}",
      "{\n  \"a\": \"1\"\n  \"b\": [2,3]\n}",
      "{\n  \"a\": \"1\",\n, \"b\": [2,3]\n}",
      "{\n, \"a\": \"1\"\n, \"b\": [2,3]\n,}",
      "{\"a\": \"1\"\n\"b\": [2,3]}",
      "{\r\n  \"a\": \"1\"\r\n  \"b\": [2,3],\r\n}\r\n",
    ])
  func forgivesCommas(_ text: String) throws {
    let expected = try item(#"{"a": "1", "b": [2, 3]}"#)
    #expect(try MarkedDocument(Array(text.utf8), of: id).item() == expected)
  }

  @Test("commas are forgiven in every object")
  func forgivesCommasWithin() throws {
    let text =
      "{\n \"a\": {,\"x\": {\"y\": 1,,}\n\"z\": [{\"q\": 1,}, 2]\n}\n\"b\": \"\"\"\n m\n n\n \"\"\"\n\"c\": 1}"
    let expected = try item(#"{"a": {"x": {"y": 1}, "z": [{"q": 1}, 2]}, "b": "m\nn", "c": 1}"#)
    #expect(try MarkedDocument(Array(text.utf8), of: id).item() == expected)
    for list in ["[{\"x\": 1},\n{\"y\": 1},\n]", "[\n{\"x\": 1}\n{\"y\": 1}]"] {
      let document = MarkedDocument(Array("{\"a\": \(list)}".utf8), of: id)
      #expect(try document.item() == item(#"{"a": [{"x": 1}, {"y": 1}]}"#))
    }
  }

  @Test(
    "commas that can't come of taking lines away stay mistakes",
    arguments: [
      "{\"a\": 1 \"b\": 2}", "{\"a\": [1,]}", "{\"a\": {\"x\": [1,]}}", "{\"a\": [{},,]}",
      "{\"a\": [{} {}]}", "{\"a\", \"b\": 1}",
      "{\"a\": 1}\n,", ",{\"a\": 1}",
    ])
  func doesNotForgive(_ text: String) throws {
    #expect(throws: JSONError.self) { try MarkedDocument(Array(text.utf8), of: id).item() }
  }

  @Test("only blanks are blank, below the first line")
  func knowsBlanks() {
    #expect(MarkedDocument([], of: id).isBlank)
    #expect(MarkedDocument(Array(" \r\n\t".utf8), of: id).isBlank)
    #expect(MarkedDocument(Array("\(Self.firstLine)\r\n\n".utf8), of: id).isBlank)
    #expect(!MarkedDocument(Array(" {}".utf8), of: id).isBlank)
  }

  // MARK: There and back

  @Test("any side of a deletion is strict JSON, and that side", arguments: Side.allCases)
  func deletionComesBack(side: Side) throws {
    for conflict in [
      try conflict(#"{"a": 1}"#, #"{"a": 2}"#, nil), try conflict(#"{"a": 1}"#, nil, #"{"a": 2}"#),
    ] {
      let kept = Self.keep(MarkedDocument(conflict, of: id).text) { side }
      let json = kept.drop { $0 != 0x0A }
      #expect(throws: Never.self) { try JSON(parsing: json, limits: .item) }
      let expected = Sides(
        base: conflict.base, client: conflict.client, server: conflict.server)[side]
      #expect(try MarkedDocument(kept, of: id).item() == expected)
    }
  }

  /// Takes the marks away and keeps one side of each.
  static func keep(_ text: [UInt8], side: () -> Side?) -> [UInt8] {
    var kept: [UInt8] = []
    var current, wanted: Side?
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      switch String(decoding: line, as: UTF8.self) {
      case "<<<<<<< client":
        current = .client
        wanted = side()
      case "||||||| base": current = .base
      case "=======": current = .server
      case ">>>>>>> server": current = nil
      default: if current == nil || current == wanted { kept += line + [0x0A] }
      }
    }
    return kept
  }
}
