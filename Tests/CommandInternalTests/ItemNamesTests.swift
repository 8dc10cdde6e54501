import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite("How items are called")
struct ItemNamesTests {
  let table: TableName

  init() throws {
    table = try TableName("todoitem")
  }

  func keys(_ ids: [Text]) throws -> [ItemKey] { try ids.map { ItemKey(table, try ItemID($0)) } }

  func names(_ ids: [Text], among others: [Text] = [], showsTable: Bool = false) throws -> [String]
  {
    let keys = try keys(ids)
    let names = ItemNames(
      for: keys, among: try self.keys(others), showsTable: showsTable, titleField: nil)
    return keys.map { names.line(for: $0).text }
  }

  @Test("an id of hexadecimal digits is shortened to what is unique, four characters at least")
  func shortened() throws {
    #expect(try names(["7f3a2c1e", "7f3b0000", "2b9e4f0a"]) == ["7f3a", "7f3b", "2b9e"])
    #expect(try names(["7f3a2c1e", "7f3a2c2f"]) == ["7f3a2c1", "7f3a2c2"])
    #expect(try names(["7f3a2c1e"], among: ["7f3a2000", "7f3a2c1e", "0", "f"]) == ["7f3a2c"])
    #expect(try names(["7f3a", "7f3a2c1e"]) == ["7f3a", "7f3a2"])
    #expect(try names(["00000000-0000-4000-8000-000000000001"]) == ["0000"])
  }

  @Test("any other id is written whole")
  func whole() throws {
    #expect(try names(["buy-milk", "milk", "ä", "a b"]) == ["buy-milk", "milk", "ä", "a b"])
  }

  @Test("the table stands before the id where several are meant")
  func tables() throws {
    #expect(try names(["7f3a2c1e"], showsTable: true) == ["todoitem/7f3a"])
  }

  @Test("the same id in another table is no other id")
  func otherTable() throws {
    let note = ItemKey(try TableName("note"), try ItemID("7f3a2c1e"))
    let key = try keys(["7f3a2c1e"])[0]
    let names = ItemNames(for: [key], among: [note], showsTable: false, titleField: nil)
    #expect(names.line(for: key).text == "7f3a")
  }

  @Test("lengths are those that comparing each with each gives", arguments: 0..<20 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let ids = (0..<60).map { _ in
      Text(String((0..<8).map { _ in "01ab".randomElement(using: &random) ?? "0" }))
    }
    let (shown, others) = (Array(Set(ids.prefix(20))), Array(ids.dropFirst(20)))
    let expected = shown.map { id -> String in
      let rest = (shown + others).filter { $0 != id }
      let length =
        (1...8).first { count in
          !rest.contains { $0.string.prefix(count) == id.string.prefix(count) }
        } ?? 8
      return String(id.string.prefix(max(4, length)))
    }
    #expect(try names(shown, among: others) == expected)
  }

  @Test("a title is the field text, else title, unless the setting names another")
  func titles() {
    func title(_ object: JSONObject, _ field: Text? = nil) -> String? {
      ItemNames.title(of: Item(object), field: field)
    }
    let both = JSONObject([.init(name: "text", value: "a"), .init(name: "title", value: "b")])
    #expect(title(both) == "a")
    #expect(title(JSONObject([.init(name: "title", value: "b")])) == "b")
    #expect(title(both, "title") == "b")
    #expect(title(both, "other") == nil)
    #expect(title(JSONObject([.init(name: "text", value: "")])) == nil)
    #expect(title(JSONObject([.init(name: "text", value: 7)])) == "7")
    #expect(ItemNames.title(of: nil, field: nil) == nil)
  }
}
