import SyncEngine
import SyncModel
import Workspace

/// The settings files of `tsync config`.
struct SettingsFiles {
  private let userDirectory: UserDirectory?
  private let workspace: Workspace?
  private let isUserOnly: Bool

  /// Finds the files; `--user` needs no workspace.
  init(user: Bool, in context: Context) throws {
    isUserOnly = user
    userDirectory = context.userDirectory
    workspace =
      try user
      ? nil
      : Workspace(at: context.findWorkspace(), for: .reading, clock: context.invocation.clock)
    if user, userDirectory == nil {
      throw Failure.usage(
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
    if key.isProtected, !isUserOnly, text != nil || file == former {
      let words = text.map { [key.name.string, $0.string] } ?? ["--unset", key.name.string]
      throw Failure.usage(
        "\(key.name) has effect only in the user's settings",
        hints: ["to set it there: \(typed: ["config", "--user"] + words)"])
    }
    try write(file)
  }

  /// Opens the file in the editor, and checks the result.
  ///
  /// - Throws: ``Failure`` if the editor failed or a mistake was left; the file is unchanged then.
  func edit(in context: Context) throws {
    let file = try file()
    let path = try FileText.makeTemporary(
      file.text, in: context.invocation.environment.nonEmpty("TMPDIR") ?? "/tmp")
    var text = EditedText(file.text, at: path, shownAs: path, try? configuration(), in: context)
    let result = try text.result { bytes throws(JSONError) in try edited(bytes, file) }
    // An unchanged file may have been invalid before.
    guard let (edited, checked) = result else { return _ = try configuration() }
    checked.warnings.forEach(context.output.warn)
    try text.saving {
      // Another command may have changed the file since the editor opened it.
      guard try self.file().text == file.text else {
        throw Failure(.rejected, "\(file.place) changed while you edited it")
      }
      try write(edited)
    }
  }

  /// Parses an edited text as the file's only settings.
  private func edited(
    _ bytes: [UInt8], _ file: SettingsFile
  ) throws(JSONError) -> (SettingsFile, Configuration) {
    let edited = SettingsFile(place: file.place, text: bytes)
    do throws(WorkspaceError) {
      return (
        edited,
        try Configuration(workspace: isUserOnly ? nil : edited, user: isUserOnly ? edited : nil)
      )
    } catch {
      var fault = JSONError(at: 0, of: bytes, "\(error)")
      if case .setting(_, let line, let column, let fact) = error {
        (fault.line, fault.column) = (line ?? 1, column ?? 1)
        fault.message = fact
      }
      throw fault
    }
  }

  private func file() throws(WorkspaceError) -> SettingsFile {
    if let workspace { return try workspace.settings() }
    return try userDirectory?.settings() ?? SettingsFile(place: "", text: nil)
  }

  private func write(_ file: SettingsFile) throws(WorkspaceError) {
    if let workspace {
      try workspace.write(file)
    } else {
      try userDirectory?.write(file)
    }
  }
}
