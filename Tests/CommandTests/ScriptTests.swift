import Glibc
import Testing

@testable import Commands

@Suite("Sessions")
struct ScriptTests {
  /// The scripts' directory, beside this file.
  static let directory = PathName.split(#filePath).directory + "/Scripts"

  /// The scripts' names.
  static let names: [String] = {
    guard let stream = opendir(directory) else { preconditionFailure("no \(directory)") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".txt") { names.append(String(name.dropLast(4))) }
    }
    return names.sorted()
  }()

  @Test("a session goes as its script says", arguments: names)
  func session(name: String) throws {
    let text = try FileText.read("\(Self.directory)/\(name).txt")
    var run = ScriptRun(try Script(String(decoding: text, as: UTF8.self)))
    try run.run()
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
