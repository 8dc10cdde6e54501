import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

@testable import Commands

/// A workspace in which each kind of trouble stands, laid there as pull and push would leave it.
struct Troubles {
  let world = ScriptWorld()
  let table: TableName
  /// The time of the world in seconds since 1970.
  let now: Int64

  init() throws {
    table = try TableName("todoitem")
    now = world.now / 1_000_000_000
    world.tsync(["init", "--remote", "http://127.0.0.1:8080"])
    var workspace = try Workspace(
      at: world.current, for: .writing(command: "test"), clock: { [world] in world.now })
    try lay(&workspace)
    var state = WorkspaceState()
    state.pulled = Timestamp(ticks: (now - 4 * 60) * Timestamp.perSecond)
    state.pushed = Timestamp(ticks: (now - 3_700) * Timestamp.perSecond)
    try workspace.write(state)
    try workspace.finish("test")
  }

  func key(_ id: Text) throws -> ItemKey { ItemKey(table, try ItemID(id)) }

  private func row(_ id: Text, _ fields: JSONObject, version: Text = "1") throws -> Row {
    Row(
      id: try ItemID(id), item: Item(fields), version: Version(version),
      updatedAt: Timestamp(ticks: now * Timestamp.perSecond))
  }

  private func object(_ text: Text?, due: Text? = nil) -> JSONObject {
    var object = JSONObject()
    if let text { object.append("text", .string(text)) }
    if let due { object.append("due", .string(due)) }
    return object
  }

  private func lay(_ workspace: inout Workspace) throws {
    let passport = object("Renew passport", due: "2026-02-27")
    try workspace.setBase(
      [
        row("2b9e4f0a", passport), row("7f3a2c1e", object("Buy milk")),
        row("91be0d3c", object("Old idea")), row("00000001", object("Clean")),
      ], in: table, durably: true)
    let items: [(Text, JSONObject)] = [
      ("2b9e4f0a", object("Renew passport", due: "2026-03-03")), ("5d20c7aa", JSONObject()),
      ("7f3a2c1e", object("Buy oat milk", due: "2026-03-03")), ("00000001", object("Clean")),
      ("c01d77f2", object("Call the plumber")),
    ]
    for (id, object) in items {
      _ = try workspace.write(Item(object), to: key(id), expecting: nil)
    }
    world.directory.write(
      "{\n  \"text\": \"a\",\n  \"b\": 1,\n  \"list\": 2 3\n}\n",
      to: "work/.todosync/items/todoitem/a77c01be.json")
    let server = try row("2b9e4f0a", object("Renew passport", due: "2026-03-10"), version: "2")
    let client = try workspace.client(key("2b9e4f0a"))
    let conflict = Conflict(
      kind: .modified, base: Item(passport), client: client.item, server: server.item,
      fields: FieldMerge(
        base: Item(passport), client: client.item ?? server.item, server: server.item))
    try workspace.writeConflict(conflict, of: key("2b9e4f0a"))
    try workspace.append(
      [
        .conflict(
          key("2b9e4f0a"),
          OpenConflict(kind: .modified, fields: ["due"], digest: client.digest, server: server)),
        .rejected(
          key("5d20c7aa"),
          Rejection(
            kind: .insert, refusal: Refusal(status: 400, words: "text is required"),
            digest: workspace.client(key("5d20c7aa")).digest, tries: 3, time: now)),
        .noted(key("7f3a2c1e"), Note(kind: .update, commanded: false)),
        .noted(key("c01d77f2"), Note(kind: .insert, commanded: false)),
        .noted(key("91be0d3c"), Note(kind: .delete, commanded: true)),
      ], durably: true)
  }
}

@Suite("A workspace with one of each")
struct StatesTests {
  let troubles: Troubles
  var world: ScriptWorld { troubles.world }

  init() throws {
    troubles = try Troubles()
  }

  /// Expects a command to print exactly this.
  func expect(_ words: String..., prints text: String, status: Int32 = 0) {
    #expect(world.tsync(words) == status)
    #expect(world.output == text)
  }

