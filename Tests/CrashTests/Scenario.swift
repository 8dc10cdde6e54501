import Glibc

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
  /// What a person answers at the terminal; `nil` where there is none.
  var types: [String]?
  /// The editor's command line.
  var editor: String?
  /// Whether it begins with damage, which is there until it has ended.
  var isDamaged = false
  /// Prepares the person's workspace, with the help of somebody else's.
  let prepare: @Sendable (_ mine: Person, _ theirs: Person, _ url: String) -> Void

  var description: String { name }
}

extension Scenario {
  /// All commands that change something, with five items each.
  static let all: [Scenario] = [
    Scenario(name: "init", words: ["init", "--remote", "$URL", "list"], isBeside: true) { _, _, _ in
    },
    Scenario(
      name: "clone", words: ["clone", "$URL", "list"], isBeside: true, goesOnBy: ["pull"]
    ) { _, theirs, url in fill(theirs, url) },
    Scenario(name: "pull", words: ["pull"]) { mine, theirs, url in
      begin(mine, theirs, url)
      theirs.run("set", "i1", "notes=theirs ~t1~")
      theirs.run("rm", "i2")
      differ(mine, theirs)
      mine.save("i5", "\"text\": \"Item 5 ~m5~\", \"notes\": \"n\"")
      theirs.run("new", "-s", "id=i6", "Item 6 ~t6~")
      theirs.run("push")
    },
    Scenario(name: "push", words: ["push"]) { mine, theirs, url in
      begin(mine, theirs, url)
      differ(mine, theirs)
      theirs.run("push")
      change(mine)
    },
    Scenario(name: "sync", words: ["sync"]) { mine, theirs, url in
      begin(mine, theirs, url)
      differ(mine, theirs)
      theirs.run("new", "-s", "id=i6", "Item 6 ~t6~")
      theirs.run("push")
      change(mine)
    },
    Scenario(name: "resolve --client", words: ["resolve", "--client", "-a"], prepare: quarrel),
    Scenario(name: "resolve --server", words: ["resolve", "--server", "-a"], prepare: quarrel),
    Scenario(name: "resolve --both", words: ["resolve", "--both", "-a"], prepare: quarrel),
    Scenario(
      name: "resolve (edit)", words: ["resolve"], types: ["e", "e"],
      // Of each field in conflict, the client's value stays. A text that comes back as it was would
      // be left, so that there is always something added.
      editor: "sed -i -e '/^|||||||/,/^>>>>>>>/d' -e '/^<<<<<<</d' -e '$a\\ '", prepare: quarrel),
    Scenario(name: "rm", words: ["rm", "i1", "i3", "n1"]) { mine, theirs, url in
      begin(mine, theirs, url)
      change(mine)
    },
    Scenario(name: "mv", words: ["mv", "i1", "j1"]) { mine, theirs, url in
      begin(mine, theirs, url)
      change(mine)
    },
    Scenario(name: "restore", words: ["restore", "i1", "i2", "n1"]) { mine, theirs, url in
      begin(mine, theirs, url)
      change(mine)
    },
    Scenario(name: "purge", words: ["purge", "--discard"]) { mine, theirs, url in
      begin(mine, theirs, url)
      differ(mine, theirs)
      theirs.run("push")
      change(mine)
      mine.run("pull")
    },
    Scenario(name: "doctor --fix", words: ["doctor", "--fix"]) { mine, theirs, url in
      quarrel(mine, theirs, url)
      change(mine)
      // What crashes leave: the torn end of a log, a staged text, a side of a conflict that is gone.
      let own = "\(mine.workspace)/.todosync"
      _ = SavedFile(at: "\(own)/journal.jsonl", beside: "").append("{\"n\":9,\"d\":")
      _ = SavedFile(at: "\(own)/index", beside: ".x").replace(with: "torn")
      _ = SavedFile(at: "\(own)/trash/.tmp-1-1", beside: ".x").overwrite(with: "{")
      unlink("\(own)/conflicts/todoitem/i4.server.json")
    },
    Scenario(
      name: "doctor --fix (damage)", words: ["doctor", "--fix"], isDamaged: true
    ) { mine, theirs, url in
      begin(mine, theirs, url)
      differ(mine, theirs)
      theirs.run("push")
      change(mine)
      mine.run("pull")
      mine.spoil()
    },
  ]

  /// Some rows on the server, and somebody else's workspace with them.
  private static func fill(_ theirs: Person, _ url: String, items: Int = 5) {
    theirs.run("clone", url, "list")
    for id in 1...items {
      theirs.save("i\(id)", "\"text\": \"Item \(id) ~s\(id)~\", \"notes\": \"n\"")
    }
    theirs.run("push")
  }

  /// Two workspaces with the same rows.
  static func begin(_ mine: Person, _ theirs: Person, _ url: String, items: Int = 5) {
    fill(theirs, url, items: items)
    mine.run("clone", url, "list")
  }

  /// One item that both have changed and that can be merged, and one that can't.
  private static func differ(_ mine: Person, _ theirs: Person) {
    theirs.save("i3", "\"text\": \"Item 3 ~s3~\", \"notes\": \"theirs ~t3~\"")
    theirs.save("i4", "\"text\": \"Item 4 theirs ~t4~\", \"notes\": \"n\"")
    mine.save("i3", "\"text\": \"Item 3 mine ~m3~\", \"notes\": \"n\"")
    mine.save("i4", "\"text\": \"Item 4 mine ~m4~\", \"notes\": \"n\"")
  }

  /// One item changed, one removed, one new.
  private static func change(_ mine: Person) {
    mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    mine.run("rm", "i2")
    mine.run("new", "-s", "id=n1", "New ~m6~")
  }

  /// Two open conflicts.
  @Sendable
  private static func quarrel(_ mine: Person, _ theirs: Person, _ url: String) {
    begin(mine, theirs, url)
    differ(mine, theirs)
    theirs.save("i1", "\"text\": \"Item 1 theirs ~t1~\", \"notes\": \"n\"")
    mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"mine ~m7~\"")
    theirs.run("push")
    mine.run("pull")
  }
}
