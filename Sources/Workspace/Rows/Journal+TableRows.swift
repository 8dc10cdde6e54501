import SyncEngine
import SyncModel

extension Journal: TableRows {
  var state: TableState { rows.state }

  func forEachID(_ kind: TableLine, _ body: (UnsafeRawBufferPointer) -> Void) {
    switch kind {
    case .live: rows.forEach { id, entry in if !entry.isTombstone { body(id) } }
    case .tombstone: rows.forEach { id, entry in if entry.isTombstone { body(id) } }
    case .arrival:
      for place in rows.arrivals.places where rows.arrivals[place] != nil {
        rows.arrivals.withName(place, body)
      }
    case .attempt: for id in rows.open.attempts.keys { id.withBytes(body) }
    case .refusal: for id in rows.open.refusals.keys { id.withBytes(body) }
    }
  }
}
