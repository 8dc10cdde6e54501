import SyncEngine
import SyncModel
import Testing

@testable import Commands

/// What a person reads where an exchange stops, a name or a file is wrong: the fact, then the ways on.
@Suite("Words of what stops") struct DangerTests {
  private static let text = HintText(option: nil, directory: "/w", workspace: "/w")

  private func lines(_ error: any Error) -> [String] {
    let problem = Problem(error)
    return ([problem.fact] + problem.hints).map(Self.text.text)
  }

  private static func dangers() throws -> [(Danger, [String])] {
    let table = try TableName("t")
    func keys(_ count: Int) throws -> [ItemKey] {
      try (0..<count).map { ItemKey(table, try ItemID(Text("n\($0)"))) }
    }
    let begins = "whoever received the newest rows begins"
    let resend = [
      "to see them: tsync push --missing -n", "to send them again: tsync push --missing",
    ]
    return [
      (
        .notPulled(table),
        [
          "no pull has read the rows of t: new items may be there already",
          "to read the rows: tsync pull",
        ]
      ),
      (
        .otherData(3, of: 10, in: table),
        [
          "the server has only 3 of this workspace's 10 items of t: it serves other data",
          "to make another workspace: tsync clone URL DIR",
          "to see what the server lost: tsync push --missing -n",
          "to accept the 7 deletes: tsync pull --full --max-delete 7",
        ]
      ),
      (
        .removals(deletes: 25, leaving: 0, of: 30, in: table, areShown: false),
        [
          "the server has deleted 25 of 30 items of t", "to see them: tsync pull -n -v",
          "to accept the 25 deletes: tsync pull --max-delete 25",
        ]
      ),
      (
        .removals(deletes: 0, leaving: 30, of: 31, in: table, areShown: true),
        [
          "30 of 31 items of t are in none of its queries any more",
          "to remove the 30 files: tsync pull --max-delete 30",
        ]
      ),
      (
        .removals(deletes: 2, leaving: 30, of: 33, in: table, areShown: true),
        [
          "30 of 33 items of t are in none of its queries any more, and the server has deleted 2",
          "to remove the 32 files: tsync pull --max-delete 32",
        ]
      ),
      (
        .rowsAreGone(6, of: 12),
        [
          "the server does not have 6 of the 12 rows that a push would change",
          "to see the address: tsync remote", "to read all rows again: tsync pull --full",
          "to see what the server lost: tsync push --missing -n",
        ]
      ),
      (
        .wentBack(),
        [
          "the server lost rows that this workspace has: it was put back from a backup, or another "
            + "server took over; \(begins)"
        ] + resend + ["to take the server's state: tsync pull --full"]
      ),
      (
        .wentBack(accepting: 1),
        ["pull --full would put back or remove 1 item that is newer here; \(begins)"] + resend
          + ["to take the server's state: tsync pull --full --max-delete 1"]
      ),
      (
        .wentBack(accepting: 2),
        ["pull --full would put back or remove 2 items that are newer here; \(begins)"] + resend
          + ["to take the server's state: tsync pull --full --max-delete 2"]
      ),
      (
        .renumbered(accepting: 2),
        ["the server was put back: it gives version numbers out anew; \(begins)"] + resend
          + ["to take the server's state: tsync pull --full --max-delete 2"]
      ),
      (
        .unmeant(.missing(try keys(1), of: 3, in: table)),
        [
          "1 of 3 files of t is missing; tsync rm did not remove it",
          "to bring them back: tsync restore --missing",
          "to delete their rows: tsync push --max-delete 1",
        ]
      ),
      (
        .unmeant(.missing(try keys(10), of: 10, in: table)),
        [
          "10 of 10 files of t are missing; tsync rm did not remove them",
          "to bring them back: tsync restore --missing",
          "to delete their rows: tsync push --max-delete 10",
        ]
      ),
      (
        .unmeant(.back(try keys(2), in: table)),
        [
          "2 files of t are here again whose rows are deleted",
          "to remove them again: tsync rm t/n0 t/n1",
          "to bring their rows back: tsync push t/n0 t/n1",
        ]
      ),
      (
        .unmeant(.back(try keys(11), in: table)),
        [
          "11 files of t are here again whose rows are deleted",
          "to remove them again: tsync rm REF...", "to bring their rows back: tsync push REF...",
        ]
      ),
      (
        .otherDataset(nil, known: "d1", address: "https://x.test"),
        [
          "https://x.test serves a different data set: unknown instead of d1",
          "to make a workspace of that data: tsync clone https://x.test DIR",
          "to set this workspace's server: tsync remote set URL",
        ]
      ),
      (
        .otherUser("bob", known: "ann", address: "https://x.test"),
        [
          "this workspace is ann's, the token is bob's",
          "to set a token of the workspace's user: tsync remote login",
          "to make a workspace of the token's user: tsync clone https://x.test DIR",
        ]
      ),
      (
        .unfiltered(query: "open"),
        ["the server passes over $filter", "to pull the whole table: tsync query rm open"]
      ),
      (.unfiltered(query: nil), ["the server passes over $filter"]),
    ]
  }

