import Foundation
import Glibc

/// A reader who types a page's commands at a shell, in an empty directory, beside a server.
///
/// The server has one empty table, `todoitem`, and its address is `$URL`.
enum Shell {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Where the programs lie: beside the tests, where everything is built, or in `TSYNC_BIN`.
  private static let programs =
    ProcessInfo.processInfo.environment["TSYNC_BIN"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// Runs the commands in one shell and returns the lines that each printed, on either stream.
  ///
  /// - Throws: `Failure` where a program can't be started or the shell ends early.
  static func run(_ commands: [String]) async throws -> [[String]] {
    // Tests share as many threads as there are processors; this one waits for other programs.
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try runHere(commands) })
      }
    }
  }

  private static func runHere(_ commands: [String]) throws -> [[String]] {
    let files = FileManager.default
    let directory = files.temporaryDirectory.appendingPathComponent(
      "tsync-manual-\(getpid())-\(UInt64.random(in: 0...UInt64.max))")
    defer { try? files.removeItem(at: directory) }
    for name in ["work", "home"] {
      try files.createDirectory(
        at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    let server = Process()
    let url = try start(server)
    defer {
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
    }
    let script = directory.appendingPathComponent("script")
    try Data(text(of: commands).utf8).write(to: script)
    let output = directory.appendingPathComponent("output")
    try Data().write(to: output)
    let status = try run(script, url: url, in: directory, output: output)
    let parts = try Data(contentsOf: output).split(
      separator: 0x1E, omittingEmptySubsequences: false)
    guard parts.count == commands.count + 1 else {
      throw Failure(
        description: """
          the shell ended with \(status) in: \(commands[min(parts.count, commands.count) - 1])
          \(String(decoding: parts.last ?? Data(), as: UTF8.self))
          """)
    }
    return parts.dropLast().map { lines(String(decoding: $0, as: UTF8.self)) }
  }

  /// Starts the server and returns its address.
  private static func start(_ server: Process) throws -> String {
    let output = Pipe()
    server.executableURL = programs.appendingPathComponent("tsync-server")
    server.arguments = ["--no-auth", "--listen", "127.0.0.1:0", "--store", "memory"]
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    try server.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let url = line.split(separator: "\n").first, url.hasPrefix("http://") else {
      throw Failure(description: "tsync-server printed no address: \(line)")
    }
    return String(url)
  }

  /// Returns a script that runs each command and prints U+001E after it, its status untouched.
  private static func text(of commands: [String]) -> String {
    let mark = "mark() { status=$?; printf '\\036'; return $status; }\n"
    return mark + commands.map { "\($0)\nmark\n" }.joined()
  }

  private static func run(
    _ script: URL, url: String, in directory: URL, output: URL
  ) throws -> Int32 {
    let shell = Process()
    let home = directory.appendingPathComponent("home").path
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    shell.arguments = ["120", "/bin/sh", script.path]
    shell.currentDirectoryURL = directory.appendingPathComponent("work")
    shell.environment = [
      "HOME": home, "XDG_CONFIG_HOME": "\(home)/.config", "PATH": "\(programs.path):/usr/bin:/bin",
      "LC_ALL": "C.UTF-8", "TZ": "UTC", "URL": url,
    ]
    let handle = try FileHandle(forWritingTo: output)
    shell.standardInput = FileHandle.nullDevice
    shell.standardOutput = handle
    shell.standardError = handle
    try shell.run()
    shell.waitUntilExit()
    return shell.terminationStatus
  }

  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
