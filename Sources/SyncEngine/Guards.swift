import SyncModel

/// The checks that stop a pull or push before it does damage (tsync-safety(7)).
package enum Guards {
  /// Returns how many of some items a filter may choose without a question: the larger of 20 and 30 %.
  package static func chosen(of count: Int) -> Int { max(20, count * 3 / 10) }

  /// Returns how many of a table's items may vanish at once without a question.
  ///
  /// As many as a filter may choose; but never all of three or more.
  package static func deletions(of live: Int) -> Int {
    let most = chosen(of: live)
    return live >= 3 ? min(most, live - 1) : most
  }

  /// Returns how many items a pull may remove without a question: too many neither of the `measured` nor of
  /// the live ones.
  package static func removals(of measured: Int, among live: Int) -> Int {
    min(deletions(of: measured), deletions(of: live))
  }

  /// How many files of a table may change the server unasked although no command has changed them: so
  /// many names fit a screen, and a glob or a lost directory takes more.
  static let unasked = 10

  /// Returns how many of a table's files may have vanished in a push without a question: where the table
  /// has three rows or more, never more than half of the `rest`, which nothing else explains.
  package static func vanished(of live: Int, rest: Int) -> Int {
    live >= 3 ? min(unasked, max(1, rest / 2)) : unasked
  }

  /// Returns how many of a push's operations may be answered by "there is no such row".
  package static func absences(of operations: Int) -> Int {
    max(5, operations * 3 / 10)
  }

  /// How far the clocks of a server's machines may differ: two minutes, in units of 100 ns.
  static let skew = 120 * Timestamp.perSecond

  /// Whether a replica may lack what has been known here since a time; both in seconds since 1970.
  static func mayBeLate(since: Int64, now: Int64) -> Bool {
    (0..<120).contains(now - since)
  }

  /// From so many items on a table is known again by its ids.
  static let recognisable = 10

  static func isNotPulled(_ table: TableName) -> Stop {
    .unsafe(
      "the server gives the rows of \(table) ids of its own, and no pull has read them all:"
        + " new items may be there already",
      ways: ["to read the rows: \(typed: "pull")"])
  }

  static func otherData(_ count: Int, of known: Int, in table: TableName) -> Stop {
    .unsafe(
      "the server has only \(count) of this workspace's \(known) items of \(table):"
        + " it serves other data",
      ways: [
        "to make another workspace: \(typed: "clone", "URL", "DIR")",
        "to see what the server lost: \(typed: "push", "--missing", "-n")",
        "to accept the \(known - count) deletes: \(typed: "pull", "--full", "--max-delete", "\(known - count)")",
      ])
  }

  /// Deletes of the server's, and items that are `leaving` their queries.
  static func pullWouldRemove(
    _ deletes: Int, leaving: Int, of live: Int, in table: TableName, areShown: Bool
  ) -> Stop {
    let count = deletes + leaving
    let look: [Hint] = areShown ? [] : ["to see them: \(typed: "pull", "-n", "-v")"]
    let accept: Hint = "\(typed: "pull", "--max-delete", "\(count)")"
    if leaving == 0 {
      return .unsafe(
        "the server has deleted \(count) of \(live) items of \(table)",
        ways: look + ["to accept the \(count) deletes: \(accept)"])
    }
    let others = deletes == 0 ? "" : ", and the server has deleted \(deletes)"
    return .unsafe(
      "\(leaving) of \(live) items of \(table) are in none of its queries any more\(others)",
      ways: look + ["to remove the \(count) files: \(accept)"])
  }

  static func rowsAreGone(_ count: Int, of operations: Int) -> Stop {
    .unsafe(
      "the server does not have \(count) of the \(operations) rows that a push would change",
      ways: [
        "to see the address: \(typed: "remote")",
        "to read all rows again: \(typed: "pull", "--full")",
        "to see what the server lost: \(typed: "push", "--missing", "-n")",
      ])
  }

  /// The server lacks rows that are known, or has them in states from before; `accepting` is how many a full
  /// pull would take back.
  package static func wentBack(accepting count: Int? = nil) -> Stop {
    guard let count else {
      return wentBack(
        "the server lost rows that this workspace has:"
          + " it was put back from a backup, or another server took over", ["pull", "--full"])
    }
    return wentBack(
      count == 1
        ? "pull --full would put back or remove 1 item that is newer here"
        : "pull --full would put back or remove \(count) items that are newer here",
      ["pull", "--full", "--max-delete", "\(count)"])
  }

  /// The server has another state of a row under the version of the one that is known.
  package static func renumbered(accepting count: Int? = nil) -> Stop {
    wentBack(
      "the server was put back: it gives version numbers out anew",
      ["pull", "--full"] + (count.map { ["--max-delete", "\($0)"] } ?? []))
  }

  private static func wentBack(_ fact: String, _ pull: [String]) -> Stop {
    .unsafe(
      "\(fact); whoever received the newest rows begins",
      ways: [
        "to see them: \(typed: "push", "--missing", "-n")",
        "to send them again: \(typed: "push", "--missing")",
        "to take the server's state: \(typed: pull)",
      ])
  }

  /// A replica may lack what was written a moment ago.
  package static let late = Stop.notSpeaking(
    "a replica may be late: it has an older state than this workspace; try again in 2 minutes")
}
