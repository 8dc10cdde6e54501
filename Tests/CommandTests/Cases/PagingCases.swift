import CommandSupport
import Commands
import TestSupport
import Testing

/// Pages that lead astray, or nowhere.
@Suite("Pages of a hostile server") struct PagingCases {
  private let anna = Person()

  @Test("case 24: whatever a link says, only the server's own table is asked")
  func links() throws {
    let canary = try ScriptedServer { _ in .json(#"{"items":[]}"#) }
    let links = [
      "http://evil.invalid/", "http://127.0.0.1:\(canary.port)/tables/todoitem",
      "https://127.0.0.1:\(canary.port)/", "//127.0.0.1:\(canary.port)/x", "file:///etc/passwd",
      "http://user:secret@127.0.0.1:\(canary.port)/", "/tables/secrets?$skip=1", "/../../admin",
      "?$filter=deleted%20eq%20true", "/tables/todoitem?$filter=id%20eq%20'x'&$select=id",
      "http:\\/\\/127.0.0.1:\(canary.port)", "javascript:alert(1)", "\\u0000", " ",
    ]
    for link in links {
      let table = try HostileTable(dataset: nil)
      for number in 100..<130 { table.put("n\(number)", at: number) }
      table.change { $0.link = { _ in link } }
      let ben = Person()
      ben.directory.write(#"{"pull.page": 10}"#, to: "config/tsync/config.json")
      #expect(ben.clone(table).status == 0)
      #expect(ben.items.count == 30)
      #expect(
        table.requests.allSatisfy {
          $0.hasPrefix("GET /tables/todoitem?") && !$0.contains("$select")
            && !$0.contains("deleted eq")
        })
    }
    #expect(canary.connectionCount == 0)
  }

  /// A server that never comes to an end, in one of several ways.
  enum Endless: String, CaseIterable, Sendable {
    case samePage, sameRow, newLinks, emptyPages, otherOrder, backwards, untimed

    /// How many requests are enough to see it: two that bring nothing new, behind those that do; ten
    /// pages that are empty.
    var requests: Int {
      // One page, with the next one under way, before the newest row that was known is looked for.
      let before = 3
      return switch self {
      case .emptyPages: 11
      case .untimed: 2
      case .otherOrder: before + 2
      case .samePage, .sameRow, .newLinks, .backwards: before + 5
      }
    }

    /// The list that a server gives as its answer with a number.
    func list(_ number: Int) -> String {
      func row(_ id: String, _ seconds: Int?) -> String {
        let time = seconds.map { "\"\(HostileTable.time($0))\"" } ?? "null"
        return #"{"id":"\#(id)","version":"v1","updatedAt":\#(time),"text":"x"}"#
      }
      let rows =
        switch self {
        case .samePage, .newLinks: [row("a", 11), row("b", 11), row("c", 12)]
        case .sameRow: [row("a", 11)]
        case .emptyPages: [String]()
        case .otherOrder where number.isMultiple(of: 2): [row("b", 12), row("a", 11)]
        case .otherOrder: [row("a", 11), row("b", 12)]
        case .backwards: [row("a\(number)", max(1, 30 - number)), row("b", max(1, 30 - number))]
        case .untimed: [row("a", nil)]
        }
      let hasLink = self == .newLinks || self == .emptyPages
      let link = hasLink ? #""http://localhost/tables/todoitem?$skip=\#(number)""# : "null"
      return #"{"items":[\#(rows.joined(separator: ","))],"nextLink":\#(link)}"#
    }
  }

  @Test(
    "cases 25, 27, S10: a server without end is left after a few requests, and what is here stays",
    arguments: Endless.allCases)
  func endless(endless: Endless) throws {
    let table = try HostileTable(dataset: nil)
    table.put("first", at: 0)
    #expect(anna.clone(table).status == 0)
    let known = table.requests.count
    let number = Counter()
    table.change {
      $0.answer = { request in
        request.target.hasPrefix("/tables/todoitem?") ? .json(endless.list(number.next())) : nil
      }
    }
    let pulled = anna.run("pull")
    #expect(pulled.status == 5)
    let words = endless == .otherOrder ? "does not sort by updatedAt" : "the pull makes no progress"
    #expect(pulled.error.contains(words))
    #expect(table.requests.count - known == endless.requests)
    #expect(anna.items.contains("first.json"))
    // Where the server is itself again, what it has is what is here.
    table.change { $0.answer = nil }
    table.put("second", at: 40)
    #expect(anna.run("pull").status == 0)
    #expect(anna.items.contains("second.json"))
    anna.expectClean()
  }

  @Test("case 27: empty pages with links are passed, and the rows behind them come")
  func emptyPages() throws {
    let table = try HostileTable(dataset: nil)
    for number in 100..<125 { table.put("n\(number)", at: number) }
    // Cuts pages of 10 out of 55 rows, and then hides the first 30 of them.
    let hidden = 30
    table.change { content in
      content.isVersioned = false
      let rows = content
      content.answer = { request in
        let query = QueryText.decoded(request.target[...])
        guard query.hasPrefix("/tables/todoitem?"), !query.contains("$filter") else { return nil }
        let skip = HostileTable.Content.word(in: query, after: "$skip=").flatMap { Int($0) } ?? 0
        let wish = HostileTable.Content.word(in: query, after: "$top=").flatMap { Int($0) } ?? 50
        let top = min(wish, 10)
        let shown = rows.entries.dropFirst(max(0, skip - hidden)).prefix(
          max(0, min(top, skip + top - hidden)))
        let more = skip + top < hidden + rows.entries.count
        let link = more ? #""/tables/todoitem?$skip=\#(skip + top)""# : "null"
        return .json(
          #"{"items":[\#(shown.map(\.text).joined(separator: ","))],"nextLink":\#(link)}"#)
      }
    }
    #expect(anna.clone(table).status == 0)
    #expect(anna.items.count == 25)
    #expect(table.requests.contains { $0.contains("$skip=30") })
    #expect(anna.run("pull").status == 0)
  }

  @Test("case 26: 250 rows of one time, in pages of 100, come once each")
  func oneTime() throws {
    let table = try HostileTable(dataset: nil)
    for number in 100..<350 { table.put("n\(number)", at: 7) }
    anna.directory.write(#"{"pull.page": 100}"#, to: "config/tsync/config.json")
    let cloned = anna.run("clone", "-v", table.url, "list")
    #expect(cloned.status == 0)
    #expect(anna.items.count == 250)
    #expect(cloned.output.split(separator: "\n").count == 250)
    #expect(anna.run("pull", "-v").output == "")
    anna.expectClean()
  }
}
