import Glibc
import TestSupport

/// What is done while the line is cut.
enum Deed: CaseIterable, Sendable {
  /// A new item is pushed.
  case insert
  /// A changed item is pushed.
  case update
  /// A changed item is pushed whose row another client has changed: it is read, and merged.
  case merge
  /// A removed item is pushed.
  case delete
  /// An item is pushed whose row was deleted.
  case undelete
  /// A new row is pulled.
  case pull
}

/// Where a conversation is cut.
enum Cuts {
  /// One cut.
  struct Cut: CustomStringConvertible {
    let course: ByteProxy.Course
    let description: String
  }

  /// What chooses the cuts: `TSYNC_SEED`, or the same every day.
  static let seed: UInt64 =
    getenv("TSYNC_SEED").flatMap { UInt64(String(cString: $0)) } ?? 50_000_000

  /// Returns the places where what has passed is cut when it passes again: one in so many bytes of
  /// each direction, in a campaign all; with FIN and RST in turn, FIN or RST first by chance.
  static func of(
    _ passage: ByteProxy.Passage, every stride: Int, _ chance: inout SplitMix64
  ) -> [Cut] {
    let stride = Campaign.isWhole ? 1 : stride
    let parity = Int.random(in: 0...1, using: &chance)
    var cuts: [Cut] = []
    for (direction, total) in [
      ("request", passage.request.count), ("reply", passage.reply.count),
    ] {
      let first = Int.random(in: 0..<stride, using: &chance)
      for count in Swift.stride(from: first, to: total, by: stride) {
        let ending: ByteProxy.Course.Ending =
          (count / stride + parity) % 2 == 0 ? .close : .reset
        let course: ByteProxy.Course =
          direction == "request"
          ? .request(cutAfter: count, ending) : .reply(cutAfter: count, ending)
        cuts.append(
          Cut(
            course: course,
            description: "\(direction) cut after \(count) of \(total), \(ending), seed \(seed)"))
      }
    }
    return cuts
  }
}
