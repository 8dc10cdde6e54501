import SyncModel

/// What a push has seen of its line to the server: which writes got no whole answer.
struct PushLine {
  /// After so many sendings on end that cut writes of a kind, the rest of it waits for the next push.
  private static let mostCuts = 5

  /// Whether the last sending brought answers only: until one does, writes go one at a time.
  private(set) var isSure = false
  /// The kinds of the writes that the present sending has cut.
  private var cut: Set<Operation.Kind> = []
  /// In how many sendings on end writes were cut, for each kind.
  private var cuts: [Operation.Kind: Int] = [:]
  /// The items whose writes weren't answered in time.
  private(set) var timedOut: Set<ItemKey> = []

  /// Whether another write may be sent, after so many of the present sending.
  func maySend(after count: Int) -> Bool { cut.isEmpty && (isSure || count == 0) }

  /// Whether writes of a kind are not to be sent any more.
  func isCutOff(_ kind: Operation.Kind) -> Bool { cuts[kind, default: 0] >= Self.mostCuts }

  /// Whether a write that is open may be sent again.
  func maySendAgain(_ attempt: Attempt) -> Bool {
    !isCutOff(attempt.kind) && !timedOut.contains(attempt.key)
  }

  /// Notes what came of a write.
  mutating func note(_ outcome: Reply.Outcome, of attempt: Attempt) {
    guard case .cut(let isLate) = outcome else {
      isSure = true
      cuts[attempt.kind] = nil
      return
    }
    cut.insert(attempt.kind)
    if isLate { timedOut.insert(attempt.key) }
  }

  /// Notes that a write was done although no answer came.
  mutating func found(_ attempt: Attempt) { cuts[attempt.kind] = nil }

  /// Notes that a sending has come to its end.
  mutating func end() {
    for kind in cut { cuts[kind, default: 0] += 1 }
    isSure = isSure && cut.isEmpty
    cut = []
  }
}
