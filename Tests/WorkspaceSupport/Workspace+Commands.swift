package import Workspace

extension Workspace {
  /// Returns the commands in the history, the newest first.
  package func commands() throws -> [History.Command] {
    var found: [History.Command] = []
    try commands { command in
      found.append(command)
      return true
    }
    return found
  }
}
