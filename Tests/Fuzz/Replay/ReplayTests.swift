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

  @Test("what is JSON and what isn't is told by the grammar alone")
  func judges() {
    for row in JSONTable.rows {
      let isJSON = JSONRecogniser.measures(of: row.text) != nil
      #expect(isJSON == (row.fault == nil), "\(row)")
      #expect(throws: Never.self, "\(row)") { try FuzzTarget.json.run(row.text) }
      #expect(throws: Never.self, "\(row)") { try FuzzTarget.itemFile.run(row.text) }
    }
  }
}
