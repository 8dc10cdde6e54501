import SyncEngine
import SyncModel

extension Event {
  /// The event in a few words.
  var words: String {
    let told =
      switch what {
      case .pushed(let kind): "pushed \(kind)"
      case .alreadyThere(let kind): "already \(kind)"
      case .found: "found"
      case .added: "added"
      case .updated: "updated"
      case .removed: "removed"
      case .left: "left"
      case .merged: "merged"
      case .conflict(let conflict): "conflict \(conflict.kind.rawValue)"
      case .conflictOver: "conflict over"
      case .rejected(let rejection): "rejected \(rejection.refusal.status ?? 200)"
      case .waits(let refusal): "waits \(refusal.status ?? 200)"
      case .unknown: "unknown"
      case .cut: "cut"
      case .held: "held"
      }
    return "\(key.id) \(told)"
  }
}

extension Survey.Standing {
  /// How an item stands, in a few words.
  var words: String {
    switch self {
    case .pending(let operation): "pending \(operation.kind)"
    case .behind(let operation, let successor): "\(operation.kind) waits for \(successor.id)"
    case .rejected(let operation, let rejection):
      "rejected \(operation.kind) \(rejection.refusal.status ?? 200)"
    case .unknown(let attempt): "unknown \(attempt.kind)"
    case .conflict(let conflict): "conflict \(conflict.kind.rawValue)"
    case .invalid(let invalid): "invalid \(invalid.place)"
    case .moved(let place): "moved to \(place)"
    }
  }
}

extension PushReport {
  /// The events in a few words each.
  var words: [String] { events.map(\.words) }

  /// How many writes the server has done.
  var pushed: Int { events.count { [.pushed, .found].contains($0.kind) } }
  /// How many writes the server refused.
  var rejected: Int { events.count { $0.kind == .rejected } }
  /// How many conflicts were found.
  var conflicts: Int { events.count { $0.kind == .conflict } }
}

extension PullReport {
  /// The events in a few words each.
  var words: [String] { events.map(\.words) }

  /// How many items are new here.
  var added: Int { counts[.added, default: 0] }
  /// How many items were changed here.
  var updated: Int { counts[.updated, default: 0] }
  /// How many items were removed here.
  var removed: Int { counts[.removed, default: 0] }
  /// How many conflicts were found.
  var conflicts: Int { counts[.conflict, default: 0] }
}

extension Item {
  /// Reads the fields of an item from an object's text.
  init(text: String) throws {
    self.init(try JSON(parsing: Array(text.utf8)).object ?? JSONObject())
  }
}
