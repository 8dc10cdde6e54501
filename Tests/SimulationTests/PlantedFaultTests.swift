import Foundation
import Simulation
import Testing

/// The faults that are planted to see whether the simulation finds them, as patches of the sources.
private enum PlantedFaults {
  /// The repository's directory, whatever links lead to this file.
  static let repository = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let directory = repository.appendingPathComponent("Tests/Simulation/Mutants")

  static var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }

  /// Whether git has a checkout here: an archive of the sources has none.
  static var hasCheckout: Bool {
    let git = repository.appendingPathComponent(".git").path
    return FileManager.default.fileExists(atPath: git)
      && (try? run(["--version"]).status) == 0
  }

  /// Runs git in the repository; answers what it ended with, and what it said.
  static func run(_ words: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", repository.path] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}

/// A fault that can't be planted any more is found by nobody: it must go with the lines that it is in.
@Suite(
  "Planted faults",
  .enabled(if: PlantedFaults.hasCheckout, "needs git, and the sources as git checks them out"))
struct PlantedFaultTests {
  @Test("each planted fault still fits the sources", arguments: try PlantedFaults.names)
  func applies(_ name: String) throws {
    let patch = PlantedFaults.directory.appendingPathComponent(name).path
    let checked = try PlantedFaults.run(["apply", "--check", patch])
    #expect(checked.status == 0, "\(checked.text)")
  }

  @Test("what its histories look at can be read", arguments: try PlantedFaults.names)
  func focus(_ name: String) throws {
    let patch = PlantedFaults.directory.appendingPathComponent(name)
    let text = try String(contentsOf: patch, encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix("focus: ") {
      #expect(try !Plan.Focus(text: String(line.dropFirst("focus: ".count))).isEmpty)
    }
  }

  @Test("there are at least 25 of them, and all are patches")
  func areThere() throws {
    let names = try PlantedFaults.names
    #expect(names.count >= 25)
    #expect(names.allSatisfy { $0.hasSuffix(".patch") })
  }
}
