import SyncEngine
import SyncModel
import Workspace

/// The settings files of `tsync config`.
struct SettingsFiles {
  private let userDirectory: UserDirectory?
  /// `nil` with `--user`.
  private let workspace: Workspace?

  /// Finds the files; `--user` needs no workspace.
  init(user: Bool, in context: Context) throws {
    userDirectory = context.userDirectory
    workspace =
      try user
      ? nil
      : Workspace(at: context.findWorkspace(), for: .reading, clock: context.invocation.clock)
    if user, userDirectory == nil {
      throw Problem.usage(
        "XDG_CONFIG_HOME and HOME are not set: there is no place for the user's settings")
    }
  }

  func configuration() throws -> Configuration {
    try Configuration(workspace: workspace?.settings(), user: userDirectory?.settings())
  }

  /// Writes or removes a setting; throws if the file can't have it, or the value is wrong.
  func set(_ key: SettingKey, to text: Text?) throws {
    let former = try file()
    var file = former
    try file.set(key, to: text.map { text in try key.value(from: text) })
    // A setting in the wrong file can still be removed.
    if key.isProtected, workspace != nil, text != nil || file == former {
      let words = text.map { [key.name.string, $0.string] } ?? ["--unset", key.name.string]
      throw Problem.usage(
        "\(key.name) has effect only in the user's settings",
        hints: ["to set it there: \(typed: ["config", "--user"] + words)"])
    }
    try write(file)
  }

  /// Opens the file in the editor, and checks the result.
  ///
  /// - Throws: ``Problem`` if the editor failed or a mistake was left; the file is unchanged then.
  func edit(in context: Context) throws {
    let file = try file()
    let environment = context.invocation.environment
    let path = try FileText.makeTemporary(
      file.text, in: environment.nonEmpty("TMPDIR") ?? "/tmp")
    let text = EditedText(
      text: file.text, path: path,
      editor: Editor(environment, try? configuration()), context: context)
    let isEdited = try text.edit { bytes throws(JSONError) in
      let edited = SettingsFile(place: file.place, text: bytes)
      try check(edited).warnings.forEach(context.printer.warn)
      return edited
    } apply: { edited in
      // Another command may have changed the file since the editor opened it.
      guard try self.file() == file else {
        throw Problem(.rejected, "\(file: file.place) changed while you edited it")
      }
      try write(edited)
    }
    // An unchanged file may have been invalid before.
    if !isEdited { _ = try configuration() }
  }

  /// Reads a file as the only settings.
  private func check(_ file: SettingsFile) throws(JSONError) -> Configuration {
    do throws(WorkspaceError) {
      return try workspace == nil
        ? Configuration(workspace: nil, user: file) : Configuration(workspace: file, user: nil)
    } catch {
      var mistake = JSONError(at: 0, of: file.text, "\(error)")
      if case .setting(_, let line?, let column?, let fact) = error {
        (mistake.line, mistake.column, mistake.message) = (line, column, fact)
      }
      throw mistake
    }
  }

  private func file() throws(WorkspaceError) -> SettingsFile {
    if let workspace { return try workspace.settings() }
    return try userDirectory?.settings() ?? SettingsFile(place: "", text: nil)
  }

  private func write(_ file: SettingsFile) throws(WorkspaceError) {
    if let workspace { try workspace.write(file) } else { try userDirectory?.write(file) }
  }
}
