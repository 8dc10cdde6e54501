import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Workspace

/// Any bytes in any of tsync's files: nothing traps, nothing is lost, and what can be mended is.
@Suite("The doctor and any bytes")
struct DoctorSeedTests {
  /// How many seeds are tried: 20, or `TSYNC_SEEDS`.
  private static let seeds =
    0..<(getenv("TSYNC_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 20)

  @Test("whatever happened to a workspace, the doctor mends it or says why not", arguments: seeds)
  func anyBytes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let spoiled = try Spoiled()
    let files = spoiled.files.keys.filter { !$0.hasPrefix("items/") && $0 != "config.json" }
      .sorted()
    var story: [String] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      story.append(spoiled.spoil(files[Int.random(in: files.indices, using: &random)], &random))
    }
    let before = spoiled.files
    do {
      _ = try spoiled.examine()
      try spoiled.mend()
      #expect(try spoiled.examine().faults == [], "seed \(seed): \(story)")
    } catch let error as WorkspaceError {
      guard case .otherFormat = error else { throw error }
      #expect(throws: error) { try spoiled.mend() }
    }
    #expect(DoctorTests.lost(before, spoiled.files) == [], "seed \(seed): \(story)")
  }
}

extension Spoiled {
  /// Does something to a file, and says what.
  fileprivate func spoil(_ name: String, _ random: inout SplitMix64) -> String {
    let kind = Int.random(in: 0..<6, using: &random)
    guard kind > 0 else {
      unlink(path(name))
      return "\(name): removed"
    }
    var place = 0
    change(name) { bytes in
      guard !bytes.isEmpty else { return }
      place = Int.random(in: bytes.indices, using: &random)
      switch kind {
      case 1: bytes.removeSubrange(place...)
      case 2: bytes[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      case 3: for index in place..<bytes.count { bytes[index] = 0 }
      case 4: bytes.removeSubrange(place..<min(bytes.count, place + 40))
      default: bytes.insert(contentsOf: bytes[place...].prefix(300), at: place)
      }
    }
    return "\(name): \(["", "cut", "flipped", "NUL", "short", "doubled"][kind]) at \(place)"
  }
}
