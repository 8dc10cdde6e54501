import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// Servers that lose, restore or exchange their data.
@Suite("A server whose data turns hostile") struct ServerHistoryCases {
  private let anna = Person()

  /// A server of the family with rows `n100`, `n101` and so on, and a clone of them.
  private func cloned(_ count: Int, dataset: String? = nil) throws -> HostileTable {
    let table = try HostileTable(dataset: dataset)
    for number in 0..<count { table.put("n\(100 + number)", at: number) }
    #expect(anna.clone(table).status == 0)
    #expect(anna.items.count == count)
    return table
  }

  /// The texts of all item files.
  private var texts: [String?] {
    anna.items.map { anna.directory.text("list/.todosync/items/todoitem/\($0)") }
  }

  @Test("cases 28, S15: the newest row in the version before the known one stops each pull")
  func rowWentBack() throws {
    let table = try cloned(5)
    table.put("n104", at: 200, version: "v2", #""text":"now""#)
    #expect(anna.run("pull").status == 0)
    table.put("n104", at: 104)
    table.put("n103", at: 201, version: "v3", #""text":"other""#)
    // Within two minutes a replica may be late.
    #expect(anna.run("pull").error.contains("todoitem: a replica may be late"))
    #expect(anna.item("n104")?.contains("now") == true)
    #expect(anna.run("pull", "--full").status == 5)
    let before = texts
    let later = Int64(time(nil)) + 130
    anna.now = { later * 1_000_000_000 }
    for words in [["pull", "--full"], ["pull"], ["sync"]] {
      let stopped = anna.run(words)
      #expect(stopped.status == 6)
      let isFull = words.count == 2
      #expect(
        stopped.error.contains(
          isFull
            ? "pull --full would put back or remove 1 item that is newer here"
            : "the server lost rows that this workspace has: it was put back"))
      #expect(
        stopped.error.hasSuffix(
          "to take the server's state: tsync pull --full\(isFull ? " --max-delete 1" : "")\n"),
        "\(stopped)")
      #expect(texts == before)
    }
    table.put("n104", at: 202, version: "v4", #""text":"later""#)
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("n104")?.contains(#""text": "later""#) == true)
    anna.expectClean()
  }

  @Test("rows that another machine has stamped too early come, and can be changed")
  func stampedEarly() throws {
    let table = try cloned(5)
    table.change { $0.date = "Sun, 01 Mar 2026 10:02:00 GMT" }
    for (number, early) in [0, 1, 3, 100].enumerated() {
      table.put("n10\(number)", at: number - early, version: "v2", #""text":"early""#)
    }
    #expect(anna.run("pull").status == 0)
    for number in 0..<4 { #expect(anna.item("n10\(number)")?.contains("early") == true) }
    table.put("n104", at: -10_800, version: "v2", #""text":"hours""#)
    #expect(anna.run("pull").status == 0)
    #expect(anna.run("pull", "--full").status == 0)
    #expect(anna.item("n104")?.contains("hours") == true)
    anna.expectClean()
  }

  @Test("cases 29, S15: a server's clock that was set back stops nothing, and no row is missed")
  func clockWentBack() throws {
    let table = try cloned(3)
    // The clock was an hour ahead until the clone; the row was written after it was set right, and
    // long before this pull.
    table.put("n99", at: -1_800, #""text":"late""#)
    table.change { $0.date = "Sun, 01 Mar 2026 09:55:00 GMT" }
    let pulled = anna.run("pull")
    #expect(pulled.status == 0)
    #expect(
      pulled.error.contains(
        "tsync: pull: the delta token of todoitem is ahead of the server's clock: reading all"))
    #expect(anna.item("n99")?.contains("late") == true)
    #expect(anna.items.count == 4)
    let again = anna.run("pull")
    #expect(again.status == 0 && !again.error.contains("the server's clock"), "\(again.error)")
    anna.expectClean()
  }

  @Test("cases 29, S15: a clock that was ahead once stops no pull from tsync-server")
  func clockOfOursWasAhead() throws {
    let table = try cloned(3, dataset: "d1")
    table.change { $0.date = "Fri, 27 Feb 2026 09:00:00 GMT" }
    table.put("n103", at: 200)
    let before = table.requests.count
    let pulled = anna.run("pull")
    #expect(pulled.status == 0 && !pulled.error.contains("tsync: pull: "), "\(pulled.error)")
    #expect(anna.items.count == 4)
    #expect(table.requests.dropFirst(before).allSatisfy { $0.contains("updatedAt ge") })
    anna.expectClean()
  }

  /// A server of the family with the tables `todoitem` and `other`, which have rows of their own.
  private func server(_ items: [String], _ others: [String]) throws -> HostileTable {
    let table = try HostileTable(dataset: nil)
    for id in others { table.put(id, at: Int(id.utf8.first ?? 0)) }
    table.change { content in
      let other = content
      content.entries = []
      content.answer = { request in
        request.target.hasPrefix("/tables/other") ? other.reply(to: request, ofTable: "other") : nil
      }
    }
    for id in items { table.put(id, at: Int(id.utf8.first ?? 0)) }
    return table
  }

  @Test("S16: at another address a pull of one table says nothing of the others")
  func provesWholes() throws {
    let former = try server(["a", "b"], ["c", "d", "e"])
    let cloned = anna.run(
      "clone", "-t", "todoitem", "-t", "other", former.url, "list")
    #expect(cloned.status == 0, "\(cloned)")
    let others = "list/.todosync/items/other"
    #expect(anna.directory.names(in: others) == ["c.json", "d.json", "e.json"])
    // The other server has the same rows but one.
    let server = try server(["a", "b"], ["c", "e"])
    anna.run("remote", "set", server.url)
    #expect(anna.run("pull", "-t", "todoitem").status == 0)
    #expect(anna.directory.names(in: others) == ["c.json", "d.json", "e.json"])
    #expect(anna.directory.text("list/.todosync/state.json")?.contains("pulled") == true)
    let pulled = anna.run("pull", "-v")
    #expect(pulled.output == "deleted other/d  x\n", "\(pulled)")
    #expect(anna.directory.names(in: others) == ["c.json", "e.json"])
    // From now on it is the workspace's server.
    let count = server.requests.count { $0.contains("updatedAt ge") }
    #expect(anna.run("pull", "-t", "other").status == 0)
    #expect(server.requests.count { $0.contains("updatedAt ge") } > count)
  }

  @Test("cases 31, S16: another data set under the same address stops every exchange")
  func otherDataset() throws {
    let table = try cloned(5, dataset: "d1")
    let before = texts
    for dataset in ["d2", nil] {
      table.change {
        $0.dataset = dataset
        $0.entries = []
      }
      table.put("n100", at: 90, version: "v9", #""text":"foreign""#)
      anna.run("new", "-s", "id=mine\(dataset ?? "")", "mine")
      for words in [["pull"], ["pull", "--full"], ["push"], ["sync"], ["pull", "-n"]] {
        let outcome = anna.run(words)
        // Without a data set the version is missed before: a server of the family asks for none.
        #expect(outcome.status == 6)
        #expect(outcome.error.contains("a different data set"))
      }
    }
    #expect(texts.count == before.count + 2)
    table.change { content in
      content.dataset = "d1"
      content.entries = []
    }
    for number in 0..<5 { table.put("n\(100 + number)", at: number) }
    #expect(anna.run("pull").status == 0)
  }

  @Test("cases 31, S16: read anew, a server with less than half of ten known items is another one")
  func otherData() throws {
    let table = try cloned(20)
    let before = texts
    table.change { $0.entries.removeFirst(11) }
    table.put("other", at: 90)
    let pulled = anna.run("pull", "--full")
    #expect(pulled.status == 6)
    #expect(
      pulled.error.contains("the server has only 9 of this workspace's 20 items of todoitem"))
    #expect(texts == before)
    #expect(anna.run("pull", "-n", "--full").status == 6)
    // Half of them are enough.
    table.put("n100", at: 0)
    #expect(anna.run("pull", "--full").status == 0)
    #expect(anna.items.count == 11)
    anna.expectClean()
  }

  @Test("cases 31, S16: an address set anew is held to the items that are known here")
  func otherAddress() throws {
    _ = try cloned(10)
    let before = texts
    let other = try HostileTable(dataset: nil)
    for number in 0..<10 { other.put("m\(number)", at: number) }
    #expect(anna.run("remote", "set", other.url).status == 0)
    #expect(anna.run("pull").status == 6)
    #expect(texts == before)
  }

  @Test("cases 32, S17: tombstones of 40 of 100 rows stop the pull, until they are allowed")
  func massDeletion() throws {
    let table = try cloned(100)
    let before = texts
    for number in 0..<40 {
      table.put("n\(100 + number)", at: 200 + number, version: "v2", deleted: true, "")
    }
    let pulled = anna.run("pull")
    #expect(pulled.status == 6)
    #expect(pulled.error.contains("the server has deleted 40 of 100 items of todoitem"))
    #expect(pulled.error.contains("tsync pull --max-delete 40"))
    #expect(anna.items.count == 100)
    #expect(anna.run("pull").status == 6)
    #expect(anna.run("pull", "--max-delete", "40").status == 0)
    #expect(anna.items.count == 60)
    // What was deleted lies in the trash, as it was.
    let trash = "list/.todosync/trash/items/todoitem"
    let names = anna.directory.names(in: trash)
    #expect(names.map { $0.prefix { $0 != "." } } == (100..<140).map { "n\($0)" })
    #expect(names.map { anna.directory.text("\(trash)/\($0)") } == Array(before.prefix(40)))
    anna.expectClean()
    #expect(anna.run("pull").status == 0)
  }

  @Test("cases 33, S18: an empty list deletes nothing", arguments: ["d1", nil])
  func emptyList(dataset: String?) throws {
    let table = try cloned(50, dataset: dataset)
    let before = texts
    let entries = Entries()
    table.change {
      entries.kept = $0.entries
      $0.entries = []
    }
    let pulled = anna.run("pull", "-v")
    // Another server may delete rows for good.
    #expect(pulled.status == (dataset == nil ? 0 : 6))
    #expect(pulled.output == "")
    #expect(texts == before)
    #expect(anna.run("pull", "--full").status == 6)
    #expect(texts == before)
    table.change { $0.entries = entries.kept }
    #expect(anna.run("pull", "-v").output == "")
    anna.expectClean()
  }

  private final class Entries {
    var kept: [HostileTable.Entry] = []
  }

  @Test("case 34: a row that became visible late, with an older stamp, is brought")
  func lateCommit() throws {
    let table = try cloned(3)
    table.change { $0.date = "Sun, 01 Mar 2026 10:02:00 GMT" }
    table.put("newest", at: 110)
    #expect(anna.run("pull").status == 0)
    // Within two minutes before the server's clock at the last pull.
    table.put("late", at: 20)
    table.change { $0.date = "Sun, 01 Mar 2026 10:30:00 GMT" }
    let pulled = anna.run("pull", "-v")
    #expect(pulled.status == 0)
    #expect(pulled.output == "new late  x\n")
    #expect(anna.items.contains("late.json"))
    #expect(anna.run("pull", "-v").output == "")
  }

  @Test("case 35: a tombstone against an item that was edited here is a conflict, the file stays")
  func deletedThere() throws {
    let table = try cloned(3)
    #expect(anna.run("set", "n101", "text=mine").status == 0)
    let mine = anna.item("n101")
    table.put("n101", at: 50, version: "v2", deleted: true)
    let pulled = anna.run("pull")
    #expect(pulled.status == 1)
    #expect(pulled.output.hasPrefix("conflict n101  mine"))
    #expect(anna.item("n101") == mine)
    #expect(!anna.conflicts.isEmpty)
    // The next pull adds nothing to it; to take the server's side settles it.
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("n101") == mine)
    #expect(anna.run("resolve", "--server", "n101").status == 0)
    #expect(anna.item("n101") == nil)
    anna.expectClean()
  }
}
