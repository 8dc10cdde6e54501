import SyncEngine
import SyncModel
import Workspace

/// An item that was edited while others may have changed it.
struct EditedItem {
  let key: ItemKey
  let opened, saved: Item

  enum Outcome {
    /// The edit was applied; the `staying` fields keep the changes of others.
    case taken(ItemChange, staying: [Text])
    /// The edit was not applied: the item is gone, invalid, or changed in the same field.
    case left(String)
  }

  /// Merges the saved item with later changes of the file, field by field.
  func take(to session: inout Session) throws -> Outcome {
    for _ in 0..<Self.attempts {
      let state = try session.workspace.client(key)
      guard case .item(let now, let digest) = state else {
        let what = state == .absent ? "removed" : "changed"
        return .left("\(key) was \(what) while you edited it")
      }
      let merge = FieldMerge(base: opened, client: saved, server: now)
      guard merge.disputed.isEmpty else {
        let names = merge.disputed.map(\.name.string).joined(separator: ", ")
        return .left("\(key) changed while you edited it (\(names))")
      }
      let new = try Session.checked(merge.item, key)
      if try session.workspace.write(new, to: key, expecting: digest) != .changedMeanwhile {
        let staying = Change(from: opened, to: now).names.filter { saved[$0] != new[$0] }
        return .taken(ItemChange(key: key, old: now, new: new), staying: staying)
      }
    }
    return .left("another program keeps changing \(key)")
  }

  /// How often the merge is tried while another program saves the item.
  private static let attempts = 8
}

extension Output {
  /// Warns of fields that others changed while the editor ran.
  func warn(of fields: [Text], stayingIn key: ItemKey) {
    guard !fields.isEmpty else { return }
    warn(
      "\(key): kept the concurrent change of \(fields.map(\.string).joined(separator: ", "))")
  }
}