  @Test("every danger has its words, and the commands that lead on")
  func dangers() throws {
    for (danger, expected) in try Self.dangers() {
      #expect(lines(Stop.unsafe(danger)) == expected)
    }
  }

  @Test("what a person is asked about names its number alone")
  func asked() throws {
    let table = try TableName("t")
    let keys = try ["a", "b"].map { ItemKey(table, try ItemID($0)) }
    func words(_ count: Int) -> String {
      Unmeant.missing(Array(keys.prefix(count)), of: 9, in: table).words()
    }
    #expect(words(1) == "1 file of t is missing; tsync rm did not remove it")
    #expect(words(2) == "2 files of t are missing; tsync rm did not remove them")
  }

  @Test(
    "what an answer shows of its server leads on",
    arguments: [
      (.dialect(nil), "to set the dialect: tsync config dialect NAME"),
      (.dialect("mobile-services"), "to set this dialect: tsync config dialect mobile-services"),
      (.moved(to: "https://y.test"), "to follow it: tsync remote set https://y.test"),
      (.page, "log in to the network, or check: tsync remote"),
      (.tls(at: "https://y.test"), "to use TLS: tsync remote set https://y.test"),
      (.noTLS(at: "http://y.test"), "if the server has no TLS: tsync remote set http://y.test"),
    ] as [(Stop.Sign, String)])
  func signs(sign: Stop.Sign, way: String) {
    #expect(lines(Stop.elsewhere("odd", sign)) == ["odd", way])
  }

  private static func ways() throws -> [(InvalidItem.Way, [String])] {
    let id = try ItemID("milk")
    let key = ItemKey(try TableName("t"), id)
    return [
      (
        .copy(of: "milk.json"),
        [
          "to compare: diff .todosync/items/t/milk.json '.todosync/items/t/a b.json'",
          "to fix it: tsync rm '.todosync/items/t/a b.json'",
        ]
      ),
      (
        .rename(to: "it%27s.json"),
        ["to fix it: mv -n '.todosync/items/t/a b.json' .todosync/items/t/it%27s.json"]
      ),
      (
        .changeID(id, orRename: "x.json"),
        ["to fix it: change the id in it to 'milk', or rename the file to x.json"]
      ),
      (.changeIDOrRemove(id), ["to fix it: change the id in it to 'milk', or remove it"]),
      (.restore(key), ["to fix it: tsync restore t/milk"]),
      (
        .nameIsTaken("x.json"), ["to fix it: give it another name, because x.json already exists"]
      ),
      (.edit(key), ["to fix it: tsync edit t/milk"]),
    ]
  }

  @Test("every way to mend a file has the command that does it, with the paths of the files")
  func files() throws {
    for (way, expected) in try Self.ways() {
      let invalid = InvalidItem(place: "items/t/a b.json", message: "odd", way: way)
      #expect(lines(invalid) == ["'.todosync/items/t/a b.json': odd"] + expected)
    }
  }
}
