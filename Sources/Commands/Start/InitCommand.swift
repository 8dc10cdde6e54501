import ArgumentParser
import SyncModel
import Workspace

struct InitCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a workspace.")

  @OptionGroup var options: GlobalOptions

  @Option(name: .long, help: ArgumentHelp("Set the server's address.", valueName: "url"))
  var remote: String?

  @Argument(help: "The directory; by default, the current one.")
  var dir: String?

  mutating func run(in context: Context) throws {
    let tables =
      try options.table.isEmpty
      ? [TableName("todoitem")] : options.table.map { try TableName(Text($0)) }
    let unique = tables.enumerated().filter { !tables[..<$0.offset].contains($0.element) }
      .map(\.element)
    let shown = dir ?? "."
    let path = PathName.absolute(shown, in: context.invocation.directory)
    try refuseNesting(path, shown, context)
    var settings = SettingsFile(place: "config.json", text: nil)
    if let remote { try settings.set("remote", from: Text(remote)) }
    try settings.set("tables", from: Text(unique.map(\.description).joined(separator: ",")))
    try Workspace.make(at: path, settings: settings, state: WorkspaceState(), tables: unique)
    let names = unique.map(\.description).joined(separator: ", ")
    context.output.set("directory", .string(path))
    context.output.set("tables", .array(unique.map { .string($0.text) }))
    context.output.set("remote", remote.map(JSON.string) ?? .null)
    context.output.summary(Line("made workspace \(shown) (\(names))"))
  }

  /// Refuses a directory that is a workspace, or is in one.
  private func refuseNesting(_ path: String, _ shown: String, _ context: Context) throws {
    let found: String
    do throws(WorkspaceError) {
      found = try Workspace.find(
        from: PathName.nearestDirectory(path), home: context.invocation.home, isNamed: true)
    } catch {
      switch error {
      // Another user's workspace above this directory doesn't count.
      case .notFound, .untrusted: return
      default: throw error
      }
    }
    let isSame = Text(PathName.physical(path)) == Text(found)
    throw Failure.usage(
      isSame ? "\(shown) is already a workspace" : "\(shown) is in the workspace \(found)")
  }
}

extension SettingsFile {
  /// Sets a setting that exists to a typed value.
  mutating func set(_ name: Text, from text: Text) throws {
    guard let key = SettingKey(name) else { throw Failure.usage("there is no setting '\(name)'") }
    try set(key, to: key.value(from: text))
  }
}
