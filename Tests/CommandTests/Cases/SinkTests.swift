import CommandSupport
import Commands
import Glibc
import SyncModel
import TestSupport
import Testing

/// S5: whatever comes from a server, a file or a command line, nothing that is printed is obeyed by a
/// terminal or turns the text around it.
@Suite struct SinkTests {
  /// What stands in rows, in words of a command line, and in answers and files, of which there are
  /// many kinds.
  private static let (rows, words, files) = (
    NastyText.grouped(by: 24), NastyText.grouped(by: 32), NastyText.grouped(by: 400)
  )

  /// What was spelled out, by a person's manner: who prints nothing does no harm either.
  private final class Spelled {
    var characters: Set<UInt32> = []
  }

  private let spelled = Spelled()

  /// Expects what a person has just been shown to be harmless.
  private func expectHarmless(
    _ anna: Person, _ words: String, allowing others: Set<UInt32> = [],
    _ location: SourceLocation = #_sourceLocation
  ) {
    let fault = CleanOutput.fault(in: anna.written, allowing: others)
    #expect(fault == nil, "\(words)", sourceLocation: location)
    spelled.characters.formUnion(CleanOutput.spelled(in: anna.written))
  }

  /// Expects all that must not be written as it is to have been written in another way since the last
  /// time.
  private func expectSpelled(
    _ texts: [String], _ location: SourceLocation = #_sourceLocation
  ) {
    let missing = texts.reduce(into: Set()) { $0.formUnion(CleanOutput.unsafe(in: $1)) }
      .subtracting(spelled.characters)
    #expect(missing.isEmpty, sourceLocation: location)
    spelled.characters = []
  }

  /// Runs a command, as a program, as a person and with `--json`, and expects what is printed to be
  /// harmless.
  private func expectHarmless(
    _ anna: Person, _ words: [String], types: [String] = [], allowing others: Set<UInt32> = [],
    _ location: SourceLocation = #_sourceLocation
  ) {
    for (manner, terminal) in [([], nil), (["--no-pager"], types), (["--json"], nil)]
      as [([String], [String]?)]
    {
      anna.types = terminal
      anna.run(manner + words)
      anna.types = nil
      expectHarmless(anna, "\(manner + words.prefix(3))", allowing: others, location)
    }
  }

  /// Makes a person in a workspace of a nasty server's.
  private func person(at server: NastyServer) -> Person {
    let anna = Person()
    anna.environment = [("PAGER", "cat"), ("EDITOR", "true")]
    anna.run("init", "--remote", server.url, "list")
    anna.run("config", "dialect", "datasync")
    return anna
  }

  @Test("each of the texts is one that must not be written as it is")
  func areNasty() {
    #expect(NastyText.all.count > 300)
    // A line end is the one of them that a line may end with.
    for text in NastyText.all where text != "a\nb" {
      #expect(CleanOutput.fault(in: Array(text.utf8)) != nil)
    }
    #expect(CleanOutput.fault(in: [0x61, 0x9B, 0x32, 0x4A]) == "not UTF-8")
    #expect(CleanOutput.fault(in: Array("plain ~ \u{1F44D} e\u{301} ❤\u{FE0F}\n".utf8)) == nil)
  }

  @Test("S5: rows, ids, names of fields and a server's words are shown safely by every command")
  func showsRows() throws {
    let server = try NastyServer(Self.rows)
    let anna = person(at: server)
    server.offer(version: 1, ids: true)
    anna.run("pull", "-v")
    expectHarmless(anna, "pull")
    let keys = Self.rows.indices.map { "todoitem/t-\($0)" }
    #expect(anna.run("list", "id.has=t-").output.split(separator: "\n").count == keys.count)
    let columns = (["id", "text"] + Self.rows.filter { !$0.contains(",") }.map { "f\($0)" })
      .joined(separator: ",")
    server.offer(version: 1, ids: true)
    expectHarmless(anna, ["pull", "--full", "-v"])
    for words in [
      ["list"], ["list", "-a", "-o", columns], ["show"] + keys, ["show", "--base"] + keys,
      ["set", "-y", "--where", "id.has=-", "n=1"], ["status"], ["status", "-s"],
      ["status", "--porcelain"],
      ["diff"], ["push", "-n"], ["push"], ["status", "-v"], ["push"], ["journal"], ["doctor"],
      ["purge"], ["list", "text.has=a"], ["show", "a"], ["done", "t-1"],
    ] { expectHarmless(anna, words) }
    expectHarmless(anna, ["status", "-z"], allowing: [0])
    expectHarmless(anna, ["diff", "-p"], allowing: [9])
    for words in [["restore", "-a"], ["rm", "-y", "id.has=t-1"], ["restore", "-a"]] {
      expectHarmless(anna, words)
    }
    expectSpelled(Self.rows)
  }

