import Commands
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("Sessions")
struct ScriptTests {
  /// The scripts' directory, beside this file.
  static let directory = FilePath(#filePath).removingLastComponent().appending("Scripts").string

  /// The scripts' names.
  static let names: [String] = {
    let files = Files.names(in: directory).filter { $0.hasSuffix(".txt") }
    precondition(!files.isEmpty, "no sessions in \(directory)")
    return files.map { String($0.dropLast(4)) }
  }()

  @Test("a session goes as its script says", arguments: names)
  func session(name: String) throws {
    var run = ScriptRun(try Script(#require(Files.text("\(Self.directory)/\(name).txt"))))
    try run.run()
    // So that what a change does to all sessions is a difference between two directories.
    if let place = getenv("TSYNC_TRANSCRIPTS") {
      Files.write(Array(run.transcript.utf8), to: "\(String(cString: place))/\(name).txt")
    }
  }

  @Test(
    "a script that doesn't hold fails",
    arguments: [
      "tsync show nothing", "tsync init\nstatus 2", "tsync init\nstdout made", "exists nothing",
      "tsync init\ncmp stdout x\n-- x --\nother",
    ])
  func fails(text: String) throws {
    var run = ScriptRun(try Script(text))
    #expect(throws: ScriptError.self) { try run.run() }
  }
}
