import SyncEngine
import SyncModel
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct ItemNameTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

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
    #expect(invalid.message == "the file name is not UTF-8")
    #expect(invalid.hint == nil)
  }
}
