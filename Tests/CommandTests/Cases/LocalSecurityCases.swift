import CommandSupport
import Commands
import Glibc
import TestSupport
import Testing

/// A workspace that somebody else prepared, and a machine that others use.
@Suite struct LocalSecurityCases {
  /// Settings that run a program, choose credentials or a way of the network, and some that only
  /// other programs have.
  private static func settings(running command: String) -> [String] {
    [
      "editor", "pager", "resolve.command", "resolve.tool", "credential.command", "core.editor",
      "core.pager", "core.items", "hooks.pre-push", "hooks.post-pull", "mergetool.cmd",
      "http.proxy",
      "https.proxy", "tls.verify", "tls.ca", "alias.status", "include.path",
    ].map { "\"\($0)\": \"\(command)\"" }
  }

  @Test("cases 106, W1, W9: nothing that a workspace's settings name is run, and that is told")
  func ignoresSettings() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    let canary = anna.directory.path(of: "pwned")
    let path = "list/.todosync/config.json"
    let text = try #require(anna.directory.text(path))
    let settings = Self.settings(running: "touch \(canary); false")
    anna.directory.write(
      "{\n" + settings.joined(separator: ",\n") + ",\n" + text.dropFirst(), to: path)
    for directory in ["hooks", "list/hooks", "list/.todosync/hooks"] {
      for name in ["pre-push", "post-pull", "pre-commit"] {
        anna.directory.write("#!/bin/sh\ntouch \(canary)\n", to: "\(directory)/\(name)")
        chmod(anna.directory.path(of: "\(directory)/\(name)"), 0o755)
      }
    }
    anna.environment = [("EDITOR", "true"), ("PAGER", "cat")]
    anna.directory.write(
      (0..<100).map { "{\"text\": \"\($0)\"}\n" }.joined(), to: "lines")
    #expect(anna.run("new", "-f", anna.directory.path(of: "lines")).status == 0)
    anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    #expect(anna.run("pull").status == 1)
    #expect(anna.run("resolve").status == 1)
    anna.types = ["e", "l", "q"]
    for (command, status) in [
      (["status"], 0), (["list"], 0), (["diff"], 0), (["edit", "milk"], 0), (["resolve"], 1),
      (["push", "--resolve"], 1), (["sync"], 1),
    ] as [([String], Int32)] {
      let outcome = anna.run(command)
      #expect(outcome.status == status, "\(command): \(outcome.error)")
      for name in ["editor", "pager", "resolve.command", "resolve.tool", "credential.command"] {
        #expect(outcome.error.contains("\(name) has effect only in the user's settings\n"))
      }
      #expect(outcome.error.contains("there is no setting 'hooks.pre-push'\n"))
    }
    #expect(access(canary, F_OK) != 0)
  }

  @Test(
    "cases 107, W3: a workspace of another user is refused, and one that lies in a shared place")
  func refusesOthers() throws {
    guard geteuid() == 0 else { try Test.cancel("only root can become nobody") }
    let anna = Person()
    anna.run("init", "list")
    let start = "exec setpriv --reuid=65534 --regid=65534 --clear-groups"
    // The program must be one that nobody may run.
    chmod(anna.directory.path, 0o755)
    chmod(anna.directory.path(of: "list"), 0o755)
    guard try anna.shell("\(start) tsync --version").status == 0 else {
      try Test.cancel("nobody can't run the program here")
    }
    for command in ["status", "push", "new x"] {
      let refused = try anna.shell("HOME=/nonexistent \(start) tsync \(command)")
      #expect(refused.status == 6, "\(refused.error)")
      #expect(refused.error.contains("belongs to another user\n"))
    }
    // Somebody laid a workspace above where a victim works, as in /tmp.
    chmod(anna.directory.path(of: "list"), 0o1777)
    chown(anna.directory.path(of: "list/.todosync"), 65_534, 65_534)
    mkdir(anna.directory.path(of: "list/work"), 0o755)
    let planted = try anna.shell("cd work && HOME=/nonexistent \(start) tsync status")
    #expect(planted.status == 6, "\(planted.error)")
    chown(anna.directory.path(of: "list/.todosync"), 0, 0)
    let shared = try anna.shell("cd work && tsync status")
    #expect(shared.status == 6, "\(shared.error)")
    #expect(
      shared.error.contains(
        "is in a directory that other users can write to; to use it, name it with -C\n"))
    #expect(try anna.shell("cd work && tsync -C .. status").status == 0)
  }

  @Test(
    "cases 108, W6: a file of tokens that others can read is refused, with the chmod that mends it",
    arguments: [0o644, 0o640, 0o604] as [mode_t])
  func refusesOpenTokens(mode: mode_t) throws {
    let guarded = try RunningServer([])
    let anna = Person()
    anna.run("init", "--remote", guarded.url, "list")
    anna.directory.write("canary-token\n", to: "token")
    anna.run("remote", "login", "--token-file", anna.directory.path(of: "token"))
    // Without anything to push nobody would be asked.
    anna.run("new", "-s", "id=milk", "Milk")
    let path = anna.directory.path(of: "config/tsync/credentials.json")
    #expect(chmod(path, mode) == 0)
    for command in ["pull", "push", "sync"] {
      let refused = anna.run(command)
      #expect(refused.status == 4)
      #expect(
        refused.error == """
          tsync: \(command): \(path) can be read by other users
          tsync: to fix it: chmod 600 \(path)

          """)
    }
    #expect(anna.item("milk")?.contains("Milk") == true)
    #expect(try anna.shell("chmod 600 \(path)").status == 0)
    #expect(!anna.run("pull").error.contains("can be read by other users"))
  }

  @Test("cases 109, W2: a workspace that was turned to another origin gets no token of the first")
  func sendsNoToken() throws {
    let real = try ScriptedServer { _ in .json(#"{"error": "no"}"#, status: 401) }
    let evil = try ScriptedServer { _ in .json(#"{"error": "no"}"#, status: 401) }
    let anna = Person()
    anna.run("init", "--remote", real.url, "list")
    anna.directory.write("canary-token\n", to: "token")
    let token = anna.directory.path(of: "token")
    #expect(anna.run("remote", "login", "--token-file", token).status == 0)
    #expect(anna.run("pull").status == 4)
    let isSent = { (server: ScriptedServer) in
      server.requests.contains { request in
        request.fields.contains { $0.value.contains("canary-token") }
          || request.target.contains("canary-token")
      }
    }
    #expect(isSent(real))
    let path = "list/.todosync/config.json"
    let text = try #require(anna.directory.text(path))
    anna.directory.write(text.replacing(real.url, with: evil.url), to: path)
    anna.run("new", "-s", "id=milk", "Milk")
    for command in ["pull", "push", "sync"] {
      let refused = anna.run(command)
      #expect(refused.status == 4)
      #expect(refused.error.contains("tsync: to set a token: tsync remote login"))
    }
    #expect(!evil.requests.isEmpty)
    #expect(!isSent(evil))
  }

  @Test("case 111: behind -- every word is data, and an id may begin with a dash")
  func takesDashes() throws {
    let anna = Person()
    anna.run("init", "list")
    #expect(anna.run("new", "--", "-rf", "--help").output.hasSuffix("  -rf --help\n"))
    #expect(anna.run("new", "-s", "id=-rf", "Dash").output == "added -rf  Dash\n")
    #expect(anna.item("%2Drf")?.contains("Dash") == true)
    #expect(anna.run("show", "-rf").status == 2)
    #expect(anna.run("show", "--", "-rf").status == 0)
    #expect(anna.run("set", "--", "-rf", "text=Other").status == 0)
    #expect(anna.run("list", "--", "id=-rf").output == "-rf  Other\n")
    #expect(anna.run("rm", "--", "-rf").status == 0)
    #expect(anna.item("%2Drf") == nil)
    #expect(anna.run("--").status == 2)
    #expect(anna.run("show", "--").status == 2)
    #expect(anna.run("").status == 2)
    #expect(anna.run("show", "").status == 2)
    anna.directory.write("{\"id\": \"a\\u0000b\"}", to: "nul")
    #expect(anna.run("new", "-f", anna.directory.path(of: "nul")).status == 2)
    #expect(anna.run("new", "-s", "id=a/../b", "Path").status == 0)
    #expect(anna.item("a%2F..%2Fb") != nil)
  }

  @Test(
    "case 112: a narrow, dumb or missing terminal changes nothing, and nobody is asked",
    arguments: [20, 1, 0, nil] as [Int?])
  func meetsTerminals(columns: Int?) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Buy a very long bottle of oat milk"}"#)
    let anna = world.anna
    anna.environment = [("LANG", "C"), ("LC_ALL", "C"), ("TERM", "dumb"), ("PAGER", "cat")]
    anna.run("set", "milk", "text=日本語 and a text that is long enough to be cut off somewhere")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    #expect(anna.run("pull").status == 1)
    for (words, status) in [
      (["status"], 0), (["list"], 0), (["diff"], 0), (["diff", "--conflict"], 0),
      (["show", "milk"], 0),
      (["journal"], 0), (["resolve", "--no-input"], 1), (["pull"], 0), (["push"], 1),
      (["remote", "login", "--no-input"], 2),
    ] as [([String], Int32)] {
      let ended = try anna.start(words, columns: columns).ending()
      #expect(ended.status == status, "\(words) \(String(decoding: ended.error, as: UTF8.self))")
    }
    // Where nobody is, an end of the input is an answer.
    if columns == nil { #expect(try anna.start(["resolve"]).outcome().status == 1) }
  }
}
