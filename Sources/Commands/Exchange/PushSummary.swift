import SyncEngine
import SyncModel

/// What the pushes of a command did.
struct PushSummary {
  /// The outcomes of all pushes: one for each item and push, in the order of the changes.
  var outcomes: [Outcome] = []
  /// The conflicts that the last push has found or repeated.
  var conflicts = 0
  /// The changes that wait after the last push.
  var unsent = 0
  /// The items that the server keeps until it has what they have become.
  var pendingDeletes: [ItemKey: ItemKey] = [:]

  /// The members of `tsync.push/1`.
  var json: JSONObject {
    let counts = [Event.Kind: Int](outcomes)
    return JSONObject([
      "items": outcomes, "pushed": counts[.pushed, default: 0] + counts[.found, default: 0],
      "conflicts": conflicts, "rejected": counts[.rejected, default: 0],
      "cut": counts[.cut, default: 0], "unknown": counts[.unknown, default: 0],
      "held": counts[.held, default: 0], "waiting": unsent,
    ])
  }
}
