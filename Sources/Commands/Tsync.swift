import ArgumentParser
import CurlTransport
import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// The program: it runs a command line, and returns an exit status.
package enum Tsync {
  /// The program's version.
  package static let version = "0.1.0"

  /// The commands in their groups, as in tsync(1).
  private static let groups: KeyValuePairs<String, [any TsyncCommand.Type]> = [
    "start": [InitCommand.self, CloneCommand.self, DemoCommand.self],
    "work": [
      NewCommand.self, EditCommand.self, SetCommand.self, DoneCommand.self, RmCommand.self,
      MvCommand.self, ListCommand.self, ShowCommand.self,
    ],
    "compare": [StatusCommand.self, DiffCommand.self, LogCommand.self, JournalCommand.self],
    "exchange": [PullCommand.self, PushCommand.self, SyncCommand.self, ResolveCommand.self],
    "rewind": [
      UndoCommand.self, RedoCommand.self, RestoreCommand.self, TrashCommand.self,
      PurgeCommand.self,
    ],
    "set up": [
      RemoteCommand.self, QueryCommand.self, ConfigCommand.self, DoctorCommand.self,
      ServeCommand.self,
      HelpCommand.self,
    ],
  ]

  static let commands = groups.flatMap(\.value)

  static func command(named name: String) -> (any TsyncCommand.Type)? {
    commands.first { Text($0.name) == Text(name) }
  }

  /// The text of `tsync help`: the commands in their groups, a line each.
  static var overview: String {
    var lines = ["usage: tsync COMMAND [OPTION...] [ARGUMENT...]"]
    for (title, commands) in groups {
      lines += ["", title]
      for command in commands {
        let gap = String(repeating: " ", count: max(1, 10 - command.name.utf8.count))
        lines.append("  \(command.name)\(gap)\(command.configuration.abstract)")
      }
    }
    lines += ["", "to read the page of a command: tsync help COMMAND; of tsync: tsync help tsync"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Runs a command line without the program's name, prints all, and returns the exit status.
  package static func run(_ arguments: [String], in invocation: Invocation) -> Int32 {
    var line = CommandLineWords(arguments)
    do {
      if line.asksForVersion {
        try invocation.output.write(Array("tsync \(version)\n".utf8))
        return 0
      }
      if line.asksForHelp { line = CommandLineWords(["help"] + (line.name.map { [$0] } ?? [])) }
      return try run(line, in: invocation).number
    } catch Errno.brokenPipe {
      return ExitStatus.signal(13).number
    } catch {
      let problem = Problem(error)
      guard let options = try? line.options() else { return problem.status.number }
      return Printer(invocation, options, command: line.name ?? "").finish(problem).number
    }
  }

  /// The commands that are bound to ask the server.
  private static let asking: Set = ["clone", "pull", "push", "sync"]

  private static func run(
    _ line: CommandLineWords, in invocation: Invocation
  ) throws -> ExitStatus {
    guard let name = line.name else {
      guard try line.options().json else {
        try? invocation.error.write(Array(overview.utf8))
        return .usage
      }
      throw Problem.usage("no command given", hints: ["to list the commands: \(typed: "help")"])
    }
    guard let type = command(named: name) else {
      let answer = HabitWords.answer(to: name, commands: commands.map { $0.name })
      let text = HintText(option: line.directory, directory: invocation.directory)
      throw Problem.usage(
        text.text(of: answer ?? "there is no such command; to list the commands: \(typed: "help")"))
    }
    // Loading takes 10 ms; the workspace is opened meanwhile.
    let loading = Self.asking.contains(name) ? SideThread { CurlTransport.load() } : nil
    defer { loading?.join() }
    let command: any ParsableCommand
    do {
      command = try type.parseAsRoot(line.rest)
    } catch {
      throw Problem(parsing: error, of: type)
    }
    guard let command = command as? any TsyncCommand else {
      // The parser's own command prints help, for `-h`.
      return try run(CommandLineWords(["help", name]), in: invocation)
    }
    return perform(command, [name] + line.rest, in: invocation)
  }

  private static func perform(
    _ command: any TsyncCommand, _ words: [String], in invocation: Invocation
  ) -> ExitStatus {
    var (command, invocation) = (command, invocation)
    if let directory = command.options.directory {
      invocation.directory = PathName.absolute(directory, in: invocation.directory)
    }
    let printer = Printer(invocation, command.options, command: words[0])
    let context = Context(
      invocation: invocation, options: command.options, command: words[0], words: words,
      selection: command.selection, printer: printer)
    do {
      try command.run(in: context)
      return printer.finish(nil)
    } catch Errno.interrupted {
      // The signal interrupted reading, such as that of an answer.
      return printer.finish(invocation.signal().map { .signal($0) } ?? Problem(Errno.interrupted))
    } catch {
      return printer.finish(Problem(error))
    }
  }
}
