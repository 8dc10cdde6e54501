import CommandSupport
import Commands
import Glibc
import Remote
import SyncModel
import TestSupport
import Testing

@Suite("A server of Mobile Services (2014)") struct MobileServicesTests {
  @Test("while an outcome is unknown no other server is asked that doesn't tell its data set")
  func refusesAnotherServer() throws {
    let (server, other) = (try OldServer(), try OldServer())
    let anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=milk", "Milk")
    server.befall([.lostBefore, .lostBefore])
    #expect(anna.run("push").status == 3)
    anna.run("remote", "set", other.url)
    for command in ["push", "pull"] {
      let refused = anna.run(command)
      #expect(refused.status == 6)
      #expect(
        refused.error == """
          tsync: \(command): only the former server knows whether a sent change arrived
          tsync: to ask it first: tsync remote set \(server.url)

          """)
    }
    #expect(other.rows.isEmpty)
    anna.run("remote", "set", server.url)
    #expect(anna.run("push").status == 0)
    #expect(server.rows.count == 1)
  }

  @Test(
    "is known by its refusal of a version, by its rows, and by its refusal of what there isn't",
    arguments: [(true, true), (true, false), (false, true), (false, false)])
  func isKnown(refusesVersions: Bool, isEmpty: Bool) throws {
    let server = try OldServer(refusesVersions: refusesVersions)
    if !isEmpty { server.add(["milk"], "Buy milk") }
    let anna = try Person(cloning: server.url)
    #expect(anna.run("remote", "-v").output.contains("dialect  Mobile Services (2014)\n"))
    #expect(
      anna.directory.text("list/.todosync/state.json")?.contains(#""dialect": "mobile-services""#)
        == true)
    #expect(anna.item("milk")?.contains("Buy milk") == (isEmpty ? nil : true))
  }

  @Test("echoes what is sent: what wasn't stays in the file, by one request a write")
  func echoes() throws {
    let server = try OldServer()
    server.add(["milk"], "Buy milk")
    let anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=hello", "-s", "notes=keep", "Hello world 3")
    #expect(anna.run("push").output == "created hello  Hello world 3\n")
    anna.run("set", "hello", "text=Hello world 23")
    let before = server.requests.count
    #expect(anna.run("push").output == "updated hello  Hello world 23\n")
    #expect(server.requests[before...].map(\.method) == ["PATCH"])
    #expect(anna.item("hello")?.contains("keep") == true)
    #expect(anna.run("status", "--porcelain").output == "# tsync.status 1\n")
    anna.run("rm", "hello")
    #expect(anna.run("push").output.hasPrefix("deleted hello"))
    anna.run("restore", "hello")
    #expect(anna.run("push").output.hasPrefix("undeleted hello"))
    #expect(anna.item("hello")?.contains("keep") == true)
    #expect(server.rows.last == #"{"id":"milk","text":"Buy milk"}"#)
    #expect(server.rows.first?.contains(#""notes":"keep""#) == true)
    let bob = try Person(cloning: server.url)
    #expect(bob.item("hello") == anna.item("hello"))
  }

  @Test("brings a row back as it was: what the item says by then is sent after it")
  func undeletes() throws {
    let server = try OldServer()
    server.add(["milk"], "Buy milk")
    let anna = try Person(cloning: server.url)
    anna.run("rm", "milk")
    anna.run("push")
    anna.run("new", "-s", "id=milk", "Buy rye")
    #expect(anna.run("push").output == "updated milk  Buy rye\n")
    anna.run("pull")
    #expect(server.rows == [#"{"id":"milk","text":"Buy rye"}"#])
    #expect(anna.item("milk")?.contains("Buy rye") == true)
  }

  @Test("drops a field: that is told, and the text stays in the file")
  func drops() throws {
    let server = try OldServer(drops: "notes")
    server.add(["milk"], "Buy milk")
    let anna = try Person(cloning: server.url)
    anna.run("set", "milk", "text=Buy oat milk", "notes=keep")
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output.contains("the server dropped: notes"))
    for words in [["pull"], ["push"], ["pull", "--full"]] {
      anna.run(words)
      #expect(anna.item("milk")?.contains("keep") == true)
    }
  }

  @Test("is tsync-server, whose page is cut at 2 MiB and says so in no link: all rows come")
  func cutPage() throws {
    let server = try RunningServer()
    let ben = try Person(cloning: server.url)
    let text = String(repeating: "x", count: 5_000)
    let items = (0..<600).map { #"{"id":"i\#($0)","text":"\#(text)"}"# }
    ben.directory.write(items.joined(separator: "\n"), to: "list/many")
    #expect(ben.run("new", "-f", "many").status == 0)
    #expect(ben.run("push").status == 0)
    let anna = Person()
    anna.run("config", "--user", "dialect", "mobile-services")
    #expect(anna.run("clone", server.url, "list").status == 0)
    #expect(anna.directory.names(in: "list/.todosync/items/todoitem").count == 600)
  }

  @Test("shows a conflict, which is resolved and pushed")
  func conflict() throws {
    let server = try OldServer()
    server.add(["milk"], "Buy milk")
    let anna = try Person(cloning: server.url)
    server.change("milk", "Buy soy milk")
    anna.run("set", "milk", "text=Buy oat milk")
    #expect(anna.run("push").output == "conflict milk  Buy oat milk (text)\n")
    #expect(anna.run("resolve", "--client", "--push", "milk").output.contains("updated milk"))
    #expect(server.rows == [#"{"id":"milk","text":"Buy oat milk"}"#])
  }

  @Test("gives numbers to the rows of a table: they are text here, and no update is guarded there")
  func numbers() throws {
    let server = try OldServer(hasNumbers: true)
    server.add((1...17).map { "\($0)" }, "Buy milk")
    let anna = try Person(cloning: server.url)
    #expect(anna.item("17")?.contains(#""id": "17""#) == true)
    anna.run("new", "-s", "id=x", "tea")
    #expect(anna.run("push").output == "created x as 18  tea\n")
    anna.run("set", "17", "text=rye")
    let pushed = anna.run("push")
    #expect(pushed.output.hasPrefix("rejected 17  428 "))
    #expect(pushed.status == 3)
    anna.run("push")
    anna.run("push")
    #expect(server.rows.count == 18)
    #expect(anna.run("pull", "--full").status == 0)
    #expect(anna.directory.names(in: "list/.todosync/items/todoitem").count == 18)
    #expect(!server.requests.contains { $0.target.contains("updatedAt%20") })
  }

  @Test("where ids are numbers, a push that waits for a person claims no answer of the server")
  func claimsNoAnswer() throws {
    let server = try OldServer(hasNumbers: true)
    server.add(["1"], "Buy milk")
    let anna = try Person(cloning: server.url)
    anna.run("new", "Buy tea")
    server.befall([.lostBefore])
    #expect(anna.run("push").status == 5)
    let count = server.requests.count
    let later = Int64(time(nil) + 2 * 3_600 + 60) * 1_000_000_000
    anna.now = { later }
    #expect(anna.run("push").status == 5)
    #expect(server.requests.count == count)
    #expect(anna.run("status").output.contains(" · pushed 2 h ago\n"))
  }

  @Test("refuses the id of a first row where ids are numbers, and gets none from then on")
  func firstNumber() throws {
    let server = try OldServer(hasNumbers: true)
    let anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=x", "tea")
    let pushed = anna.run("push")
    #expect(pushed.output.hasPrefix("rejected x  400 "))
    #expect(pushed.status == 3)
    #expect(anna.run("push", "x").output == "created x as 1  tea\n")
    #expect(server.rows == [#"{"id":1,"text":"tea"}"#])
  }

  @Test("has rows with fields that tsync keeps for the server: they are put aside, and named")
  func ownColumns() throws {
    let server = try OldServer()
    server.add(["milk", "tea"], "Buy milk")
    let anna = try Person(cloning: server.url)
    let line = try ScriptedServer { request in
      guard let answer = try? Wire.forward(request, to: server.url) else { return .broken }
      let text = String(decoding: answer.body, as: UTF8.self)
        .replacing(#"{"id":"tea","#, with: #"{"id":"tea","version":"mine","#)
      return .json(text, status: answer.status)
    }
    anna.run("remote", "set", line.url)
    anna.run("config", "dialect", "mobile-services")
    server.change("milk", "Buy oat milk")
    let pulled = anna.run("pull", "--full")
    #expect(pulled.status == 3)
    #expect(
      pulled.output.contains(
        "quarantined tea  the row has a field 'version', a name that tsync reserves for the server")
    )
    #expect(anna.item("milk")?.contains("oat") == true)
  }

  @Test("wants its application key, which is kept by origin, sent to it, and in no file of tsync's")
  func applicationKey() throws {
    let key = "shYOoDFdKhmzLEbnMQqPYrCLhwGOVA10"
    let server = try OldServer(key: key)
    server.add(["milk"], "Buy milk")
    let anna = Person()
    anna.run("init", "list")
    anna.run("remote", "set", server.url)
    #expect(anna.run("pull").status == 4)
    anna.directory.write("\(key)\n", to: "list/key")
    chmod(anna.directory.path(of: "list/key"), 0o644)
    let refused = anna.run("remote", "login", "--application-key-file", "key")
    #expect(refused.status == 4)
    #expect(refused.error.contains("can be read by other users"))
    chmod(anna.directory.path(of: "list/key"), 0o600)
    // A token that stands ready for others isn't taken along.
    anna.environment = [("TSYNC_TOKEN_FILE", anna.directory.path(of: "list/key"))]
    #expect(anna.run("remote", "login", "--application-key-file", "key").status == 0)
    #expect(anna.run("remote", "-v").output.contains("token    no\nkey      yes\n"))
    #expect(anna.run("--trace", "trace", "pull").status == 0)
    #expect(anna.item("milk") != nil)
    for path in ["list/trace", "list/.todosync/history.jsonl", "list/.todosync/state.json"] {
      #expect(anna.directory.text(path)?.contains(key) == false)
    }
    #expect(anna.run("remote", "logout").status == 0)
    #expect(anna.run("remote", "-v").output.contains("key      no\n"))
    #expect(anna.run("pull").status == 4)
  }

  @Test(
    "loses and doubles answers: two people end with the same rows, and no text is lost",
    arguments: Sample.seeds)
  func converges(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let server = try OldServer(refusesVersions: random.once(in: 2))
    server.add(["a", "b"], "first")
    let people = [try Person(cloning: server.url), try Person(cloning: server.url)]
    var texts: [String] = []
    for step in 0..<24 {
      let person = people[random.below(2)]
      let id = ["a", "b", "c", "d"][random.below(4)]
      let text = "text-\(step)-"
      switch random.below(8) {
      case 0, 1:
        if person.run("set", id, "text=\(text)").status == 0 { texts.append(text) }
      case 2: if person.run("new", "-s", "id=\(id)", text).status == 0 { texts.append(text) }
      case 3: person.run("set", id, "notes=\(text)")
      case 4: person.run("rm", "-y", id)
      case 5: person.run("pull")
      default:
        server.befall((0..<3).map { _ in OldServer.Fate.allCases[random.below(4)] })
        person.run("push")
      }
    }
    server.befall([])
    for _ in 0..<4 {
      for person in people {
        person.run("sync")
        person.run("resolve", "--client", "-a", "--push")
      }
    }
    for person in people {
      #expect(person.run("status", "--porcelain").output == "# tsync.status 1\n", "seed \(seed)")
      let items = person.directory.names(in: "list/.todosync/items/todoitem")
      #expect(items.count == server.rows.count, "seed \(seed)")
      for row in server.rows {
        let row = try #require(try JSON(parsing: Array(row.utf8)).object)
        let id = row["id"]?.text?.string ?? ""
        let item = try #require(person.item(id), "seed \(seed)")
        #expect(try JSON(parsing: Array(item.utf8)).object == row, "seed \(seed)")
      }
    }
    for text in texts {
      #expect(
        server.rows.contains { $0.contains(text) } || people.contains { $0.holds(text) },
        "seed \(seed): \(text)")
    }
  }

  private enum Sample {
    /// Thirty seeds; all 200 with `TSYNC_CAMPAIGN=1`.
    static var seeds: Range<UInt64> { 0..<(Campaign.isWhole ? 200 : 30) }
  }
}

extension Person {
  /// Whether a text stands in an item, or was displaced.
  fileprivate func holds(_ text: String) -> Bool {
    let items = directory.names(in: "list/.todosync/items/todoitem").compactMap {
      directory.text("list/.todosync/items/todoitem/\($0)")
    }
    return (items + trashed() + trashed("conflicts/todoitem")).contains { $0.contains(text) }
  }
}