  var clock: String { ClockTime.shown(troubles.now, now: troubles.now) }

  @Test("status looks as it is designed")
  func status() {
    expect(
      "status",
      prints: """
        http://127.0.0.1:8080 · pulled 4 min ago · pushed 1 h ago

        conflicts                                        tsync resolve
          MM  2b9e  Renew passport      due
        rejected by the server                           edit, or tsync restore REF
          R   5d20  (no text)           400 text is required · 3 tries, last \(clock)
        not valid
          !!  a77c  items/todoitem/a77c01be.json:4:13: expected ',' or '}' after a value
        to push                                          tsync push
          M   7f3a  Buy oat milk        text, due
          A   c01d  Call the plumber
          D   91be  Old idea

        """)
    #expect(world.error == "")
  }

  @Test(
    "status says that a pull was stopped, but not of one that runs, and takes no row for a change")
  func stoppedPull() throws {
    do {
      var workspace = try Workspace(
        at: world.current, for: .writing(command: "test"), clock: { [world] in world.now })
      let row = Row(
        id: try ItemID("0000abcd"), item: Item(JSONObject()), version: Version("1"), updatedAt: nil)
      try workspace.append([row], to: troubles.table)
      _ = try workspace.write(row.item, to: troubles.key("0000abcd"), expecting: nil)
      try workspace.settle()
      #expect(world.tsync(["status", "-s"]) == 0)
      #expect(world.error == "")
      withExtendedLifetime(workspace) {}
    }
    #expect(world.tsync(["status", "-s"]) == 0)
    #expect(!world.output.contains("0000"))
    #expect(
      world.error == "tsync: status: a pull of todoitem was stopped before its end: tsync pull\n")
  }

  @Test("status --porcelain stays as it is")
  func porcelain() {
    expect(
      "status", "--porcelain",
      prints: """
        # tsync.status 1
        MM conflict todoitem/2b9e4f0a due
        R  rejected todoitem/5d20c7aa -
        !! invalid todoitem/a77c01be -
        M  pending todoitem/7f3a2c1e text,due
        A  pending todoitem/c01d77f2 -
        D  pending todoitem/91be0d3c -

        """)
  }

  @Test("status --json tells all of it")
  func json() {
    expect(
      "status", "--json", "2b9e", "5d20",
      prints: #"{"schema":"tsync.status/1","remote":"http://127.0.0.1:8080","#
        + #""pulled":"2026-11-21T10:11:00Z","pushed":"2026-11-21T09:13:20Z","items":["#
        + #"{"table":"todoitem","id":"2b9e4f0a","title":"Renew passport","here":"M","there":"M","#
        + #""state":"conflict","fields":["due"]},"#
        + #"{"table":"todoitem","id":"5d20c7aa","title":null,"here":"R","there":"","#
        + #""state":"rejected","fields":[],"answer":400,"message":"text is required","tries":3,"#
        + #""last":"2026-11-21T10:15:00Z"}],"quarantined":[]}"# + "\n")
  }

  @Test("status tells the age of the last pull where that was asked")
  func age() {
    #expect(world.tsync(["status", "-s", "--max-age", "5m"]) == 0)
    #expect(world.error == "")
    #expect(world.tsync(["status", "-s", "--max-age", "1m", "--exit-code", "00000001"]) == 1)
    #expect(world.error == "tsync: status: the last pull was 4 min ago: tsync pull\n")
    world.now -= 220 * 1_000_000_000
    #expect(world.tsync(["status", "-s", "--max-age", "0s", "--exit-code", "00000001"]) == 1)
    #expect(world.error == "tsync: status: the last pull was 20 s ago: tsync pull\n")
  }

  @Test("a write of unknown outcome is listed as such")
  func unknown() throws {
    let key = try troubles.key("c01d77f2")
    var workspace = try Workspace(
      at: world.current, for: .writing(command: "test"), clock: { self.world.now })
    let item = try #require(try workspace.client(key).item)
    try workspace.append(
      [
        .intent(
          Intent(
            key: key, kind: .insert, request: Request(method: "POST", target: "tables/todoitem"),
            version: nil, item: item, digest: nil))
      ], durably: true)
    workspace = try Workspace(at: world.current, for: .reading, clock: { self.world.now })
    expect("status", "-s", "c01d", prints: "?   c01d  Call the plumber    insert\n")
    expect(
      "status", "--porcelain", "c01d", prints: "# tsync.status 1\n?  unknown todoitem/c01d77f2 -\n")
    expect("restore", "c01d", prints: "", status: 2)
    #expect(world.error.contains("the outcome of todoitem/c01d77f2 is unknown"))
    // What was sent comes before a conflict, and what waits.
    #expect(world.tsync(["journal"]) == 3)
    let states = world.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(states == ["sent", "conflict", "rejected", "pending", "pending"])
    // What was answered is done, though it isn't taken over yet.
    workspace = try Workspace(
      at: world.current, for: .writing(command: "test"), clock: { self.world.now })
    try workspace.append([.result(key, nil)], durably: true)
    #expect(world.tsync(["journal"]) == 3)
    let answered = world.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(answered == ["done", "conflict", "rejected", "pending", "pending"])
  }

  @Test("diff shows each field, before and now")
  func diff() {
    #expect(world.tsync(["diff"]) == 3)
    #expect(
      world.output == """
        M todoitem/2b9e  Renew passport
          due  2026-02-27 -> 2026-03-03
        A todoitem/5d20  (no text)
        M todoitem/7f3a  Buy oat milk
          text  Buy milk -> Buy oat milk
          due   - -> 2026-03-03
        A todoitem/c01d  Call the plumber
          text  - -> Call the plumber
        D todoitem/91be  Old idea

        """)
    expect(
      "diff", "--server", "2b9e",
      prints: "M todoitem/2b9e  Renew passport\n  due  2026-03-10 -> 2026-03-03\n")
    expect(
      "diff", "-p", "7f3a", "91be",
      prints: """
        --- base/todoitem/7f3a2c1e.json
        +++ items/todoitem/7f3a2c1e.json
        @@ -1,4 +1,5 @@
         {
           "id": "7f3a2c1e",
        -  "text": "Buy milk"
        +  "text": "Buy oat milk",
        +  "due": "2026-03-03"
         }
        --- base/todoitem/91be0d3c.json
        +++ /dev/null
        @@ -1,4 +0,0 @@
        -{
        -  "id": "91be0d3c",
        -  "text": "Old idea"
        -}

        """)
  }

  @Test("diff --conflict shows the three sides")
  func diffConflict() throws {
    #expect(world.tsync(["diff", "--conflict", "2b9e"]) == 0)
    let lines = world.output.split(separator: "\n")
    try #require(lines.count == 4)
    #expect(lines[0] == "edited here and on the server")
    #expect(lines[1] == "todoitem/2b9e  Renew passport")
    #expect(
      lines[3].split(separator: " ") == ["!", "due", "2026-02-27", "2026-03-03", "2026-03-10"])
  }

  @Test("the journal lists what waits, with what was answered")
  func journal() {
    #expect(world.tsync(["journal"]) == 3)
    #expect(
      world.output == """
        conflict  MM        2b9e  Renew passport      due
        rejected  insert    5d20  (no text)           400 text is required
        pending   update    7f3a  Buy oat milk        text, due
        pending   insert    c01d  Call the plumber
        pending   delete    91be  Old idea

        """)
    #expect(
      world.error
        == "tsync: journal: items/todoitem/a77c01be.json:4:13: expected ',' or '}' after a value\n")
  }

  @Test("show tells the system fields and the state")
  func show() {
    expect(
      "show", "2b9e",
      prints: """
        todoitem/2b9e4f0a  Renew passport
          text       Renew passport
          due        2026-03-03

          updatedAt  2026-11-21T10:15:00.000Z
          version    1
          state      conflict
          file       items/todoitem/2b9e4f0a.json

        """)
    expect(
      "show", "--server", "2b9e",
      prints:
        "{\n  \"id\": \"2b9e4f0a\",\n  \"text\": \"Renew passport\",\n  \"due\": \"2026-03-10\"\n}\n"
    )
    expect(
      "show", "--client", "91be", prints: "{\n  \"id\": \"91be0d3c\",\n  \"deleted\": true\n}\n")
  }

  @Test("restore -a puts back what was changed and removed, and nothing else")
  func restoreAll() {
    expect(
      "restore", "-n", "-a",
      prints: "would restore 7f3a  Buy milk\nwould restore 91be  Old idea\n")
    expect("restore", "-a", prints: "restored 7f3a  Buy milk\nrestored 91be  Old idea\n")
    expect(
      "status", "--porcelain",
      prints: """
        # tsync.status 1
        MM conflict todoitem/2b9e4f0a due
        R  rejected todoitem/5d20c7aa -
        !! invalid todoitem/a77c01be -
        A  pending todoitem/c01d77f2 -

        """)
  }

  @Test("restore of what is named takes the server's side, or drops what the server doesn't have")
  func restoreNamed() {
    expect(
      "restore", "2b9e", "5d20", "a77c",
      prints: "restored 2b9e  Renew passport\ndropped 5d20  (no text)\ndropped a77c  (no text)\n")
    expect(
      "show", "--client", "2b9e",
      prints: """
        {
          "id": "2b9e4f0a",
          "text": "Renew passport",
          "due": "2026-03-10"
        }

        """)
    #expect(world.tsync(["status", "-s", "2b9e"]) == 0)
    #expect(world.output == "")
  }

  @Test("an item that the server has deleted, too, comes back from the trash")
  func restoreDeleted() throws {
    #expect(world.tsync(["rm", "00000001"]) == 0)
    var workspace = try Workspace(
      at: world.current, for: .writing(command: "test"), clock: { self.world.now })
    try workspace.setBase([.gone(ItemID("00000001"))], in: troubles.table, durably: true)
    try workspace.append([.closed(.operation(troubles.key("00000001")))], durably: true)
    workspace = try Workspace(at: world.current, for: .reading, clock: { self.world.now })
    expect("restore", "-n", "00000001", prints: "would restore 0000  Clean\n")
    expect("restore", "00000001", prints: "restored 0000  Clean\n")
    expect("status", "-s", "00000001", prints: "A   0000  Clean\n")
  }

  @Test("purge refuses to forget what only exists here, and says what that is")
  func purge() {
    expect("purge", prints: "", status: 6)
    #expect(
      world.error.hasPrefix(
        "tsync: purge: 3 changes are not pushed, 1 item is in conflict, 1 item is rejected, 1 file is not valid\n"
      ))
    expect("purge", "--discard", prints: "todoitem  6 forgotten\n")
    expect("status", "-s", prints: "")
    expect("list", "-a", prints: "")
  }

  @Test("a file that was moved deletes nothing, and mv finishes it")
  func moved() throws {
    try world.shell("cd .todosync/items/todoitem && mv 00000001.json other.json")
    #expect(world.tsync(["status", "--porcelain"]) == 0)
    #expect(world.output.contains("!! invalid todoitem/00000001 -\n"))
    #expect(world.output.contains("!! invalid todoitem/other -\n"))
    #expect(!world.output.contains("D  pending todoitem/00000001"))
    expect("mv", "00000001", "other", prints: "renamed 0000 to other  Clean\n")
    #expect(world.tsync(["status", "--porcelain"]) == 0)
    #expect(world.output.contains("D  pending todoitem/00000001"))
    #expect(world.output.contains("A  pending todoitem/other"))
  }

  @Test("a signal ends a command between items")
  func signal() {
    world.signal = 2
    #expect(world.tsync(["set", "c01d", "a=b"]) == 130)
    #expect(world.output == "")
    expect("status", "-s", "c01d", prints: "A   c01d  Call the plumber\n")
  }
}
