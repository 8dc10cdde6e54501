import Foundation
import TestSupport
import Testing

@Suite("Inputs that the fuzzer has found") struct ReplayTests {
  /// The directory with a directory for each target.
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Corpus")

  @Test("a target holds for its inputs", arguments: FuzzTarget.allCases)
  func replays(_ target: FuzzTarget) throws {
    let directory = Self.corpus.appending(path: target.rawValue)
    let files = try FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: nil)
    #expect(files.count >= 10, "there are hardly any inputs in \(directory.path())")
    for file in files.sorted(by: { $0.path() < $1.path() }) {
      let bytes = Array(try Data(contentsOf: file))
      #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(bytes) }
    }
  }

  @Test("a target holds for no bytes, for one, and for many", arguments: FuzzTarget.allCases)
  func edges(_ target: FuzzTarget) throws {
    try target.run([])
    for byte in UInt8.min...UInt8.max { try target.run([byte]) }
    try target.run([UInt8](repeating: UInt8(ascii: "["), count: 10_000))
  }

  @Test(
    "what JSON may and may not be is told by the grammar alone",
    .enabled(if: JSONTestSuite.directory != nil, "TSYNC_JSON_TEST_SUITE names no directory"),
    arguments: ["y_", "n_", "i_"])
  func judgesSuite(prefix: String) throws {
    let names = JSONTestSuite.files(prefix)
    #expect(!names.isEmpty)
    for name in names {
      let bytes = try JSONTestSuite.bytes(name)
      let isJSON = JSONRecogniser.measures(of: bytes) != nil
      if prefix == "y_" { #expect(isJSON, "\(name)") }
      if prefix == "n_" { #expect(!isJSON, "\(name)") }
      #expect(throws: Never.self, "\(name)") { try FuzzTarget.json.run(bytes) }
      #expect(throws: Never.self, "\(name)") { try FuzzTarget.itemFile.run(bytes) }
    }
  }
}