  @Test("S5: conflicts are told, shown and asked about safely")
  func showsConflicts() throws {
    let server = try NastyServer(Self.rows)
    let anna = person(at: server)
    server.offer(version: 1)
    #expect(anna.run("pull").status == 0)
    anna.run("set", "-y", "--where", "id.has=-", "text=mine \(NastyText.all[30])")
    server.offer(version: 2)
    expectHarmless(anna, ["pull", "-n", "-v"])
    server.offer(version: 2)
    expectHarmless(anna, ["sync", "-n"])
    server.offer(version: 2)
    #expect(anna.run("pull", "-v").status == 1)
    expectHarmless(anna, "pull")
    #expect(anna.conflicts.count == 3 * Self.rows.count)
    let keys = Self.rows.indices.map { "todoitem/t-\($0)" }
    for words in [
      ["status"], ["diff", "--conflict"], ["diff", "--server"], ["show"] + keys,
      ["show", "--server"] + keys, ["show", "--client"] + keys, ["push"], ["sync"], ["journal"],
      ["resolve", "-n", "--client", "-a"],
    ] { expectHarmless(anna, words) }
    expectHarmless(
      anna, ["resolve"], types: Self.rows.indices.map { ["l", "?", "e", ""][$0 % 4] })
    for words in [
      ["resolve", "-f", "text=\(NastyText.all[30])", "t-1"], ["resolve", "--both", "t-2", "t-3"],
      ["resolve", "--server", "-a"], ["push"],
    ] { expectHarmless(anna, words) }
    expectSpelled(Self.rows)
  }

  @Test("S5, W8: names and texts of files are shown safely by every command that names a file")
  func showsFiles() throws {
    let server = try NastyServer(Self.rows)
    let anna = person(at: server)
    let items = "list/.todosync/items"
    for (number, name) in NastyText.fileNames.enumerated() {
      let text = NastyServer.quoted(Self.rows[number % Self.rows.count])
      let contents = [
        "{\"text\": \(text)}", "{\(text): 1, \(text): 2}", "{\"id\": \(text)}", "{\"a\": 1,}",
        "{\"text\": \(text)",
      ][number % 5]
      lay(contents, name + Array(".json".utf8), in: anna.directory.path(of: "\(items)/todoitem"))
      anna.directory.write(
        ["{\(text): 1, \(text): 2}", "{\"id\": \(text)}", "{\"text\": \(text)}"][number % 3],
        to: "\(items)/todoitem/p-\(number).json")
      let folder = Array(anna.directory.path(of: "\(items)/").utf8) + name + [0]
      folder.withUnsafeBytes { path in
        _ = path.baseAddress.map { mkdir($0.assumingMemoryBound(to: CChar.self), 0o700) }
      }
    }
    for words in [
      ["status"], ["status", "-s"], ["status", "--porcelain"], ["list"], ["diff"], ["journal"],
      ["push", "-n"], ["push"], ["pull"], ["show", "p-1"], ["set", "p-1", "a=1"], ["edit", "p-1"],
      ["set", "-y", "--where", "id.has=-", "n=1"], ["doctor"], ["doctor", "--fix"],
      ["restore", "-n", "-a"],
      ["purge"],
    ] { expectHarmless(anna, words) }
    expectHarmless(anna, ["status", "-z"], allowing: [0])
    expectHarmless(anna, ["diff", "-p"], allowing: [9])
    expectSpelled(Self.rows)
  }

