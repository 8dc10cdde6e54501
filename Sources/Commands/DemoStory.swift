import SyncModel

/// The story that `tsync demo` plays: what is told, what is typed, and what must come of it.
struct DemoStory {
  /// One line of the story.
  struct Step {
    /// What is told before, on a line of its own; empty where nothing is.
    var told = ""
    /// The command line, for a shell.
    let typed: String
    /// What the command must end with.
    var status: Int32 = 0
    /// What must be among the lines that it prints.
    var printed: [String] = []
  }

  /// The steps in their order.
  let steps: [Step]

  /// Tells the story of a server.
  init(of url: String) {
    let anna = "anna/.todosync/items/todoitem/hello.json"
    let ben = "ben/.todosync/items/todoitem/hello.json"
    steps = [
      Step(
        told: "Anna and Ben clone the list of a server that has just started.",
        typed: "tsync clone \(url) anna", printed: ["made workspace anna (todoitem)"]),
      Step(typed: "tsync clone \(url) ben", printed: ["made workspace ben (todoitem)"]),
      Step(
        told: "Anna makes an item and pushes it. Ben pulls it: a file of his own.",
        typed: "tsync -C anna new -s id=hello Hello world 3",
        printed: ["added hello  Hello world 3"]),
      Step(
        typed: "tsync -C anna push", printed: ["created hello  Hello world 3", "1 pushed"]),
      Step(typed: "tsync -C ben pull"),
      Step(
        typed: "cat \(ben)", printed: ["  \"id\": \"hello\",", "  \"text\": \"Hello world 3\""]),
      Step(
        told: "Both edit the same line of it, with any editor. Anna pushes first.",
        typed: "sed -i 's/world 3/world 13/' \(anna)"),
      Step(
        typed: "tsync -C anna push", printed: ["updated hello  Hello world 13", "1 pushed"]),
      Step(typed: "sed -i 's/world 3/world 23/' \(ben)"),
      Step(
        typed: "tsync -C ben push", status: 1,
        printed: ["conflict hello  Hello world 23 (text)"]),
      Step(
        told: "Nothing is lost and nothing was decided: the versions lie side by side.",
        typed: "grep text ben/.todosync/conflicts/todoitem/hello.*",
        printed: ["client", "server", "base"].map { side in
          let world = ["client": 23, "server": 13, "base": 3][side] ?? 0
          return "ben/.todosync/conflicts/todoitem/hello.\(side).json:"
            + "  \"text\": \"Hello world \(world)\""
        }),
      Step(
        told: "Ben keeps his own, and the server accepts it. Anna gets it with her next pull.",
        typed: "tsync -C ben resolve --client hello",
        printed: ["resolved hello  Hello world 23 (client)"]),
      Step(typed: "tsync -C ben push", printed: ["updated hello  Hello world 23", "1 pushed"]),
      Step(typed: "tsync -C anna pull"),
      Step(
        told: "Without a network all goes on; a push says what waits.",
        typed: "tsync -C anna remote set http://127.0.0.1:1"),
      Step(typed: "tsync -C anna new -s id=milk Buy milk", printed: ["added milk  Buy milk"]),
      Step(typed: "tsync -C anna done hello", printed: ["done hello  Hello world 23"]),
      Step(
        typed: "tsync -C anna push", status: 5,
        printed: [
          "tsync: push: cannot reach http://127.0.0.1:1: connection refused",
          "tsync: nothing is lost: 2 changes wait           try again: tsync -C anna push",
        ]),
      Step(
        told: "With the network back, exactly these are sent, once.",
        typed: "tsync -C anna remote set \(url)"),
      Step(
        typed: "tsync -C anna push",
        printed: ["created milk  Buy milk", "updated hello  Hello world 23", "2 pushed"]),
      Step(typed: "tsync -C anna push", printed: ["nothing to push"]),
      Step(
        told: "In the end both have the same.", typed: "tsync -C ben sync",
        printed: ["nothing to push"]),
      Step(typed: "diff -r anna/.todosync/items ben/.todosync/items"),
      Step(
        typed: "tsync -C ben list -a",
        printed: ["hello  Hello world 23      done", "milk   Buy milk"]),
    ]
  }
}
