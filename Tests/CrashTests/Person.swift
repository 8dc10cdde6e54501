import Glibc
import SyncModel
import SystemPackage
import TestSupport

@testable import Commands

/// A person with a workspace: runs command lines inside the test, or under the tracer.
struct Person {
  /// What a command line came to.
  struct Outcome {
    var status: Int32
    /// What it wrote, both streams.
    var text: String
  }

  /// Where the person's workspace is, or will be.
  let workspace: String
  /// Where the person's settings are.
  let home: String
  /// The environment's variables beside those that everybody has.
  var environment: [(name: String, value: String)] = []
  /// What the person types at a terminal; `nil` where there is none.
  var types: [String]?

  /// Takes directories; the workspace's need not be there.
  init(at workspace: String, home: String) {
    self.workspace = workspace
    self.home = home
  }

  private var variables: [(name: String, value: String)] {
    environment + Sanitizer.variables + [
      ("HOME", home), ("XDG_CONFIG_HOME", "\(home)/config"), ("PATH", "/usr/bin:/bin"),
      ("TZ", "UTC"),
    ]
  }

  /// Whether the workspace is there.
  var hasWorkspace: Bool { access("\(workspace)/.todosync", F_OK) == 0 }

  /// In the workspace, or beside it where there is none.
  private var directory: String {
    hasWorkspace ? workspace : PathName.split(workspace).directory
  }

  /// Runs a command line inside this process.
  @discardableResult
  func run(_ words: [String], beside: Bool = false) -> Outcome {
    var written: [UInt8] = []
    var typed = (types ?? []).map { Array("\($0)\n".utf8) }
    let sink = Invocation.Sink(isTerminal: false) { bytes throws(Errno) in written += bytes }
    let terminal = Invocation.Sink(isTerminal: types != nil) { bytes throws(Errno) in
      written += bytes
    }
    let invocation = Invocation(
      directory: beside ? PathName.split(workspace).directory : directory,
      environment: Environment(variables.map { (Text($0.name), Text($0.value)) }),
      home: home, executable: Programs.path(of: "tsync"),
      input: .init(isTerminal: types != nil) { () throws(Errno) in
        typed.isEmpty ? [] : typed.removeFirst()
      },
      output: sink, error: terminal,
      clock: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      },
      random: { .random(in: 0...UInt64.max) }, signal: { nil },
      run: { program throws(Errno) in try ProgramRun(program).ending() })
    let status = Tsync.run(words + ["--color", "never"], in: invocation)
    return Outcome(status: status, text: String(decoding: written, as: UTF8.self))
  }

  /// Runs a command line inside this process.
  @discardableResult
  func run(_ words: String...) -> Outcome { run(words) }

  /// Runs a command line that must end with a status.
  ///
  /// - Throws: `Failure` where it ends with another.
  func does(_ words: String..., ending status: Int32 = 0) throws {
    let outcome = run(words)
    guard outcome.status == status else {
      throw Failure(
        .damaged, "\(words.joined(separator: " ")) ends with \(outcome.status): \(outcome.text)")
    }
  }

  /// Describes the command line as a process of its own, to be traced.
  func program(_ words: [String], beside: Bool = false) -> TracedProgram {
    TracedProgram(
      path: Programs.path(of: "tsync"), arguments: words + ["--color", "never"],
      environment: variables.map { "\($0.name)=\($0.value)" },
      directory: beside ? PathName.split(workspace).directory : directory,
      typed: types.map { $0.map { "\($0)\n" }.joined() })
  }

  /// The path of an item's file.
  func file(_ id: String) -> String { "\(workspace)/.todosync/items/todoitem/\(id).json" }

  /// Saves an item as an editor does that writes in place.
  func save(_ id: String, _ fields: String) {
    lay("{\"id\": \"\(id)\", \(fields)}\n", at: file(id))
  }

  /// Lays a file with a token into the workspace.
  func keepToken() { lay("secret\n", at: "\(workspace)/token") }

  private func lay(_ text: String, at path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "can't write \(path)")
    let bytes = Array(text.utf8)
    write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  /// Destroys what can be destroyed of tsync's own files.
  func spoil() {
    change("journal.jsonl") { $0[10] ^= 1 }
    change("base/todoitem.jsonl") { $0[$0.count / 2] ^= 1 }
    change("state.json") { $0 = Array("{".utf8) }
    change("history.jsonl") { $0 += Array("{\"n\":".utf8) }
    change("index") { $0 = [UInt8](repeating: 0, count: $0.count) }
    change("conflicts/todoitem/i4.server.json") { $0 = Array("{}".utf8) }
    change("conflicts/todoitem/i1.client.json") { $0 = Array("{\"text\": \"~m8~\"}".utf8) }
    change("base/todoitem.jsonl.new") { $0 = [] }
    chmod("\(workspace)/.todosync/lock", 0o644)
  }

  /// Changes a file's bytes in place, and makes it where it is absent.
  private func change(_ name: String, _ change: (inout [UInt8]) -> Void) {
    let path = "\(workspace)/.todosync/\(name)"
    var bytes = FileTree.bytes(at: path)
    change(&bytes)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "can't write \(path)")
    write(descriptor, bytes, bytes.count)
    close(descriptor)
  }
}