  private func lay(_ text: String, _ name: [UInt8], in directory: String) {
    let path = Array("\(directory)/".utf8) + name + [0]
    let descriptor = path.withUnsafeBytes { path in
      path.baseAddress.map { creat($0.assumingMemoryBound(to: CChar.self), 0o600) } ?? -1
    }
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    write(descriptor, text, text.utf8.count)
  }

  private static func commandLines(_ text: String) -> [[String]] {
    [
      [text], ["-C", text, "list"], ["-t", text, "list"], ["--color", text, "list"],
      ["list", "--\(text)"], ["list", text], ["list", "-o", text], ["list", "-S", text],
      ["list", "\(text)=1"], ["list", "--limit", text], ["show", text], ["show", ":/\(text)"],
      ["show", "todoitem/\(text)"], ["show", "./\(text).json"], ["set", text, "a=1"],
      ["set", "milk", text], ["set", "milk", "\(text):=1"], ["set", "milk", "a:=\(text)"],
      ["set", "--where", text, "a=1"], ["new", "-s", text], ["new", "-f", text], ["rm", text],
      ["done", text], ["edit", text], ["config", text], ["config", text, "1"],
      ["config", "remote", text], ["config", "merge.\(text)", "server"],
      ["config", "tables", text], ["remote", "set", text], ["remote", "set", "http://\(text)"],
      ["remote", "login", "--token-file", text], ["clone", text, "x"], ["help", text],
      ["push", text], ["pull", "--max-delete", text], ["resolve", text],
      ["resolve", "-a", "-f", "\(text)=client"], ["restore", text], ["status", text],
      ["status", "--max-age", text], ["diff", text], ["--trace", "\(text)/x", "pull"],
      ["demo", "\(text)/x/y"], ["doctor", text], ["init", "list/\(text)/x"],
      ["set", "milk", "\(text)=\(text)"], ["new", text], ["new", "-s", "id=\(text)"],
      ["list"], ["mv", "milk", text], ["journal"],
    ]
  }

  @Test("S5: words of a command line are shown safely by every command that repeats them")
  func showsArguments() throws {
    for text in Self.words {
      let server = try NastyServer([text])
      let anna = person(at: server)
      anna.run("new", "-s", "id=milk", "Milk")
      for words in Self.commandLines(text) { expectHarmless(anna, words) }
      anna.environment = [("TSYNC_DIR", text), ("EDITOR", "false \(text)"), ("TSYNC_TRACE", text)]
      for words in [["list"], ["edit", "milk"], ["pull"]] { expectHarmless(anna, words) }
      expectSpelled([text])
    }
  }

  @Test("S5: what a server says that it is, and why it refuses, is shown safely")
  func showsErrors() throws {
    for text in Self.files {
      let header = text.unicodeScalars.filter { !["\r", "\n", "\0"].contains($0) }
        .reduce(into: "") { $0.unicodeScalars.append($1) }
      let quoted = NastyServer.quoted(text)
      let json = ("Content-Type", "application/json")
      let replies: [ScriptedReply] =
        [400, 401, 403, 404, 409, 412, 429, 500, 503].flatMap { status in
          [
            .answer(status, [json], body: Array("{\"message\": \(quoted)}".utf8)),
            .answer(status, [("Content-Type", "text/plain")], body: Array(text.utf8)),
          ]
        } + [
          .answer(301, [("Location", header)]), .answer(200, [("Content-Type", header)]),
          .answer(200, [json, ("ETag", header)], body: Array(text.utf8)),
          .answer(503, [json, ("Retry-After", header)]),
          .answer(200, [json, ("X-Tsync-Dataset", header)], body: Array("{\"items\":[]}".utf8)),
          .answer(200, [json, ("X-Tsync-User", header)], body: Array("{\"items\":[]}".utf8)),
          .answer(200, [json], body: Array("{\(quoted): 1, \(quoted): 2}".utf8)),
          .answer(
            200, [json],
            body: Array(
              "{\"items\": [{\"id\": 1, \(quoted): \(quoted)}, {\"id\": \(quoted)}]}".utf8)),
          .raw(text), .raw("HTTP/1.1 200 \(header)\r\n\r\n"),
          .raw("HTTP/1.1 200 OK\r\n\(header): \(header)\r\nContent-Encoding: \(header)\r\n\r\n"),
        ]
      for reply in replies {
        let server = try ScriptedServer { _ in reply }
        let anna = Person()
        anna.run("init", "--remote", server.url, "list")
        anna.run("new", "-s", "id=milk", "Milk")
        for command in ["pull", "push"] {
          anna.run(command)
          expectHarmless(anna, "\(command) \(reply)")
        }
      }
      expectSpelled([text])
    }
  }

