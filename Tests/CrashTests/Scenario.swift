import CommandSupport
import Glibc
import TestSupport

/// A command line in a workspace that was prepared for it.
struct Scenario: Sendable, CustomStringConvertible {
  /// What it is called.
  let name: String
  /// The command line; `$URL` is the server's address.
  let words: [String]
  /// Whether it is run beside the workspace, which it makes.
  var isBeside = false
  /// The command that goes on where this one finds that it has begun already; `nil` for itself.
  var goesOnBy: [String]?
  /// A command that changes nothing more, but writes, as this one may not where it is run again.
  var thenWrites: [String]?
  /// What a person answers at the terminal; `nil` where there is none.
  var types: [String]?
  /// The editor's command line.
  var editor: String?
  /// Whether the user's settings lie in the workspace, so that they are put back with it.
  var keepsTokens = false
  /// Whether it begins with damage, which is there until it has ended.
  var isDamaged = false
  /// How it ends undisturbed.
  var status: Int32 = 0
  /// How the last line begins that it then writes.
  let expects: String
  /// How else it may end where it, or a part of it, is done already.
  var repeats: Set<Int32> = []
  /// Prepares the person's workspace, with the help of somebody else's.
  let prepare: @Sendable (_ mine: Person, _ theirs: Person, _ url: String) throws -> Void

  var description: String { name }

  /// Whether it may end so where it is run once more after a fault.
  func mayEnd(again status: Int32) -> Bool { status == self.status || repeats.contains(status) }

  /// Checks that it has done undisturbed what it is there for.
  ///
  /// - Throws: `TestFailure` where it hasn't.
  func check(_ status: Int32, _ output: String) throws {
    let last = output.split { $0.isNewline }.last.map { String($0) } ?? ""
    guard status == self.status, last.hasPrefix(expects) else {
      throw TestFailure("\(self) ends with \(status): \(output)")
    }
  }
}

extension Scenario {
  /// All commands that change something, with five items each.
  static let all: [Scenario] = [
    Scenario(
      name: "init", words: ["init", "--remote", "$URL", "list"], isBeside: true,
      expects: "made workspace list", repeats: [2]
    ) { _, _, _ in },
    Scenario(
      name: "clone", words: ["clone", "$URL", "list"], isBeside: true, goesOnBy: ["pull"],
      expects: "todoitem  5 new"
    ) { _, theirs, url in try fill(theirs, url) },
    Scenario(name: "pull", words: ["pull"], status: 1, expects: "1 conflict ", repeats: [0]) {
      mine, theirs, url in
      try begin(mine, theirs, url)
      try theirs.does("set", "i1", "notes=theirs ~t1~")
      try theirs.does("rm", "i2")
      differ(mine, theirs)
      mine.save("i5", "\"text\": \"Item 5 ~m5~\", \"notes\": \"n\"")
      try theirs.does("new", "-s", "id=i6", "Item 6 ~t6~")
      try theirs.does("push")
    },
    Scenario(name: "push", words: ["push"], status: 1, expects: "4 pushed, 1 conflict ") {
      mine, theirs, url in
      try begin(mine, theirs, url)
      differ(mine, theirs)
      try theirs.does("push")
      try change(mine)
    },
    Scenario(name: "sync", words: ["sync"], status: 1, expects: "4 pushed, 1 conflict ") {
      mine, theirs, url in
      try begin(mine, theirs, url)
      differ(mine, theirs)
      try theirs.does("new", "-s", "id=i6", "Item 6 ~t6~")
      try theirs.does("push")
      try change(mine)
    },
    Scenario(
      name: "resolve --client", words: ["resolve", "--client", "-a"], expects: "2 resolved ",
      prepare: quarrel),
    Scenario(
      name: "resolve --server", words: ["resolve", "--server", "-a"], expects: "2 resolved ",
      prepare: quarrel),
    Scenario(
      name: "resolve --both", words: ["resolve", "--both", "-a"], expects: "2 resolved ",
      prepare: quarrel),
    Scenario(
      name: "resolve (edit)", words: ["resolve"], types: ["e", "e"],
      // Of each field in conflict, the client's value stays. A text that comes back as it was would
      // be left, so that there is always something added.
      editor: "sed -i -e '/^|||||||/,/^>>>>>>>/d' -e '/^<<<<<<</d' -e '$a\\ '",
      expects: "resolved i4  Item 4 mine ~m4~ (edited)", prepare: quarrel),
    Scenario(
      name: "new", words: ["new", "-s", "id=n2", "-s", "notes=n", "Other ~m8~"],
      expects: "added n2  ", repeats: [2], prepare: work),
    Scenario(
      name: "set", words: ["set", "i1", "i3", "n1", "due=tomorrow"], expects: "3 changed",
      prepare: work),
    Scenario(
      name: "edit", words: ["edit", "i3"], thenWrites: ["set", "i3", "notes=edited"], types: [],
      editor: "sed -i 's/\"n\"/\"edited\"/'",
      expects: "changed i3  ", prepare: work),
    Scenario(name: "done", words: ["done", "i1", "i3", "n1"], expects: "3 done", prepare: work),
    Scenario(name: "config", words: ["config", "merge", "client"], expects: "", prepare: work),
    Scenario(
      name: "remote set", words: ["remote", "set", "$URL/"], expects: "", prepare: work),
    Scenario(
      name: "remote login", words: ["remote", "login", "--token-file", "token"],
      keepsTokens: true, expects: ""
    ) { mine, theirs, url in
      try work(mine, theirs, url)
      mine.keepToken()
    },
    Scenario(
      name: "remote logout", words: ["remote", "logout"], keepsTokens: true, expects: ""
    ) { mine, theirs, url in
      try work(mine, theirs, url)
      mine.keepToken()
      let home = Person(in: mine.directory)
      home.environment = [("XDG_CONFIG_HOME", "\(mine.workspace)/config")]
      try home.does("remote", "login", "--token-file", "token")
    },
    Scenario(
      name: "rm", words: ["rm", "i1", "i3", "n1"], expects: "3 removed ", repeats: [2],
      prepare: work),
    Scenario(
      name: "mv", words: ["mv", "i1", "j1"], expects: "renamed i1 to j1  ", repeats: [2],
      prepare: work),
    Scenario(
      // Without n1: what was dropped comes back where it is named once more.
      name: "restore", words: ["restore", "i1", "i2"], expects: "restored i2  ", repeats: [2],
      prepare: work),
    Scenario(
      name: "restore --missing", words: ["restore", "--missing"], isDamaged: true,
      expects: "tsync: restore: applied rows that had been waiting: 1 item"
    ) { mine, theirs, url in
      try begin(mine, theirs, url)
      try theirs.does("set", "i3", "notes=theirs ~t3~")
      try theirs.does("push")
      // A row waits, and all items are gone.
      let own = "\(mine.workspace)/.todosync"
      _ = SavedFile(at: "\(own)/items/todoitem/i3.json", beside: ".x").overwrite(with: "{")
      try mine.does("pull", ending: 3)
      rename("\(own)/items", "\(mine.workspace)/elsewhere")
    },
    Scenario(
      name: "purge", words: ["purge", "--discard"], expects: "todoitem  5 forgotten"
    ) { mine, theirs, url in
      try begin(mine, theirs, url)
      differ(mine, theirs)
      try theirs.does("push")
      try change(mine)
      try mine.does("pull", ending: 1)
    },
    Scenario(
      name: "doctor --fix", words: ["doctor", "--fix"], expects: "all is well: 5 items, 1 table"
    ) { mine, theirs, url in
      try quarrel(mine, theirs, url)
      try change(mine)
      // What crashes leave: the torn end of a log, a staged text, a side of a conflict that is gone.
      let own = "\(mine.workspace)/.todosync"
      _ = SavedFile(at: "\(own)/journal/todoitem.jsonl", beside: "").append("{\"n\":9,\"d\":")
      _ = SavedFile(at: "\(own)/index", beside: ".x").replace(with: "torn")
      _ = SavedFile(at: "\(own)/trash/.tmp-1-1", beside: ".x").overwrite(with: "{")
      unlink("\(own)/conflicts/todoitem/i4.server.json")
    },
    Scenario(
      name: "doctor --fix (damage)", words: ["doctor", "--fix"], isDamaged: true,
      expects: "2 mended: 5 items, 1 table"
    ) { mine, theirs, url in
      try begin(mine, theirs, url)
      differ(mine, theirs)
      try theirs.does("push")
      try change(mine)
      try mine.does("pull", ending: 1)
      mine.spoil()
    },
  ]

