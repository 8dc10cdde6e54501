import CommandSupport
import Commands
import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

/// tsync's own files, torn, damaged, removed or edited.
@Suite struct StateFileCases {
  private static let root = "list/.todosync"

  private func journal(of anna: Person) throws -> [UInt8] {
    try #require(anna.directory.read("\(Self.root)/journal/todoitem.jsonl"))
  }

  // MARK: The journal

  @Test("case 97: a torn end of a log is cut off, kept in the trash and told")
  func tearsJournal() throws {
    let anna = Person()
    anna.run("init", "list")
    for id in ["milk", "tea", "bread"] { anna.run("new", "-s", "id=\(id)", id) }
    anna.run("rm", "tea")
    anna.run("rm", "bread")
    let log = "\(Self.root)/journal/todoitem.jsonl"
    let whole = try #require(anna.directory.read(log))
    let before = anna.run("status", "--porcelain").output
    let start = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
    for length in start + 1..<whole.count - 1 {
      anna.directory.write(Array(whole[..<length]), to: log)
      #expect(anna.run("status", "--porcelain").output == before, "\(length)")
      let next = anna.run("set", "milk", "n=\(length)")
      #expect(next.status == 0)
      #expect(next.error.contains("todoitem.jsonl: "), "\(length): \(next.error)")
      let torn = Array(whole[start..<length])
      let kept = anna.directory.names(in: "\(Self.root)/trash").compactMap {
        anna.directory.read("\(Self.root)/trash/\($0)")
      }
      #expect(kept.contains(torn), "\(length)")
      #expect(!anna.run("set", "milk", "n=0").error.contains("todoitem.jsonl"), "told once")
    }
  }

