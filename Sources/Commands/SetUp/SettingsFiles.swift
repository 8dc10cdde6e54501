import SyncEngine
import SyncModel
import Workspace

/// The settings files that `tsync config` is about.
struct SettingsFiles {
  private let userDirectory: UserDirectory?
  private let workspace: Workspace?
  /// Whether only the user's file is meant.
  private let isUserOnly: Bool

  /// Finds the files; the user's alone need no workspace.
  ///
  /// - Throws: ``WorkspaceError``, ``Failure``.
  init(user: Bool, in context: Context) throws {
    isUserOnly = user
    userDirectory = context.userDirectory
    workspace =
      try user
      ? nil
      : Workspace(at: context.findWorkspace(), for: .reading, clock: context.invocation.clock)
    if user, userDirectory == nil {
      throw Failure.usage("neither XDG_CONFIG_HOME nor HOME says where the user's settings are")
    }
  }

  /// Returns what is settled.
  func configuration() throws -> Configuration {
    try Configuration(workspace: workspace?.settings(), user: userDirectory?.settings())
  }

  /// Writes a setting, or removes it.
  ///
  /// - Throws: ``Failure``, where the setting isn't one of this file, or the value isn't one of it.
  func set(_ key: SettingKey, to text: Text?) throws {
    let former = try file()
    var file = former
    try file.set(key, to: text.map { text in try key.value(from: text) })
    // One that stands there by mistake can be removed.
    if key.isProtected, !isUserOnly, text != nil || file == former {
      let words = text.map { [key.name.string, $0.string] } ?? ["--unset", key.name.string]
      throw Failure.usage(
        "\(key.name) counts only from the user's side",
        hints: ["set it there: \(typed: ["config", "--user"] + words)"])
    }
    try write(file)
  }

  /// Opens the file in the editor, and checks it when it comes back.
  ///
  /// - Throws: ``Failure``, where the editor failed or a mistake was left; the file is as it was then,
  ///   and what was typed is kept where the failure says.
  func edit(in context: Context) throws {
    let file = try file()
    let path = try FileText.makeTemporary(
      file.text, in: context.invocation.environment.nonEmpty("TMPDIR") ?? "/tmp")
    var text = EditedText(file.text, at: path, shownAs: path, try? configuration(), in: context)
    let result = try text.result { bytes throws(JSONError) in try edited(bytes, file) }
    // What was wrong before, and was left so, is wrong still.
    guard let (edited, checked) = result else { return _ = try configuration() }
    checked.warnings.forEach(context.output.warn)
    try text.taking {
      // The editor had the settings as they were when it was opened.
      guard try self.file().text == file.text else {
        throw Failure(.rejected, "\(file.place) changed while you edited it")
      }
      try write(edited)
    }
  }

  /// Returns the settings that a text makes of a file, alone.
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
