import ArgumentParser
import SyncEngine
import SystemPackage

/// The program: a command line becomes a command, and what it comes to an exit status.
package enum Tsync {
  /// The program's version.
  package static let version = "0.1.0"

  /// The commands, in the order in which tsync(1) tells them.
  static let commands: [any TsyncCommand.Type] = [
    InitCommand.self, CloneCommand.self, DemoCommand.self,
    NewCommand.self, EditCommand.self, SetCommand.self, DoneCommand.self, RmCommand.self,
    MvCommand.self, ListCommand.self, ShowCommand.self,
    StatusCommand.self, DiffCommand.self, JournalCommand.self,
    PullCommand.self, PushCommand.self, SyncCommand.self, ResolveCommand.self,
    RestoreCommand.self, PurgeCommand.self,
    RemoteCommand.self, ConfigCommand.self, DoctorCommand.self, ServeCommand.self, HelpCommand.self,
  ]

  /// Runs a command line, given without the program's name, and returns the exit status; all that is
  /// to be said has been said.
  package static func run(_ arguments: [String], in invocation: Invocation) -> Int32 {
    var line = CommandLineWords(arguments)
    if line.asksForVersion {
      return print("tsync \(version)\n", in: invocation)
    }
    do {
      if line.asksForHelp { line = CommandLineWords(["help"] + (line.name.map { [$0] } ?? [])) }
      return try run(line, in: invocation).number
    } catch {
      let failure = Failure(error)
      guard let options = try? line.options() else { return failure.status.number }
      return Output(invocation, options, command: line.name ?? "").finish(failure).number
    }
  }

  private static func run(
    _ line: CommandLineWords, in invocation: Invocation
  ) throws -> ExitStatus {
    guard let name = line.name else {
      throw Failure.usage("which command?", hints: ["all of them: \(typed: "help")"])
    }
    guard let type = commands.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      let answer = HabitWords.answer(to: name, commands: commands.map { $0.name })
      let text = HintText(option: line.directory, directory: invocation.directory)
      throw Failure.usage(
        text.text(of: answer ?? "there is no such command; all of them: \(typed: "help")"))
    }
    guard let command = try parse(line.rest, as: type) else {
      return try run(CommandLineWords(["help", name]), in: invocation)
    }
    return perform(command, [name] + line.rest, in: invocation)
  }

  private static func perform(
    _ command: some TsyncCommand, _ words: [String], in invocation: Invocation
  ) -> ExitStatus {
    var command = command
    var world = invocation
    let options = command.options
    if let directory = options.directory {
      world.directory = PathName.absolute(directory, in: invocation.directory)
    }
    let output = Output(world, options, command: words[0])
    let context = Context(
      invocation: world, options: options, command: words[0], words: words,
      selection: command.selection, output: output)
    do {
      try command.run(in: context)
      return output.finish(nil)
    } catch Errno.interrupted {
      // What was read, such as an answer, was cut off by the signal.
      return output.finish(invocation.signal().map { .signal($0) } ?? Failure(Errno.interrupted))
    } catch {
      return output.finish(Failure(error))
    }
  }

  /// Returns the command; `nil` where its help is asked for, with `-h`.
  private static func parse(
    _ words: [String], as type: any TsyncCommand.Type
  ) throws -> (any TsyncCommand)? {
    do {
      return try type.parseAsRoot(words) as? any TsyncCommand
    } catch {
      throw Failure(parsing: error, of: type)
    }
  }

  private static func print(_ text: String, in invocation: Invocation) -> Int32 {
    do {
      try invocation.output.write(Array(text.utf8))
      return 0
    } catch {
      return error == .brokenPipe ? 141 : ExitStatus.damaged.number
    }
  }
}
