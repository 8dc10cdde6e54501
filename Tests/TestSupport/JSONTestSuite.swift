import Foundation

/// The files of Nicolas Seriot's JSONTestSuite, where the environment says that they lie somewhere.
///
/// `TSYNC_JSON_TEST_SUITE` names the directory of the files `y_….json` (a parser must accept them),
/// `n_….json` (must refuse them) and `i_….json` (may decide).
package enum JSONTestSuite {
  /// The directory; `nil` where the environment names none.
  package static let directory = ProcessInfo.processInfo.environment["TSYNC_JSON_TEST_SUITE"]

  /// Returns the names of the files that begin with a prefix.
  package static func files(_ prefix: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory ?? "")) ?? []
    return names.filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// Returns what a file holds.
  ///
  /// - Throws: What Foundation says of a file that can't be read.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: (directory ?? "") + "/" + name)))
  }
}
