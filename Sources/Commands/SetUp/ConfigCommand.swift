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
      throw Problem.usage(edit ? "--edit takes no setting" : "--unset takes one setting")
    }
    context.printer.begin("settings")
    let files = try SettingsFiles(user: user, in: context)
    if edit { return try files.edit(in: context) }
    let setting = try key.map { name -> SettingKey in
      guard let setting = SettingKey(Text(name)) else {
        throw Problem.usage("there is no setting '\(name)'", hints: Self.guess(name))
      }
      return setting
    }
    if let setting, unset || value != nil {
      return try files.set(setting, to: value.map { Text($0) })
    }
    let entries = try files.configuration().entries
    var shown = entries.filter { setting == nil || $0.key == setting?.name }
      .map { (name: $0.key, value: $0.value.value, origin: $0.value.place) }
    if shown.isEmpty, let setting, let value = setting.defaultValue {
      shown = [(setting.name, value, "default")]
    }
    for (name, value, origin) in shown.sorted(by: { $0.name < $1.name }) {
      context.printer.append(
        JSONObject(["key": name, "value": value, "origin": origin]), to: "settings")
      let start = (showOrigin ? "\(origin)  " : "") + (setting == nil ? "\(name)=" : "")
      context.printer.result(Line(start + Self.text(of: value)))
    }
  }

  /// Returns a value as it is typed: a list with commas, a text as it is.
  private static func text(of value: JSON) -> String {
    if let elements = value.elements { return elements.map(text).joined(separator: ",") }
    return value.text?.string ?? String(decoding: value.encoded(), as: UTF8.self)
  }

  private static func guess(_ name: String) -> [Hint] {
    HabitWords.nearest(name, of: SettingKey.names.map(\.string)).map { ["did you mean \($0)?"] }
      ?? ["to list the settings: \(typed: "help", "5", "config")"]
  }
}

extension SettingKey {
  /// The default; `nil` if it depends on the server or there is none.
  var defaultValue: JSON? { Self.defaults[name] }

  private static let defaults: [Text: JSON] = [
    "tables": ["todoitem"], "pull.push": false, "dialect": "auto", "color": "auto",
    "done.field": "complete", "title.field": "text", "who.field": "updatedBy", "merge": "fields",
    "pull.page": 1_000, "list.sort": "title", "timeout": 30,
  ]
}
