import SyncModel

extension Editor {
  /// The editors that take `+N` before a file as the line to begin at.
  private static let takingLines: [Text] = [
    "vi", "vim", "nvim", "view", "ex", "nano", "pico", "emacs", "emacsclient", "mg", "micro", "joe",
    "jed", "kak", "ne", "ed",
  ]

  /// Opens a file at a line, where the editor is known to take one, and waits until the editor ends.
  ///
  /// - Throws: As `open(_:in:)`.
  func open(_ path: String, line: Int?, in context: Context) throws {
    let program = command.utf8.split { $0 == 0x20 }.first.map { String(Substring($0)) } ?? ""
    guard let line, Self.takingLines.contains(Text(PathName.split(program).name)) else {
      return try open(path, in: context)
    }
    let ending = try context.runLeaving(
      .shell("\(command) +\(line)", [path], in: context.invocation))
    guard ending.status == 0 else {
      throw Failure.usage("the editor ended with status \(ending.status): \(command)")
    }
  }
}
