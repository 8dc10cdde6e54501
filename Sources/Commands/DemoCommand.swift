import ArgumentParser
import Glibc
import SyncModel
import SystemPackage
import Workspace

/// `tsync demo`: plays the whole story on a server of its own, and checks each step.
struct DemoCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Play the whole story on a server of its own.")

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The directory to play in.")
  var dir: String?

  func run(in context: Context) throws {
    let program = try SiblingProgram.path("tsync-server", of: context.invocation)
    let shown = try Self.makeDirectory(dir, in: context)
    let directory = context.path(shown)
    let environment = Self.environment(context.invocation, directory)
    let server = try BackgroundProgram(
      program, ["--no-auth", "--listen", "127.0.0.1:0", "--store", "\(directory)/server.db"],
      environment: environment, log: "\(directory)/server.log")
    defer { server.end() }
    guard let url = server.firstLine() else {
      throw Failure(.damaged, "the server did not start; \(shown)/server.log tells why")
    }
    for step in DemoStory(of: url).steps {
      try context.checkSignal()
      try Self.play(step, in: directory, environment, context)
    }
    let output = context.output
    output.result("")
    output.result(
      Line("The story went as it should. To look at: \(shown)/anna and \(shown)/ben."))
  }

  // MARK: The directory

  /// Makes the directory, which must be empty where it exists; answers how it is called.
  private static func makeDirectory(_ named: String?, in context: Context) throws -> String {
    if let named {
      guard try isFree(context.path(named), named, allowsEmpty: true) else {
        throw Failure.usage("\(named) is not empty")
      }
      return try made(named, context)
    }
    var name = "tsync-demo"
    var number = 1
    while try !isFree(context.path(name), name, allowsEmpty: false) {
      number += 1
      name = "tsync-demo-\(number)"
    }
    return try made(name, context)
  }

  private static func isFree(
    _ path: String, _ shown: String, allowsEmpty: Bool
  ) throws -> Bool {
    guard let stream = opendir(path) else {
      if errno == ENOENT { return true }
      if errno == ENOTDIR { return false }
      throw WorkspaceError.file(place: shown, Errno(rawValue: errno))
    }
    defer { closedir(stream) }
    // `.` and `..` are always there.
    return allowsEmpty && (0..<3).contains { _ in readdir(stream) == nil }
  }

  private static func made(_ shown: String, _ context: Context) throws -> String {
    let result = mkdir(context.path(shown), 0o700)
    guard result == 0 || errno == EEXIST else {
      throw WorkspaceError.file(place: shown, Errno(rawValue: errno))
    }
    return shown
  }

  /// Returns an environment in which the user's settings and tokens play no part, and `tsync` is
  /// this program.
  private static func environment(
    _ invocation: Invocation, _ directory: String
  ) -> Environment {
    let own = invocation.environment.variables.filter {
      !$0.name.string.utf8.starts(with: "TSYNC_".utf8)
    }
    let programs = PathName.split(invocation.executable ?? "").directory
    let path = invocation.environment["PATH"] ?? "/usr/bin:/bin"
    return Environment(own).setting([
      ("PATH", Text("\(programs):\(path)")), ("XDG_CONFIG_HOME", Text("\(directory)/config")),
      ("LC_ALL", "C"),
    ])
  }

  // MARK: A step

  private static func play(
    _ step: DemoStory.Step, in directory: String, _ environment: Environment, _ context: Context
  ) throws {
    let output = context.output
    if !step.told.utf8.isEmpty {
      output.result("")
      output.result(Line(step.told, .bold))
    }
    output.result(Line("$ \(step.typed)"))
    output.flush()
    let program = Program(
      "sh", ["-c", "exec 2>&1; \(step.typed)"], directory: directory, environment: environment,
      input: .bytes([]), isCaptured: true)
    let ending = try context.invocation.run(program)
    let lines = ending.output.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    for line in lines { output.result(Line(line)) }
    guard ending.status == step.status else {
      throw Failure(
        .conflicts, "the command ended with status \(ending.status) instead of \(step.status)")
    }
    for expected in step.printed where !lines.contains(where: { Text($0).begins(with: expected) }) {
      throw Failure(.conflicts, "the command should have printed: \(expected)")
    }
  }
}

extension Text {
  /// Whether a line is the one that is expected; a hint may stand behind it.
  fileprivate func begins(with expected: String) -> Bool {
    string.utf8.elementsEqual(expected.utf8)
      || string.utf8.starts(with: "\(expected)  ".utf8)
  }
}
