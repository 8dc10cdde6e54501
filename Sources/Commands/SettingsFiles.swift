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
    let read: [UInt8]
    do {
      read = try edit(file, at: path, in: context)
    } catch {
      if let left = context.left(error, path, "and nothing of it is taken") { throw left }
      var failure = context.failure(error)
      if FileText.mayHoldEdit(path, of: file.text) {
        let command = ["tsync", "config"] + (isUserOnly ? ["--user"] : []) + ["--edit"]
        let editor = ["env", "TSYNC_EDITOR=cp \(Shell.word(path))"]
        // The text doesn't know what was settled meanwhile.
        let isLate = failure.status == .rejected
        failure.hints += [
          "nothing was taken; your text is in \(path)",
          isLate
            ? "edit what is settled now: \(.command(command, places: []))"
            : "once it is mended: \(.command(editor + command, places: []))",
        ]
      } else {
        FileText.remove(path)
      }
      throw failure
    }
    FileText.remove(path, holding: read, toldAs: path, context)
  }

  /// Edits the settings, and returns the text that was read last.
  private func edit(
    _ file: SettingsFile, at path: String, in context: Context
  ) throws -> [UInt8] {
    let editor = Editor(context.invocation.environment, try? configuration())
    while true {
      try editor.open(path, in: context)
      let edited = SettingsFile(
        place: file.place, text: try FileText.read(path, editedAt: path))
      let checked: Configuration
      do throws(WorkspaceError) {
        checked = try Configuration(
          workspace: isUserOnly ? nil : edited, user: isUserOnly ? edited : nil)
      } catch {
        guard case .setting(_, let line, let column, let fact) = error else { throw error }
        // The mistake is in the text that was edited; the file is as it was.
        let mistake = WorkspaceError.setting(place: path, line: line, column: column, fact: fact)
        let isEditedAgain: Bool
        do {
          isEditedAgain = try context.asksToEditAgain("\(mistake)")
        } catch {
          throw context.failure(error)
        }
        guard isEditedAgain else { throw Failure.usage("\(mistake)") }
        continue
      }
      checked.warnings.forEach(context.output.warn)
      guard edited.text != file.text else { return edited.text }
      // The editor had the settings as they were when it was opened.
      guard try self.file().text == file.text else {
        throw Failure(.rejected, "\(file.place) was changed meanwhile and stays so")
      }
      try write(edited)
      return edited.text
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