  @Test("S5: what stands in settings, tokens and tsync's own files is shown safely")
  func showsSettings() throws {
    for text in Self.files {
      let server = try NastyServer([text])
      let anna = person(at: server)
      anna.run("new", "-s", "id=milk", "Milk")
      let quoted = NastyServer.quoted(text)
      let commands = [
        ["status"], ["list"], ["pull"], ["config"], ["doctor"], ["set", "milk", "a=b"],
      ]
      let files = [
        ("list/.todosync/config.json", "{\(quoted): \(quoted), \"title.field\": \(quoted)}"),
        ("list/.todosync/config.json", "{\"tables\": [\(quoted)]}"),
        ("list/.todosync/config.json", "{\"remote\": \(quoted)}"),
        ("list/.todosync/config.json", "{\"color\": \(quoted)}"),
        ("list/.todosync/config.json", "{\(quoted): 1, \(quoted): 2}"),
        ("config/tsync/config.json", "{\"editor\": \(quoted), \"pager\": \(quoted)}"),
        ("config/tsync/config.json", "{\"credential.command\": \(quoted)}"),
        ("config/tsync/credentials.json", "{\(quoted): \(quoted)}"),
        (
          "list/.todosync/state.json",
          "{\"format\": 1, \"dialect\": \(quoted), \"user\": \(quoted)}"
        ),
        ("list/.todosync/state.json", text), ("list/.todosync/journal/todoitem.jsonl", text),
        ("list/.todosync/lock", "{\"pid\": 1, \"command\": \(quoted), \"since\": \(quoted)}"),
      ]
      for (name, contents) in files {
        let before = anna.directory.read(name)
        anna.directory.write(contents, to: name)
        for words in commands { expectHarmless(anna, words) }
        if let before {
          anna.directory.write(before, to: name)
        } else {
          unlink(anna.directory.path(of: name))
        }
      }
      expectSpelled([text])
    }
  }

  @Test("S5: on a terminal the program itself writes nothing that is obeyed")
  func isSafeOnATerminal() throws {
    let server = try NastyServer(Self.rows)
    let anna = person(at: server)
    anna.environment += [("TERM", "xterm-256color"), ("LESS", "")]
    server.offer(version: 1, ids: true)
    let keys = Self.rows.indices.prefix(20).map { "todoitem/t-\($0)" }
    func expectSafe(_ words: [String], _ location: SourceLocation = #_sourceLocation) throws {
      let ended = try anna.start(["--color", "never", "--no-pager"] + words, columns: 80).ending()
      #expect(ended.status < 128, "\(words.prefix(2))", sourceLocation: location)
      #expect(!ended.output.isEmpty, "\(words.prefix(2))", sourceLocation: location)
      // How far a long work has come is the one thing that tsync itself writes over (Output.progress).
      let own = Array("\r\u{1B}[K".utf8)
      let fault = CleanOutput.fault(in: Array(ended.output.split(separator: own).joined()))
      #expect(fault == nil, "\(words.prefix(2))", sourceLocation: location)
      spelled.characters.formUnion(CleanOutput.spelled(in: ended.output))
    }
    for words in [
      ["pull", "-v"], ["list"], ["show"] + keys, ["set", "-y", "--where", "id.has=-", "n=1"],
      ["status"],
      ["diff"], ["push"], ["status"], ["journal"], ["list", "--json"], ["show", NastyText.all[80]],
      ["resolve", NastyText.all[26]],
    ] { try expectSafe(words) }
    anna.run("set", "-y", "--where", "n=1", "text=mine")
    server.offer(version: 2)
    for words in [["pull", "-v"], ["diff", "--conflict"], ["resolve", "-a", "--client"]] {
      try expectSafe(words)
    }
    expectSpelled(Self.rows)
  }
}
