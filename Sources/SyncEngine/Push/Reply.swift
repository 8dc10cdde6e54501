package import SyncModel

/// The reply to a write, before the row is read.
package struct Reply: Equatable, Sendable {
  /// The outcome of the write.
  package enum Outcome: Equatable, Sendable {
    /// The server did it; the row as it now is, where the answer holds it.
    case done(Row?)
    /// The server did not do it, and said why.
    case refused(Refusal)
    /// The server did not do it, unless in an earlier try: its row is not as the write expected, or it broke.
    case disputed(Refusal)
    /// As `disputed`: the server has no such row.
    case absent(Refusal)
    /// Whether the server did it can't be told from what came; with its words, where a whole answer came.
    case unknown(Refusal?)
    /// The request left and no whole answer of the server's came: the connection was cut, the time was up,
    /// or something else answered.
    case cut(timedOut: Bool)
    /// The server did not do it, and the fault is not the item's.
    case notSent

    /// The server's words, where it did not say that it did it.
    package var refusal: Refusal? {
      switch self {
      case .refused(let refusal), .disputed(let refusal), .absent(let refusal): refusal
      case .unknown(let refusal): refusal
      case .done, .cut, .notSent: nil
      }
    }

    /// Whether the server did it.
    package var isDone: Bool { if case .done = self { true } else { false } }
  }

  /// What is known of the write.
  package var outcome: Outcome
  /// Why nothing more can be sent in this run; `nil` where more can.
  package var stop: Stop?

  package init(_ outcome: Outcome, stop: Stop? = nil) {
    self.outcome = outcome
    self.stop = stop
  }
}

/// A server's refusal: the status and the server's message.
package struct Refusal: Error, Equatable, Sendable {
  /// The HTTP status; `nil` where the server said that it did the write, and did not.
  package var status: Int?
  /// The server's words, unescaped, 64 KiB at most; possibly empty.
  package var words: Text
  /// Whether it says nothing of the row: the change stays pending, and is sent after all others.
  package var passes: Bool

  package init(status: Int? = nil, words: Text, passes: Bool = false) {
    self.status = status
    self.words = words
    self.passes = passes
  }
}
