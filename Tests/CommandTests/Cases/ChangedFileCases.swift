import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// Files that people and programs change.
@Suite struct ChangedFileCases {
  private let server: RunningServer

  init() throws { server = try RunningServer() }

  /// Makes a person with some items that the server has too.
  private func person(items count: Int) throws -> Person {
    let lines = (0..<count).map { #"{"id": "i\#($0)", "text": "Item \#($0)"}"# + "\n" }
    let anna = try Person(cloning: server.url)
    anna.directory.write(lines.joined(), to: "lines.jsonl")
    #expect(anna.run("new", "-f", anna.directory.path(of: "lines.jsonl")).status == 0)
    #expect(anna.run("push").error == "\(count) pushed\n")
    return anna
  }

  private var count: String {
    get throws { try server.request("GET", "tables/todoitem?$count=true&$top=1") }
  }

  @Test("case 74: one of a hundred files that was removed by hand is deleted by the next push")
  func removesOne() throws {
    let anna = try person(items: 100)
    unlink(anna.directory.path(of: anna.file("i50")))
    #expect(anna.run("status", "--porcelain").output.contains("D  pending todoitem/i50 -\n"))
    let pushed = anna.run("push")
    #expect(pushed.status == 0 && pushed.output == "deleted i50  Item 50\n", "\(pushed)")
    #expect(pushed.error.hasPrefix("1 pushed (1 missing file) "), "\(pushed)")
    #expect(try count.contains("\"count\":99"))
    anna.expectSound()
  }

  @Test(
    "cases 75, L6: emptied items stop push and sync, and nothing is deleted",
    arguments: ["files", "table", "items", "unmounted"])
  func removesAll(what: String) throws {
    let anna = try person(items: 30)
    let items = anna.directory.path(of: "list/.todosync/items")
    let aside = anna.directory.path(of: "aside")
    switch what {
    case "files":
      #expect(rename("\(items)/todoitem", aside) == 0)
      #expect(mkdir("\(items)/todoitem", 0o700) == 0)
    case "table": #expect(rename("\(items)/todoitem", aside) == 0)
    default: #expect(rename(items, aside) == 0)
    }
    // An unmounted disk leaves the directory that it was mounted on.
    if what == "unmounted" { #expect(mkdir(items, 0o700) == 0) }
    for command in ["push", "sync"] {
      let stopped = anna.run(command)
      #expect(stopped.status == 6, "\(command): \(stopped.error)")
      #expect(stopped.error.contains(": tsync restore --missing\n"))
    }
    #expect(try count.contains("\"count\":30"))
    if what == "files" || what == "unmounted" {
      #expect(remove(what == "files" ? "\(items)/todoitem" : items) == 0)
    }
    let place = what == "files" || what == "table" ? "\(items)/todoitem" : items
    #expect(rename(aside, place) == 0)
    anna.expectSound()
  }

  @Test("case 76: files that were touched, or written anew with the same contents, are no change")
  func touchesAll() throws {
    let anna = try person(items: 100)
    for number in 0..<100 {
      let file = anna.file("i\(number)")
      if number % 2 == 0 {
        #expect(utimensat(AT_FDCWD, anna.directory.path(of: file), nil, 0) == 0)
      } else {
        anna.directory.write(try #require(anna.directory.read(file)), to: file)
      }
    }
    anna.expectSound()
  }

  @Test("case 77: 500 files that a script rewrote are 500 changes, and pushed")
  func rewritesAll() throws {
    let anna = try person(items: 500)
    for number in 0..<500 {
      anna.directory.write(
        #"{"id": "i\#(number)", "text": "Done \#(number)"}"#, to: anna.file("i\(number)"))
    }
    #expect(anna.run("status", "--porcelain").output.split(separator: "\n").count == 501)
    let pushed = anna.run("push")
    #expect(pushed.status == 0)
    #expect(pushed.error == "500 pushed\n")
    #expect(try server.request("GET", "tables/todoitem/i499").contains("Done 499"))
    anna.expectSound()
  }

  @Test("cases 78, L10: another content of the same size and the same time is seen")
  func keepsSizeAndTime() throws {
    let anna = try person(items: 3)
    let path = anna.directory.path(of: anna.file("i1"))
    let text = try #require(anna.item("i1"))
    // A time long past, so that the index takes the file for settled.
    let time = timespec(tv_sec: 1_700_000_000, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    #expect(anna.run("status", "--porcelain").output == "# tsync.status 1\n")
    var before = stat()
    #expect(stat(path, &before) == 0)
    anna.directory.write(text.replacing("Item 1", with: "Idem 1"), to: anna.file("i1"))
    #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    var after = stat()
    #expect(stat(path, &after) == 0)
    #expect(before.st_size == after.st_size)
    #expect(before.st_mtim.tv_sec == after.st_mtim.tv_sec)
    #expect(anna.run("push").output == "updated i1  Idem 1\n")
    anna.expectSound()
  }

  // Between the check and the exchange nothing happens that a test of commands can hold on to: that is
  // in ReplacedFileTests, and in EditorTests, where editors save all the time.
  @Test("case 79: an edit that is saved while the page is on its way, before the check: a conflict")
  func savesBeforeTheCheck() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
    let (directory, file) = (anna.directory, anna.file("milk"))
    world.disturb { _ in
      directory.write(#"{"id": "milk", "text": "Soy milk"}"#, to: file)
      return .forward
    }
    let pulled = anna.run("pull")
    #expect(pulled.status == 1)
    #expect(pulled.output == "conflict milk  Soy milk (text)\n")
    #expect(anna.item("milk") == #"{"id": "milk", "text": "Soy milk"}"#)
    world.calm()
    #expect(anna.run("resolve", "--client", "milk").status == 0)
    world.expectCalm()
    #expect(try world.row("milk").contains("Soy milk"))
  }

  @Test("case 79: an edit that is saved after its row has come, in a pull, waits for a push")
  func savesAfterItsRow() throws {
    let world = try CaseWorld()
    for number in 0..<10 {
      try world.server.request(
        "POST", "tables/todoitem", #"{"id": "i\#(number)", "text": "Item \#(number)"}"#)
    }
    let anna = world.anna
    anna.run("pull")
    for number in 0..<10 {
      try world.server.request("PATCH", "tables/todoitem/i\(number)", #"{"text": "Theirs"}"#)
    }
    anna.run("config", "pull.page", "2")
    let (directory, file, log) = (
      anna.directory, anna.file("i0"), "list/.todosync/journal/todoitem.jsonl"
    )
    let isSaved = Gate()
    world.disturb { _ in
      if directory.text(log)?.contains("Theirs") == true, !isSaved.wait(seconds: 0) {
        directory.write(#"{"id": "i0", "text": "Item 0", "mine": true}"#, to: file)
        isSaved.open()
      }
      return .forward
    }
    #expect(anna.run("pull").status == 0)
    // Saved before the last page was asked for.
    #expect(isSaved.wait(seconds: 0))
    #expect(
      anna.item("i0")?.contains("Theirs") == true && anna.item("i0")?.contains("mine") == true)
    #expect(anna.run("push").output == "updated i0  Theirs\n")
    world.calm()
    anna.expectSound()
  }

  @Test("case 79: what is written into the old file after the exchange is in the trash")
  func writesIntoTheOldFile() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    let old = open(anna.directory.path(of: anna.file("milk")), O_WRONLY | O_APPEND)
    defer { close(old) }
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
    #expect(anna.run("pull").status == 0)
    let late = "late words"
    #expect(write(old, late, late.utf8.count) == late.utf8.count)
    #expect(anna.item("milk")?.contains("Oat milk") == true)
    let kept = anna.trashed()
    #expect(kept.contains { $0.contains("Milk") && $0.hasSuffix(late) })
    anna.expectSound()
  }

  @Test("case 81: an item made anew under the id of a deleted row brings the row back")
  func revives() throws {
    let anna = try person(items: 5)
    let ben = try Person(cloning: server.url)
    #expect(ben.run("rm", "i1").status == 0)
    #expect(ben.run("push").output == "deleted i1  Item 1\n")
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("i1") == nil)
    anna.directory.write(#"{"id": "i1", "text": "Again"}"#, to: anna.file("i1"))
    let pushed = anna.run("push")
    #expect(pushed.status == 0, "\(pushed.output)\(pushed.error)")
    #expect(try server.request("GET", "tables/todoitem/i1").contains("Again"))
    anna.expectSound()
    #expect(ben.run("pull").status == 0)
    #expect(ben.item("i1")?.contains("Again") == true)
  }

  @Test("case 81: one made under the id of a row that was deleted without its maker's knowledge")
  func meetsTombstone() throws {
    let anna = try person(items: 5)
    anna.run("rm", "i1")
    anna.run("push")
    // A workspace that was made after the deletion, and one that never pulled.
    let ben = Person()
    ben.run("init", "--remote", server.url, "list")
    ben.run("new", "-s", "id=i1", "Mine")
    #expect(ben.run("push").output == "conflict i1  Mine\n")
    #expect(ben.run("status", "--porcelain").output.contains("AD conflict todoitem/i1 -\n"))
    #expect(ben.run("resolve", "--client", "i1").status == 0)
    #expect(ben.run("push").output == "undeleted i1  Mine\n")
    #expect(ben.item("i1")?.contains("Mine") == true)
    #expect(try server.request("GET", "tables/todoitem/i1").contains("Mine"))
    ben.expectSound()
  }
}
