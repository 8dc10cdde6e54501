import SyncEngine
import SyncModel
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct ItemNameTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  @Test(
    "A name stands for an id, for nothing, or is invalid with the name that is right",
    arguments: [
      ("a.json", "item a"), ("buy-milk.json", "item buy-milk"), ("a.b.json", "item a.b"),
      ("%2E.%2Fx.json", "item ../x"), ("caf%C3%A9.json", "item caf\u{e9}"),
      ("x.json~", "ignored"), (".x.json.swp", "ignored"), (".x.json", "ignored"),
      ("4913", "ignored"), ("x.json.tmp", "ignored"), ("#x.json#", "ignored"), (".json", "ignored"),
      ("x.JSON", "ignored"),
      ("buy milk.json", "to buy%20milk.json"),
      ("%ZZ.json", "to %25ZZ.json"),
      ("%41.json", "to A.json"),
      ("%2f.json", "to %2F.json"),
      ("-rf.json", "to %2Drf.json"),
      ("it's.json", "to it%27s.json"),
      ("a\nb.json", "no way"), ("\u{1B}.json", "no way"),
    ])
  func readsNames(name: String, expected: String) {
    switch ItemFile.Name(of: Array(name.utf8), in: playground.table) {
    case .item(let id): #expect("item \(id)" == expected)
    case .ignored: #expect("ignored" == expected)
    case .invalid(let invalid):
      let way = if case .rename(let other)? = invalid.way { "to \(other)" } else { "no way" }
      #expect(way == expected)
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
    #expect(invalid.message == "the file name is not UTF-8")
    #expect(invalid.way == nil)
  }
}
