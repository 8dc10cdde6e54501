import Glibc
import TestSupport

/// How much of what could be tried is tried: a sample every day, all of it with `TSYNC_CAMPAIGN=1`.
enum Campaign {
  /// Whether everything is tried.
  static let isWhole = getenv("TSYNC_CAMPAIGN") != nil

  /// What samples are drawn with: `TSYNC_SEED`, or the same every day.
  static let seed: UInt64 =
    getenv("TSYNC_SEED").flatMap { UInt64(String(cString: $0)) } ?? 50_000_000

  /// Prints a line at once, so that who watches a long campaign sees how far it is.
  static func tell(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Runs work that blocks on threads of its own, and adds up what comes of it.
  static func onThreads<Sum: Addable & Sendable>(
    _ count: Int = 2, _ work: @escaping @Sendable (_ number: Int, _ of: Int) throws -> Sum
  ) async throws -> Sum {
    try await withThrowingTaskGroup(of: Sum.self) { group in
      for number in 0..<count {
        group.addTask { try await OwnThread.run { try work(number, count) } }
      }
      var sum = Sum()
      for try await part in group { sum.add(part) }
      return sum
    }
  }
}

/// What the parts of a campaign come to can be added up.
protocol Addable {
  /// Nothing yet.
  init()
  /// Adds a part.
  mutating func add(_ other: Self)
}