  @Test("case 98: a bit flipped in a durable record stops every command, and nothing is touched")
  func flipsBit() throws {
    let world = try CaseWorld(
      #"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#,
      #"{"id": "rum", "text": "Rum"}"#)
    let anna = world.anna
    for id in ["tea", "rum"] {
      anna.run("set", id, "text=Here")
      try world.server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "There"}"#)
      #expect(anna.run("pull").status == 1)
    }
    let whole = try journal(of: anna)
    let count = world.line.requests.count
    var broken = whole
    let place = try #require(whole.firstRange(of: Array("There".utf8)))
    broken[place.lowerBound] ^= 1
    anna.directory.write(broken, to: "\(Self.root)/journal/todoitem.jsonl")
    for command in ["status", "list", "diff", "journal", "push", "pull", "sync"] {
      let stopped = anna.run(command)
      #expect(stopped.status == 8, "\(command)")
      #expect(
        stopped.error.hasPrefix("tsync: \(command): .todosync/journal/todoitem.jsonl: damaged: "),
        "\(command): \(stopped.error)")
    }
    #expect(try journal(of: anna) == broken)
    #expect(world.line.requests.count == count)
    anna.directory.write(whole, to: "\(Self.root)/journal/todoitem.jsonl")
    #expect(anna.run("resolve", "-a", "--client", "--push").status == 0)
    anna.expectSound()
  }

  @Test("cases 99, L13: without the journal, an insert of unknown outcome is found done")
  func losesJournal() throws {
    let isWhole = Gate()
    let world = try CaseWorld { request in
      if isWhole.wait(seconds: 0) { return .forward }
      return request.method == "POST" || request.target.contains("todoitem/milk")
        ? .loseAnswer : .forward
    }
    world.anna.run("new", "-s", "id=milk", "Milk")
    #expect(world.anna.run("push").status == 5)
    isWhole.open()
    unlink(world.anna.directory.path(of: "\(Self.root)/journal/todoitem.jsonl"))
    let pushed = world.anna.run("push")
    #expect(pushed.error.contains("journal/todoitem.jsonl is missing"))
    #expect(world.anna.run("pull").status == 0 && world.anna.run("push").status == 0)
    #expect(try world.server.request("GET", "tables/todoitem?$count=true").contains(#""count":1"#))
    world.anna.expectSound()
  }

  // MARK: The base

  @Test(
    "cases 100, L13: without the base equal contents pair up, others conflict, nothing is deleted",
    arguments: ["pull", "push", "sync"])
  func losesBase(command: String) throws {
    let world = try CaseWorld(
      #"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#,
      #"{"id": "old", "text": "Old"}"#)
    let anna = world.anna
    anna.run("set", "tea", "text=Green tea")
    unlink(anna.directory.path(of: anna.file("old")))
    unlink(anna.directory.path(of: "\(Self.root)/journal/todoitem.jsonl"))
    if command == "push" {
      // What no pull has read may be there, or be deleted.
      #expect(anna.run(command, "-n").status == 6 && anna.run(command).status == 6)
      #expect(world.writes == [] && anna.run("pull").status == 1)
    } else {
      #expect(anna.run(command).status == 1)
    }
    #expect(!world.writes.contains("DELETE"))
    #expect(anna.conflicts.contains("tea.server.json"))
    #expect(!anna.conflicts.contains("milk.server.json"))
    #expect(try world.row("tea").contains(#""text":"Tea""#))
    #expect(anna.run("resolve", "--client", "--push", "tea").status == 0)
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("old")?.contains("Old") == true)
    #expect(try world.row("tea").contains("Green tea"))
    anna.expectSound()
  }

  @Test("case 103: a base that ends in the middle of a page is fetched again from there")
  func tearsBase() throws {
    let server = try RunningServer()
    for number in 0..<12 {
      try server.request("POST", "tables/todoitem", #"{"id": "i\#(number)", "text": "x"}"#)
    }
    let anna = try Person(cloning: server.url)
    let path = "\(Self.root)/journal/todoitem.jsonl"
    let whole = try #require(anna.directory.read(path))
    let ends = whole.indices.filter { whole[$0] == 0x0A }
    // In a row, behind a row, and in the line that commits.
    for length in [ends[3] + 30, ends[6] + 1, ends[0] + 1, (ends.last ?? 0) - 5] {
      anna.directory.write(Array(whole[..<length]), to: path)
      let pulled = anna.run("pull")
      #expect(pulled.status == 0, "\(length): \(pulled.error)")
      anna.expectSound()
      #expect(anna.directory.names(in: "\(Self.root)/items/todoitem").count == 12)
    }
  }

  @Test(
    "case 102: a token that is no time, or in the future, brings everything, and is told",
    arguments: ["garbage", "", "2999-01-01T00:00:00.000Z"])
  func spoilsToken(token: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    do {
      var workspace = try Workspace(
        at: anna.directory.path(of: "list"), for: .writing(command: "test"), clock: { 0 })
      try workspace.take(in: TableName("todoitem"), token: DeltaToken(Text(token)))
    }
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
    let pulled = anna.run("pull")
    #expect(pulled.status == 0, "\(pulled.error)")
    #expect(pulled.error.contains("tsync: pull: "), "\(pulled.error)")
    #expect(anna.item("milk")?.contains("Oat milk") == true)
    #expect(!anna.run("pull").error.contains("tsync: pull: "), "told once")
    anna.expectSound()
  }

  // MARK: The index and the state

  @Test("cases 101, L13: an index that is damaged, foreign or gone is made anew without a word")
  func spoilsIndex() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#)
    let anna = world.anna
    anna.run("set", "tea", "text=Green tea")
    let path = "\(Self.root)/index"
    let expected = anna.run("status")
    let own = try #require(anna.directory.read(path))
    let other = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    other.anna.run("status")
    let foreign = try #require(other.anna.directory.read(path))
    let texts: [[UInt8]?] = [
      nil, [], Array("rubbish".utf8), foreign, own.reversed(), Array(own.dropLast(own.count / 2)),
      [UInt8](repeating: 0xFF, count: own.count),
    ]
    for text in texts {
      unlink(anna.directory.path(of: path))
      if let text { anna.directory.write(text, to: path) }
      let status = anna.run("status")
      #expect(status.output == expected.output)
      #expect(status.error == "")
      #expect(status.status == 0)
    }
    #expect(anna.run("push").error == "1 pushed\n")
    anna.expectSound()
  }

  @Test(
    "case 104: a workspace of another format is refused, and nothing is touched",
    arguments: [
      ("state.json", 2, 3), ("state.json", 2, 1), ("journal/todoitem.jsonl", 5, 6),
      ("journal/todoitem.jsonl", 5, 4),
    ])
  func otherFormat(name: String, format: Int, other: Int) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    let text = try #require(anna.directory.text("\(Self.root)/\(name)"))
    let foreign = text.replacing("\"format\": \(format)", with: "\"format\": \(other)")
      .replacing("\"v\":\(format),", with: "\"v\":\(other),")
    #expect(foreign != text)
    anna.directory.write(foreign, to: "\(Self.root)/\(name)")
    let way =
      other > format
      ? "install that version"
      : "clone into another directory; items/ here holds what was not pushed"
    for command in ["push", "pull", "sync", "status", "list"] {
      let refused = anna.run(command)
      #expect(refused.status == 8, "\(command)")
      #expect(refused.error.contains("\(name): made by another version of tsync\n"))
      #expect(refused.error.contains(way))
    }
    #expect(anna.directory.text("\(Self.root)/\(name)") == foreign)
    #expect(world.writes == [])
  }

  // MARK: Conflicts

  @Test(
    "case 105: where the sides of a conflict were removed, it can still be settled either way",
    arguments: [["server"], ["client"], ["base"], ["server", "client", "base"]],
    ["client", "server"])
  func losesSides(removed: [String], winner: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    #expect(anna.run("pull").status == 1)
    for side in removed {
      #expect(
        unlink(anna.directory.path(of: "\(Self.root)/conflicts/todoitem/milk.\(side).json")) == 0)
    }
    let left = anna.run("resolve")
    #expect(left.status == 1)
    #expect(left.output == "left milk  Oat milk (text)\n")
    #expect(anna.run("resolve", "--\(winner)", "--push", "milk").status == 0)
    let text = winner == "client" ? "Oat milk" : "Soy milk"
    #expect(try world.row("milk").contains(text))
    #expect(anna.item("milk")?.contains(text) == true)
    anna.expectSound()
  }
}