  /// Some rows on the server, and somebody else's workspace with them.
  private static func fill(_ theirs: Person, _ url: String, items: Int = 5) throws {
    try theirs.does("clone", url, "list")
    for id in 1...items {
      theirs.save("i\(id)", "\"text\": \"Item \(id) ~s\(id)~\", \"notes\": \"n\"")
    }
    try theirs.does("push")
  }

  /// Two workspaces with the same rows.
  static func begin(_ mine: Person, _ theirs: Person, _ url: String, items: Int = 5) throws {
    try fill(theirs, url, items: items)
    try mine.does("clone", url, "list")
  }

  /// Two workspaces with the same rows, and some changes in one of them.
  @Sendable
  private static func work(_ mine: Person, _ theirs: Person, _ url: String) throws {
    try begin(mine, theirs, url)
    try change(mine)
  }

  /// One item that both have changed and that can be merged, and one that can't.
  private static func differ(_ mine: Person, _ theirs: Person) {
    theirs.save("i3", "\"text\": \"Item 3 ~s3~\", \"notes\": \"theirs ~t3~\"")
    theirs.save("i4", "\"text\": \"Item 4 theirs ~t4~\", \"notes\": \"n\"")
    mine.save("i3", "\"text\": \"Item 3 mine ~m3~\", \"notes\": \"n\"")
    mine.save("i4", "\"text\": \"Item 4 mine ~m4~\", \"notes\": \"n\"")
  }

  /// One item changed, one removed, one new.
  private static func change(_ mine: Person) throws {
    mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    try mine.does("rm", "i2")
    try mine.does("new", "-s", "id=n1", "New ~m6~")
  }

  /// Two open conflicts.
  @Sendable
  private static func quarrel(_ mine: Person, _ theirs: Person, _ url: String) throws {
    try begin(mine, theirs, url)
    differ(mine, theirs)
    theirs.save("i1", "\"text\": \"Item 1 theirs ~t1~\", \"notes\": \"n\"")
    mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"mine ~m7~\"")
    try theirs.does("push")
    try mine.does("pull", ending: 1)
  }
}
