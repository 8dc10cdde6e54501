import TestSupport

/// A reader who types a page's commands at a shell, in an empty directory, beside a server.
///
/// The server has one empty table, `todoitem`, and its address is `$URL`.
enum Shell {
  /// Runs the commands in one shell and returns the lines that each printed, on either stream.
  ///
  /// - Throws: `TestFailure` where the server can't be started or the shell ends early.
  static func run(_ commands: [String]) async throws -> [[String]] {
    // Tests share as many threads as there are processors; this one waits for other programs.
    try await OwnThread.run { try runHere(commands) }
  }

  private static func runHere(_ commands: [String]) throws -> [[String]] {
    let directory = TemporaryDirectory()
    let server = try RunningServer()
    for name in ["work/.", "home/."] { directory.makeParents(of: name) }
    // U+001E follows what each command prints; its status is untouched.
    let mark = "exec 2>&1\nmark() { status=$?; printf '\\036'; return $status; }\n"
    directory.write(mark + commands.map { "\($0)\nmark\n" }.joined(), to: "script")
    let home = directory.path(of: "home")
    let ended = try ChildProcess(
      ["/usr/bin/timeout", "120", "/bin/sh", directory.path(of: "script")],
      in: directory.path(of: "work"),
      [
        ("HOME", home), ("XDG_CONFIG_HOME", "\(home)/.config"),
        ("PATH", "\(Programs.directory):/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"),
        ("URL", server.url),
      ]
    ).outcome()
    let parts = ended.output.split(separator: "\u{1E}", omittingEmptySubsequences: false)
    guard parts.count == commands.count + 1 else {
      throw TestFailure(
        """
        the shell ended with \(ended.status) in: \(commands[min(parts.count, commands.count) - 1])
        \(parts.last ?? "")
        """)
    }
    return parts.dropLast().map(lines)
  }

  private static func lines(_ text: Substring) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
