package import SyncModel

/// A settings file: one flat JSON object, edited by hand or by `tsync config`.
package struct SettingsFile: Equatable, Sendable {
  /// Its path, as people are shown it.
  package let place: String
  /// Its text.
  package private(set) var text: [UInt8]

  /// Takes a file's text; an absent file is an empty object.
  package init(place: String, text: [UInt8]?) {
    self.place = place
    self.text = text ?? Array("{}\n".utf8)
  }

  /// Returns the text as an object that can be edited.
  ///
  /// - Throws: ``WorkspaceError/setting(place:line:column:fact:)`` where it isn't one.
  func edit() throws(WorkspaceError) -> JSONEdit {
    do throws(JSONError) {
      let edit = try JSONEdit(text)
      if let duplicate = edit.duplicate { throw duplicate }
      return edit
    } catch {
      throw fault(error)
    }
  }

  /// Sets a value, or removes the setting where it is `nil`; the rest of the text stays as it is.
  ///
  /// - Throws: ``WorkspaceError/setting(place:line:column:fact:)`` where the text is no object, or
  ///   the value can't be this setting's.
  package mutating func set(_ key: SettingKey, to value: JSON?) throws(WorkspaceError) {
    if let value {
      do throws(NameError) {
        try key.check(value)
      } catch {
        throw .setting(place: place, line: nil, column: nil, fact: error.description)
      }
    }
    text = try edit().setting([(key.name, value)])
  }

  /// Returns an error with its place in this file.
  func fault(_ error: JSONError) -> WorkspaceError {
    .setting(place: place, line: error.line, column: error.column, fact: error.message)
  }
}
