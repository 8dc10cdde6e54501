import CommandSupport
import Commands
import Glibc
import SyncModel
import Synchronization
import TestSupport
import Testing

/// Clocks that are wrong, and a workspace that went back in time.
@Suite struct TimeCases {
  /// 1970, 2106 (where 32 bits end), 2232 (where the kernel's clock ends), and before 1970.
  private static let years: [Int64] = [0, 4_294_967_296, 8_277_292_036, -86_400 * 365 * 30]

  @Test(
    "cases 94, L9: whatever the clock here says, what is exchanged is the same", arguments: years)
  func ignoresTheClock(seconds: Int64) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.now = { seconds * 1_000_000_000 }
    anna.run("set", "milk", "text=Oat milk")
    anna.run("new", "-s", "id=tea", "Tea")
    #expect(anna.run("status").status == 0)
    #expect(anna.run("push").error == "2 pushed\n")
    try world.server.request("PATCH", "tables/todoitem/tea", #"{"text": "Green tea"}"#)
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("tea")?.contains("Green tea") == true)
    anna.expectSound()
    anna.now = nil
    anna.expectSound()
  }

  @Test("cases 94, L9: a clock that goes back an hour while a command runs, and then a day")
  func goesBack() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    var steps = 0
    let start: Int64 = 1_795_256_100 * 1_000_000_000
    anna.now = {
      steps += 1
      return start - Int64(steps) * 3_600 * 1_000_000_000
    }
    anna.run("set", "milk", "text=Oat milk")
    #expect(anna.run("push").error == "1 pushed\n")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Milk"}"#)
    let pulled = anna.run("pull")
    #expect(pulled.status == 0)
    #expect(pulled.error == "todoitem  1 changed                              0.0 s\n")
    anna.expectSound()
    anna.now = nil
    anna.expectSound()
  }

  @Test("case 93: what a dead process left on its way is sorted by the next command")
  func findsLeftovers() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#)
    let anna = world.anna
    func beginning(_ text: String) -> String {
      String(Substring(Digest(of: text.utf8).description.utf8.prefix(16)))
    }
    // A new text that was never put in its place, and a save that was swapped out of it: by a process
    // of a number that no process has.
    let (milk, tea) = (try #require(anna.item("milk")), try #require(anna.item("tea")))
    let save = #"{"id": "tea", "text": "Green tea"}"#
    let trash = "list/.todosync/trash"
    for (text, id, new, old) in [("never", "milk", "never", milk), (save, "tea", tea, "before")] {
      let texts = "\(beginning(new))-\(beginning(old))"
      anna.directory.write(
        text, to: "\(trash)/.tmp-4194305-1-\(texts)-items-todoitem.\(id).json")
    }
    let pulled = anna.run("pull")
    #expect(pulled.status == 0)
    #expect(
      pulled.error.contains(
        "a text that an interrupted command left is now trash/items/todoitem/tea."))
    #expect(!anna.directory.names(in: trash).contains { $0.hasPrefix(".tmp-") })
    #expect(anna.item("milk") == milk && anna.item("tea") == tea)
    let kept = anna.directory.names(in: "\(trash)/items/todoitem").filter { $0.hasPrefix("tea.") }
    #expect(kept.map { anna.directory.text("\(trash)/items/todoitem/\($0)") } == [save])
    anna.expectSound()
  }

  @Test("case 93: what a dead tsync config left is gone after the next one, and nothing else is")
  func removesLeftSettings() throws {
    let anna = Person()
    anna.run("init", "list")
    anna.run("config", "--user", "editor", "vi")
    let others = [".tmp-\(getpid())-1", ".tmp-4194305-x", "tmp-4194305-1"]
    let places = ["list/.todosync", "config/tsync"]
    for (name, place) in (others + [".tmp-4194305-1"]).flatMap({ name in
      places.map { (name, $0) }
    }) { anna.directory.write("{", to: "\(place)/\(name)") }
    anna.run("config")
    #expect(anna.directory.names(in: places[0]).contains(".tmp-4194305-1"))
    #expect(anna.run("config", "merge", "manual").status == 0)
    #expect(anna.run("config", "--user", "editor", "vim").status == 0)
    for place in places {
      let left = anna.directory.names(in: place).filter { $0.contains("tmp-") }
      #expect(left == others.sorted())
    }
  }

  /// Copies a workspace as a snapshot of a machine does.
  private static func copy(_ from: String, _ to: String, in directory: TemporaryDirectory) throws {
    let ending = try ChildProcess(
      ["cp", "-a", "--", from, to], in: directory.path, [("PATH", "/usr/bin:/bin")]
    ).outcome()
    try #require(ending.status == 0)
  }

  private static func restore(in directory: TemporaryDirectory) throws {
    try #require(
      rename(directory.path(of: "list"), directory.path(of: "later \(directory.names().count)"))
        == 0)
    try copy("snapshot", "list", in: directory)
  }

  @Test("cases 95, L8: a workspace put back to before a push finds everything done already")
  func isRestored() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "old", "text": "Old"}"#)
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    anna.run("new", "-s", "id=tea", "Tea")
    anna.run("rm", "old")
    try Self.copy("list", "snapshot", in: anna.directory)
    #expect(anna.run("push").error.hasPrefix("3 pushed"))
    try Self.restore(in: anna.directory)
    let again = anna.run("push")
    #expect(again.status == 0, "\(again.output)")
    #expect(anna.conflicts == [])
    let rows = try world.server.request("GET", "tables/todoitem?$count=true")
    #expect(rows.contains(#""count":2"#))
    #expect(rows.contains("Oat milk"))
    anna.expectSound()
  }

  @Test(
    "case 95: put back to the middle of a push, the open writes are sent again and settled",
    arguments: ["POST", "PATCH", "DELETE"])
  func isRestoredToTheMiddle(method: String) throws {
    let directory = Mutex<TemporaryDirectory?>(nil)
    let isTaken = Gate()
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "old", "text": "Old"}"#)
    {
      request in
      guard request.method == method, !isTaken.wait(seconds: 0) else { return .forward }
      isTaken.open()
      // The attempt is durable, and the request on its way.
      if let directory = directory.withLock({ $0 }) {
        try? Self.copy("list", "snapshot", in: directory)
      }
      return .forward
    }
    let anna = world.anna
    directory.withLock { $0 = anna.directory }
    defer { directory.withLock { $0 = nil } }
    switch method {
    case "POST": anna.run("new", "-s", "id=tea", "Tea")
    case "PATCH": anna.run("set", "milk", "text=Oat milk")
    default: anna.run("rm", "old")
    }
    #expect(anna.run("push").error.hasPrefix("1 pushed"))
    try Self.restore(in: anna.directory)
    #expect(anna.run("status", "--porcelain").output.contains("? "))
    let again = anna.run("push", "--json")
    #expect(again.status == 0)
    #expect(again.output.contains(#""alreadyThere":true"#), "\(again)")
    #expect(anna.conflicts == [])
    anna.expectSound()
  }

  @Test("case 95: put back while somebody else went on, what both changed is a conflict")
  func isRestoredOverOthers() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    try Self.copy("list", "snapshot", in: anna.directory)
    anna.run("push")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    try Self.restore(in: anna.directory)
    #expect(anna.run("push").status == 1)
    #expect(anna.item("milk")?.contains("Oat milk") == true)
    #expect(try world.row("milk").contains("Soy milk"))
    #expect(anna.run("resolve", "--client", "--push", "milk").status == 0)
    anna.expectSound()
  }
}
