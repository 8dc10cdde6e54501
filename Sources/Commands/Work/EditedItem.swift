import SyncEngine
import SyncModel
import Workspace

/// What an editor has made of an item, while others may have changed it.
struct EditedItem {
  /// Which item.
  let key: ItemKey
  /// The item as the editor got it, and as it came back.
  let opened, saved: Item

  /// What became of it.
  enum Outcome {
    /// It was taken over, and these fields are as others have made them meanwhile.
    case taken(ItemChange, staying: [Text])
    /// The item stays as others have made it: gone, not valid, or with a field that was changed on both
    /// sides; in words for people.
    case left(String)
  }

  /// Takes over what was saved, field by field beside what the item has become meanwhile.
  ///
  /// - Throws: ``Failure``, ``WorkspaceError``.
  func take(to open: inout OpenWorkspace) throws -> Outcome {
    for _ in 0..<Self.attempts {
      let state = try open.workspace.client(key)
      guard case .item(let now, let digest) = state else {
        let what = state == .absent ? "removed" : "changed"
        return .left("\(key) was \(what) while you edited it")
      }
      let merge = FieldMerge(base: opened, client: saved, server: now)
      guard merge.disputed.isEmpty else {
        let names = merge.disputed.map(\.name.string).joined(separator: ", ")
        return .left("\(key) changed while you edited it (\(names))")
      }
      let new = try OpenWorkspace.checked(merge.item, key)
      if try open.workspace.write(new, to: key, expecting: digest) != .changedMeanwhile {
        let staying = Change(from: opened, to: now).names.filter { saved[$0] != new[$0] }
        return .taken(ItemChange(key: key, old: now, new: new), staying: staying)
      }
    }
    return .left("another program keeps changing \(key)")
  }

  /// How often it is taken over anew where the item is being saved at the same moment.
  private static let attempts = 8
}

extension Output {
  /// Says what others have changed of an item while an editor ran.
  func warn(of fields: [Text], stayingIn key: ItemKey) {
    guard !fields.isEmpty else { return }
    warn(
      "\(key): kept the concurrent change of \(fields.map(\.string).joined(separator: ", "))")
  }
}
