import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct ConfigCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Read and write settings.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .long, help: "Use only the user's file.")
  var user = false

  @Flag(name: .customLong("show-origin"), help: "Print the file of each setting.")
  var showOrigin = false

  @Flag(name: .long, help: "Remove the setting.")
  var unset = false

  @Flag(name: .long, help: "Open the file in the editor.")
  var edit = false

  @Argument(help: ArgumentHelp("The setting.", valueName: "key"))
  var key: String?

  @Argument(help: ArgumentHelp("Its value.", valueName: "value"))
  var value: String?

  var selection: [String] { key.map { [$0] } ?? [] }

  mutating func run(in context: Context) throws {
    guard !edit || key == nil, !unset || (key != nil && value == nil) else {
      throw Failure.usage(edit ? "--edit takes no setting" : "--unset takes one setting")
    }
    let files = try SettingsFiles(user: user, in: context)
    if edit {
      try files.edit(in: context)
      return context.output.begin("settings")
    }
    let setting = try key.map { name -> SettingKey in
      guard let setting = SettingKey(Text(name)) else {
        throw Failure.usage("there is no setting '\(name)'", hints: Self.guess(name))
      }
      return setting
    }
    if let setting, unset || value != nil {
      try files.set(setting, to: value.map { Text($0) })
      return context.output.begin("settings")
    }
    let settings = try files.configuration()
    context.output.begin("settings")
    if let setting { return show(setting, settings, context) }
    for (name, entry) in settings.entries.sorted(by: { $0.key < $1.key }) {
      show(name, entry.value, entry.place, asPair: true, context)
    }
  }

  private static func guess(_ name: String) -> [Hint] {
    HabitWords.nearest(name, of: SettingKey.names.map(\.string)).map { ["did you mean \($0)?"] }
      ?? ["to list the settings: man 5 tsync-config"]
  }

  /// Prints the value of one setting, which may be the default.
  private func show(_ setting: SettingKey, _ settings: Configuration, _ context: Context) {
    if let entry = settings.entries[setting.name] {
      show(setting.name, entry.value, entry.place, asPair: false, context)
    } else if let value = setting.defaultValue {
      show(setting.name, value, "default", asPair: false, context)
    }
  }

  private func show(
    _ name: Text, _ value: JSON, _ origin: String, asPair: Bool, _ context: Context
  ) {
    let text = SettingText.of(value)
    context.output.append(
      JSONObject(["key": name, "value": value, "origin": origin]), to: "settings")
    let start = showOrigin ? "\(origin)  " : ""
    context.output.result(Line(start + (asPair ? "\(name)=\(text)" : text)))
  }
}
