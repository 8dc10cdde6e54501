import Glibc
import SyncModel
import Workspace

extension Context {
  /// The user's settings directory; `nil` without `XDG_CONFIG_HOME` and `HOME`.
  var userDirectory: UserDirectory? {
    UserDirectory(
      configHome: invocation.environment["XDG_CONFIG_HOME"], home: invocation.home)
  }

  /// Finds the workspace: from `-C`, `TSYNC_DIR` or the current directory upwards.
  func findWorkspace() throws -> String {
    if let directory = options.directory, access(invocation.directory, F_OK) != 0 {
      throw Failure.usage("there is no directory \(directory)")
    }
    // The invocation is in the directory of `-C` already.
    let named = options.directory == nil ? invocation.environment.nonEmpty("TSYNC_DIR") : "."
    return try Workspace.find(
      from: path(named ?? "."), home: invocation.home, isNamed: named != nil)
  }

  /// The command and its selection, for the history (decisions.md 32, 74).
  var recorded: Text { Text(([command] + selection).joined(separator: " ")) }
}

extension Output {
  func apply(_ configuration: Configuration) {
    colorSetting = GlobalOptions.Color(rawValue: configuration.color.string) ?? .auto
    pagerSetting = configuration.text("pager")?.string
  }
}
