import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// A workspace made by somebody else: what isn't a numbered case.
@Suite struct HostileWorkspaceTests {
  private static let names = [
    "config.json", "state.json", "history.jsonl", "index", "lock", ".gitignore",
    "items", "items/todoitem", "journal", "journal/todoitem.jsonl", "conflicts",
    "conflicts/todoitem",
    "trash", "quarantine",
  ]

  /// Lays a link to a file or a directory outside in place of something of tsync's own.
  private func lay(_ name: String, in anna: Person) -> String {
    let place = anna.directory.path(of: "list/.todosync/\(name)")
    var status = stat()
    let isFile =
      lstat(place, &status) == 0 ? status.st_mode & S_IFMT == S_IFREG : name.contains(".")
    let target = isFile ? "outside/file" : "outside/directory"
    if isFile { anna.directory.write("canary-of-a-key\n", to: target) }
    anna.directory.write("{\"text\": \"canary-of-a-key\"}", to: "outside/directory/milk.json")
    rename(place, anna.directory.path(of: "aside"))
    symlink(anna.directory.path(of: target), place)
    return anna.directory.path(of: target)
  }

  @Test(
    "W4: a link in place of a file or directory of tsync's own is not followed", arguments: names)
  func followsNoLink(name: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#)
    let anna = world.anna
    anna.run("set", "tea", "text=Green tea")
    try world.server.request("PATCH", "tables/todoitem/tea", #"{"text": "Black tea"}"#)
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
    if name == "conflicts/todoitem" {
      mkdir(anna.directory.path(of: "list/.todosync/conflicts/todoitem"), 0o700)
    }
    _ = lay(name, in: anna)
    let outside =
      anna.directory.names(in: "outside") + anna.directory.names(in: "outside/directory")
    for command in ["status", "list", "diff", "pull", "push", "resolve", "sync", "restore -a"] {
      let outcome = anna.run(command.split(separator: " ").map(String.init))
      #expect([0, 1, 2, 6, 8].contains(outcome.status), "\(command): \(outcome.error)")
      #expect(!"\(outcome.output)\(outcome.error)".contains("canary-of-a-key"), "\(command)")
    }
    #expect(!world.hasSent("canary-of-a-key"))
    #expect(
      anna.directory.names(in: "outside") + anna.directory.names(in: "outside/directory") == outside
    )
    #expect(
      anna.directory.text("outside/directory/milk.json") == "{\"text\": \"canary-of-a-key\"}")
    if outside.contains("file") {
      #expect(anna.directory.text("outside/file") == "canary-of-a-key\n")
    }
  }

  @Test(
    "W6: a workspace is made for its owner only, whatever the mask, and others' rights are told")
  func isPrivate() throws {
    let anna = Person()
    mkdir(anna.directory.path(of: "list"), 0o755)
    #expect(try anna.shell("umask 000; tsync init && tsync new Milk").status == 0)
    let found = try anna.shell("find .todosync -perm /077")
    #expect(found.output == "")
    chmod(anna.directory.path(of: "list/.todosync"), 0o755)
    let status = anna.run("status")
    #expect(status.status == 0)
    #expect(
      status.error == "tsync: status: .todosync is open to other users: chmod 700 .todosync\n")
  }

  @Test("W8: twenty thousand files that are no items are passed over")
  func passesJunk() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    for number in 0..<20_000 {
      let path = world.anna.directory.path(of: "list/.todosync/items/todoitem/junk \(number)")
      close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    }
    world.anna.expectSound()
  }

  @Test(
    "W10: with the rights of another user nothing is done",
    .disabled(if: Sanitizer.isOn, "a sanitizer has words of its own for such a program"))
  func refusesSetUserID() throws {
    guard geteuid() == 0 else { try Test.cancel("only root can give a program away") }
    let anna = Person()
    anna.run("init", "list")
    let copied = try anna.shell(
      "cp \"$(command -v tsync)\" ../tsync && chown 65534:65534 ../tsync && chmod 6755 ../tsync")
    try #require(copied.status == 0, "\(copied.error)")
    chmod(anna.directory.path, 0o755)
    let refused = try anna.shell("exec ../tsync list")
    #expect(refused.status == 6)
    #expect(
      refused.error == "tsync: it can't be run with the rights of another user (set-user-ID)\n")
  }

  @Test("W11: a crash leaves no token behind, neither in a core file nor in what it prints")
  func crashesQuietly() throws {
    let isAsked = Gate()
    let isOver = Gate()
    let server = try ScriptedServer { _ in
      isAsked.open()
      isOver.wait()
      return .dropped
    }
    let anna = Person()
    anna.run("init", "--remote", server.url, "list")
    anna.directory.write("canary-token\n", to: "token")
    anna.run("remote", "login", "--token-file", anna.directory.path(of: "token"))
    anna.environment = [("EDITOR", "ulimit -c; true")]
    anna.run("new", "-s", "id=milk", "Milk")
    #expect(try anna.shell("ulimit -c unlimited; tsync edit milk").output.hasPrefix("0\n"))
    let pull = try anna.start(["pull"])
    isAsked.wait()
    pull.signal(SIGSEGV)
    let ended = pull.outcome()
    isOver.open()
    #expect(ended.status == 128 + SIGSEGV)
    #expect(ended.output == "" && ended.error == "")
    #expect(!anna.directory.names(in: "list").contains { $0.hasPrefix("core") })
  }

  @Test("W10: the environment's variables decide where the workspace is and what edits it")
  func obeysEnvironment() throws {
    let anna = Person()
    anna.run("init", "list")
    anna.environment = [("TSYNC_DIR", anna.directory.path(of: "list")), ("TSYNC_EDITOR", "true")]
    anna.run("new", "-s", "id=milk", "Milk")
    let elsewhere = try ChildProcess(
      [Programs.path(of: "tsync"), "list"], in: "/", anna.variables)
    #expect(elsewhere.outcome().output == "milk  Milk\n")
    #expect(anna.run("edit", "milk").status == 0)
  }
}
