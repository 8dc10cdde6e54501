import SyncModel
import Workspace

/// A setting's value as it is typed.
enum SettingText {
  /// Returns the value: a list with commas, a text as it is.
  static func of(_ value: JSON) -> String {
    if let elements = value.elements { return elements.map(of).joined(separator: ",") }
    return value.text?.string ?? String(decoding: value.encoded(), as: UTF8.self)
  }
}

extension SettingKey {
  /// The default; `nil` if it depends on the server or there is none.
  var defaultValue: JSON? { Self.defaults[name] }

  private static let defaults: [Text: JSON] = [
    "tables": ["todoitem"], "pull.push": false, "dialect": "auto", "color": "auto",
    "done.field": "complete", "title.field": "text", "merge": "fields",
  ]
}
