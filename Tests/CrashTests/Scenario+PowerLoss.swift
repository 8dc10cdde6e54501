extension Scenario {
  /// Commands with three items at most, whose states after a power loss can be counted.
  static let powerLosses: [Scenario] = [
    Scenario(name: "pull (3)", words: ["pull"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 3)
      theirs.run("set", "i1", "notes=theirs ~t1~")
      theirs.run("rm", "i2")
      theirs.save("i3", "\"text\": \"Item 3 theirs ~t3~\", \"notes\": \"n\"")
      mine.save("i3", "\"text\": \"Item 3 mine ~m3~\", \"notes\": \"n\"")
      theirs.run("push")
    },
    Scenario(name: "merge (2)", words: ["pull"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 2)
      theirs.save("i1", "\"text\": \"Item 1 ~s1~\", \"notes\": \"theirs ~t1~\"")
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
      theirs.run("new", "-s", "id=i6", "Item 6 ~t6~")
      theirs.run("push")
    },
    Scenario(name: "push (3)", words: ["push"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 2)
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
      mine.run("rm", "i2")
      mine.run("new", "-s", "id=n1", "New ~m6~")
    },
    Scenario(name: "push, merged (2)", words: ["push"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 2)
      theirs.save("i1", "\"text\": \"Item 1 ~s1~\", \"notes\": \"theirs ~t1~\"")
      theirs.save("i2", "\"text\": \"Item 2 theirs ~t2~\", \"notes\": \"n\"")
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
      mine.save("i2", "\"text\": \"Item 2 mine ~m2~\", \"notes\": \"n\"")
      theirs.run("push")
    },
    Scenario(
      name: "resolve --client (1)", words: ["resolve", "--client", "-a"], prepare: oneQuarrel),
    Scenario(
      name: "resolve --server (1)", words: ["resolve", "--server", "-a"], prepare: oneQuarrel),
    Scenario(name: "resolve --both (1)", words: ["resolve", "--both", "-a"], prepare: oneQuarrel),
    Scenario(name: "rm (1)", words: ["rm", "i1"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 2)
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    },
    Scenario(name: "purge (2)", words: ["purge", "--discard"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 2)
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    },
    Scenario(name: "rotation", words: ["push"]) { mine, theirs, url in
      begin(mine, theirs, url, items: 2)
      // What was sent fills the journal, until it is written anew.
      for word in ["a", "b"] {
        mine.save("i2", "\"text\": \"\(String(repeating: word, count: 6_000))\"")
        mine.run("push")
      }
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    },
  ]

  @Sendable
  private static func oneQuarrel(_ mine: Person, _ theirs: Person, _ url: String) {
    begin(mine, theirs, url, items: 2)
    theirs.save("i1", "\"text\": \"Item 1 theirs ~t1~\", \"notes\": \"n\"")
    mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"mine ~m7~\"")
    theirs.run("push")
    mine.run("pull")
  }
}
