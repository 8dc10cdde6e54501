import Foundation
import Glibc
import Testing

/// The command line of the program.
@Suite(.timeLimit(.minutes(40))) struct ServerCommandLineTests {
  static let wrongLines: [([String], Int32)] = [
    (["--nothing"], 2), (["--listen", "here"], 2), (["--listen", "example.org:80"], 2),
    (["--listen", "127.0.0.1:65536"], 2), (["--listen", "127.0.0.1"], 2),
    (["--listen", "[127.0.0.1]:1"], 2), (["--listen", "0.0.0.0:0", "--no-auth"], 2),
    (["--listen", "[::]:0", "--no-auth"], 2), (["--table", "a b", "--store", "memory"], 2),
    (["--table", "", "--store", "memory"], 2), (["token", "list", "--store", "memory"], 2),
    (["token", "new", "a b", "--store", "memory"], 2), (["extra"], 2), (["--store"], 2),
    (["--store", "/nothing/here/items.db"], 8), (["--store", "/"], 8),
  ]

  @Test(
    "a command line that is wrong ends with 2, a place that can't be used with 8",
    arguments: wrongLines)
  func wrong(arguments: [String], status: Int32) async throws {
    let (output, ended) = try await ServerProcess.run(arguments, standardError: true)
    #expect(ended == status)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("tsync-server: "))
    #expect(lines[0].last != ".")
  }

  @Test("a port that is taken is told, with exit 8")
  func taken() async throws {
    let server = try await ServerProcess.start(["--store", "memory", "--no-auth"])
    let (text, status) = try await ServerProcess.run(
      ["--store", "memory", "--listen", "127.0.0.1:\(server.port)"], standardError: true)
    #expect(status == 8)
    #expect(
      text == "tsync-server: cannot listen on 127.0.0.1:\(server.port): Address already in use\n")
    #expect(try await server.stop(SIGTERM) == 0)
  }

  @Test("B15: a first run that can't listen makes no token: the next one does")
  func takenAtFirst() async throws {
    try await withTemporaryDirectory { directory in
      let other = try await ServerProcess.start(["--store", "memory", "--no-auth"])
      let (text, status) = try await ServerProcess.run(
        ["--store", directory + "/items.db", "--listen", "127.0.0.1:\(other.port)"])
      #expect(status == 8)
      #expect(text == "")
      let server = try await ServerProcess.start(["--store", directory + "/items.db"])
      #expect(try await server.nextLine()?.hasPrefix("token: ") == true)
      #expect(try await server.stop(SIGTERM) == 0)
      #expect(try await other.stop(SIGTERM) == 0)
    }
  }

  @Test(
    "help and version are results: stdout, exit 0",
    arguments: [
      ["--help"], ["--version"], ["token", "--help"], ["token", "new", "--help"],
    ])
  func help(arguments: [String]) async throws {
    let (text, status) = try await ServerProcess.run(arguments)
    #expect(status == 0)
    #expect(!text.isEmpty)
  }

  @Test("tables are those that are named", arguments: [[], ["note", "todoitem"], ["note"]])
  func tables(names: [String]) async throws {
    let server = try await ServerProcess.start(
      ["--store", "memory", "--no-auth"] + names.flatMap { ["--table", $0] })
    for name in ["note", "todoitem"] {
      let isServed = names.isEmpty ? name == "todoitem" : names.contains(name)
      #expect(try await server.send("GET", "/tables/\(name)").status == (isServed ? 200 : 404))
    }
    #expect(try await server.stop(SIGTERM) == 0)
  }
}
