import CommandSupport
import Glibc
import TestSupport

extension Person {
  /// Whether the workspace is there.
  var hasWorkspace: Bool { access("\(workspace)/.todosync", F_OK) == 0 }

  /// The same person at no terminal.
  var quiet: Person {
    let quiet = Person(in: directory)
    quiet.environment = environment
    return quiet
  }

  /// Runs a command line that must end with a status.
  ///
  /// - Throws: `TestFailure` where it ends with another.
  func does(_ words: String..., ending status: Int32 = 0) throws {
    let outcome = run(words)
    guard outcome.status == status else {
      throw TestFailure(
        "\(words.joined(separator: " ")) ends with \(outcome.status): \(outcome.text)")
    }
  }

  /// Describes the command line as a process of its own, to be traced.
  func program(_ words: [String], beside: Bool = false) -> TracedProgram {
    TracedProgram(
      path: Programs.path(of: "tsync"), arguments: words + ["--color", "never"],
      environment: variables.map { "\($0.name)=\($0.value)" },
      directory: beside || !hasWorkspace ? directory.path : workspace,
      typed: types.map { $0.map { "\($0)\n" }.joined() })
  }

  /// The path of an item's file.
  func path(of id: String) -> String { "\(workspace)/.todosync/items/todoitem/\(id).json" }

  /// Saves an item as an editor does that writes in place.
  func save(_ id: String, _ fields: String) {
    Files.write(Array("{\"id\": \"\(id)\", \(fields)}\n".utf8), to: path(of: id))
  }

  /// Lays a file with a token into the workspace.
  func keepToken() { directory.write("secret\n", to: "list/token") }

  /// Destroys what can be destroyed of tsync's own files.
  func spoil() {
    change("journal/todoitem.jsonl") { $0[$0.count / 2] ^= 1 }
    change("state.json") { $0 = Array("{".utf8) }
    change("history.jsonl") { $0 += Array("{\"n\":".utf8) }
    change("index") { $0 = [UInt8](repeating: 0, count: $0.count) }
    change("conflicts/todoitem/i4.server.json") { $0 = Array("{}".utf8) }
    change("conflicts/todoitem/i1.client.json") { $0 = Array("{\"text\": \"~m8~\"}".utf8) }
    change("journal/todoitem.jsonl.new") { $0 = [] }
    chmod("\(workspace)/.todosync/lock", 0o644)
  }

  /// Changes a file's bytes in place, and makes it where it is absent.
  private func change(_ name: String, _ change: (inout [UInt8]) -> Void) {
    let path = "\(workspace)/.todosync/\(name)"
    var bytes = Files.read(path) ?? []
    change(&bytes)
    Files.write(bytes, to: path)
  }
}
