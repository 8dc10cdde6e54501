import TestSupport
import Testing

@testable import SyncModel

@Suite("Differences of lines") struct LineDiffTests {
  private func lines(_ words: [String]) -> [ArraySlice<UInt8>] { words.map { Array($0.utf8)[...] } }

  private func words(_ random: inout SplitMix64, _ letters: Int) -> [String] {
    (0..<random.below(14)).map { _ in String(UnicodeScalar(UInt8(97 + random.below(letters)))) }
  }

  @Test("the hunks turn the old lines into the new", arguments: UInt64(0)..<20)
  func applies(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let letters = 2 + random.below(3)
      let old = lines(words(&random, letters))
      let new = lines(words(&random, letters))
      let hunks = try #require(LineDiff(from: old, to: new)).hunks
      var result: [ArraySlice<UInt8>] = []
      var position = 0
      for hunk in hunks {
        result += old[position..<hunk.range.lowerBound] + hunk.lines
        position = hunk.range.upperBound
      }
      result += old[position...]
      #expect(result == new, "seed \(seed), round \(round)")
      // Between two hunks stands at least one line that both texts have.
      #expect(
        zip(hunks, hunks.dropFirst()).allSatisfy { $0.range.upperBound < $1.range.lowerBound },
        "seed \(seed), round \(round)")
      #expect(hunks.allSatisfy { !$0.range.isEmpty || !$0.lines.isEmpty })
      #expect(hunks.isEmpty == (old == new))
    }
  }

  /// The length of a longest common subsequence, by the textbook's table.
  private func common(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> Int {
    var row = [Int](repeating: 0, count: new.count + 1)
    for line in old {
      var corner = 0
      for (index, other) in new.enumerated() {
        let above = row[index + 1]
        row[index + 1] = line == other ? corner + 1 : max(above, row[index])
        corner = above
      }
    }
    return row.last ?? 0
  }

  @Test("no more lines are replaced than need be", arguments: UInt64(0)..<10)
  func shortest(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let (old, new) = (lines(words(&random, 3)), lines(words(&random, 3)))
      let hunks = try #require(LineDiff(from: old, to: new)).hunks
      let replaced = hunks.reduce(0) { $0 + $1.range.count }
      #expect(old.count - replaced == common(old, new), "seed \(seed), round \(round)")
    }
  }

  @Test("up to the limit the difference is found, beyond it is given up")
  func limit() {
    func texts(_ different: Int) -> ([ArraySlice<UInt8>], [ArraySlice<UInt8>]) {
      // Every other line differs, so that each difference counts twice: one gone, one new.
      let old = (0..<different).flatMap { ["same \($0)", "old \($0)"] }
      let new = (0..<different).flatMap { ["same \($0)", "new \($0)"] }
      return (lines(old), lines(new))
    }
    let within = texts(LineDiff.limit / 2)
    #expect(LineDiff(from: within.0, to: within.1)?.hunks.count == LineDiff.limit / 2)
    let beyond = texts(LineDiff.limit / 2 + 1)
    #expect(LineDiff(from: beyond.0, to: beyond.1) == nil)
  }

  @Test("any number of lines may come or go in one piece")
  func onePiece() {
    let many = lines((0..<20_000).map(String.init))
    #expect(LineDiff(from: [], to: many)?.hunks.count == 1)
    #expect(LineDiff(from: many, to: [])?.hunks.count == 1)
    #expect(LineDiff(from: Array(many[..<10]), to: many)?.hunks.map(\.range) == [10..<10])
    #expect(LineDiff(from: many, to: many)?.hunks.isEmpty == true)
  }
}
