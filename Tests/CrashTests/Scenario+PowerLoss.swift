import CommandSupport

extension Scenario {
  /// Commands with three items at most, whose states after a power loss can be counted.
  static let powerLosses: [Scenario] = [
    Scenario(name: "pull (3)", words: ["pull"], status: 1, expects: "1 conflict ", repeats: [0]) {
      mine, theirs, url in
      try begin(mine, theirs, url, items: 3)
      try theirs.does("set", "i1", "notes=theirs ~t1~")
      try theirs.does("rm", "i2")
      theirs.save("i3", "\"text\": \"Item 3 theirs ~t3~\", \"notes\": \"n\"")
      mine.save("i3", "\"text\": \"Item 3 mine ~m3~\", \"notes\": \"n\"")
      try theirs.does("push")
    },
    Scenario(name: "merge (2)", words: ["pull"], expects: "merged i1  ") { mine, theirs, url in
      try begin(mine, theirs, url, items: 2)
      theirs.save("i1", "\"text\": \"Item 1 ~s1~\", \"notes\": \"theirs ~t1~\"")
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
      try theirs.does("new", "-s", "id=i6", "Item 6 ~t6~")
      try theirs.does("push")
    },
    Scenario(name: "push (3)", words: ["push"], expects: "3 pushed") { mine, theirs, url in
      try begin(mine, theirs, url, items: 2)
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
      try mine.does("rm", "i2")
      try mine.does("new", "-s", "id=n1", "New ~m6~")
    },
    Scenario(
      name: "push, merged (2)", words: ["push"], status: 1, expects: "1 pushed, 1 conflict "
    ) { mine, theirs, url in
      try begin(mine, theirs, url, items: 2)
      theirs.save("i1", "\"text\": \"Item 1 ~s1~\", \"notes\": \"theirs ~t1~\"")
      theirs.save("i2", "\"text\": \"Item 2 theirs ~t2~\", \"notes\": \"n\"")
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
      mine.save("i2", "\"text\": \"Item 2 mine ~m2~\", \"notes\": \"n\"")
      try theirs.does("push")
    },
    Scenario(
      name: "resolve --client (1)", words: ["resolve", "--client", "-a"], expects: "1 resolved ",
      prepare: oneQuarrel),
    Scenario(
      name: "resolve --server (1)", words: ["resolve", "--server", "-a"], expects: "1 resolved ",
      prepare: oneQuarrel),
    Scenario(
      name: "resolve --both (1)", words: ["resolve", "--both", "-a"], expects: "1 resolved ",
      prepare: oneQuarrel),
    Scenario(name: "rm (1)", words: ["rm", "i1"], expects: "removed i1  ", repeats: [2]) {
      mine, theirs, url in
      try begin(mine, theirs, url, items: 2)
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    },
    Scenario(
      name: "purge (2)", words: ["purge", "--discard"], expects: "todoitem  2 forgotten"
    ) { mine, theirs, url in
      try begin(mine, theirs, url, items: 2)
      mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"n\"")
    },
  ]

  @Sendable
  private static func oneQuarrel(_ mine: Person, _ theirs: Person, _ url: String) throws {
    try begin(mine, theirs, url, items: 2)
    theirs.save("i1", "\"text\": \"Item 1 theirs ~t1~\", \"notes\": \"n\"")
    mine.save("i1", "\"text\": \"Item 1 mine ~m1~\", \"notes\": \"mine ~m7~\"")
    try theirs.does("push")
    try mine.does("pull", ending: 1)
  }
}
