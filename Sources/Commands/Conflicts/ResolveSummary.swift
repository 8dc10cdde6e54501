import SyncEngine
import SyncModel

/// The results of a round of resolving, each printed as it comes.
struct ResolveSummary {
  let names: ItemNames
  private let printer: Printer
  private(set) var resolved = 0
  /// The items that a push has to send: the resolved ones, and those that keep a second version.
  private(set) var made: Set<ItemKey> = []
  private(set) var left: Set<ItemKey> = []
  private var outcomes: [Outcome] = []

  init(_ names: ItemNames, _ printer: Printer) {
    (self.names, self.printer) = (names, printer)
  }

  /// Adds a resolved conflict; it made the items, which a push has to send.
  mutating func resolve(_ outcome: Outcome, making items: Set<ItemKey>) {
    add(outcome)
    resolved += 1
    made.formUnion(items)
  }

  /// Adds a conflict that stays open; `nil` if it can't be read.
  mutating func leave(_ key: ItemKey, _ conflict: Conflict?) {
    let title = names.title(of: conflict?.shown)
    add(Outcome(verb: "left", key: key, title: title, fields: conflict?.names ?? []))
    left.insert(key)
  }

  mutating func add(_ outcome: Outcome) {
    printer.item(outcome.line(names), isWell: outcome.isWell)
    outcomes.append(outcome)
  }

  /// The members of `tsync.resolve/1`.
  var json: JSONObject {
    JSONObject(["items": outcomes, "resolved": resolved, "left": left.count])
  }

  /// The summary, such as `2 resolved, 1 left`.
  var words: String {
    let parts = [(resolved, "resolved"), (left.count, "left")].filter { $0.0 > 0 }
    return parts.isEmpty
      ? "nothing to resolve" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
