import SyncEngine
import SyncModel

/// What a pull did to single items, for people and programs.
extension Deed {
  /// Describes something that came from the server; `nil` where there is nothing to say of it.
  init?(pulled event: Event, title: String?) {
    switch event.what {
    case .added: self.init(did: "new", key: event.key, title: title)
    case .updated: self.init(did: "changed", key: event.key, title: title)
    case .removed: self.init(did: "deleted", key: event.key, title: title)
    case .merged(let report):
      self.init(did: "merged", key: event.key, title: title)
      remark = report.words
      addMerged(report.fields)
    case .conflict(let conflict):
      self.init(did: "conflict", key: event.key, title: title, fields: conflict.names)
      members = [.init(name: "kind", value: .string(conflict.kind.rawValue))]
    case .conflictOver: self.init(did: "settled", key: event.key, title: title)
    case .held: self.init(did: "held", key: event.key, title: title)
    case .keptOverTombstone: self.init(did: "kept", key: event.key, title: title)
    case .pushed, .alreadyThere, .rejected, .unknown: return nil
    }
  }

  /// Adds what was merged to the object for programs.
  mutating func addMerged(_ merged: [FieldMerge.Merged]) {
    let sources = merged.map {
      JSONObject.Member(name: $0.name, value: .string($0.source.rawValue))
    }
    members.append(.init(name: "merged", value: .object(JSONObject(sources))))
  }

  /// Whether the item wants to be known of, though nobody asked for every item.
  var isNotable: Bool { !["new", "changed", "deleted"].contains { Text($0) == Text(did) } }

  /// Returns the deed as something that would be done.
  var foretold: Deed {
    let present: [Text: String] = [
      "new": "would add", "changed": "would change", "deleted": "would delete",
      "merged": "would merge", "conflict": "would conflict", "settled": "would settle",
      "held": "would hold", "kept": "would keep", "quarantined": "would quarantine",
      "created": "would create", "updated": "would update", "undeleted": "would undelete",
    ]
    var deed = self
    deed.did = present[Text(did)] ?? "would \(did)"
    return deed
  }
}

extension MergeReport {
  /// Where each field was taken from, `text: client, notes: server`; of an item that one side has deleted,
  /// which side stands.
  var words: String {
    guard fields.isEmpty else {
      return fields.map { "\($0.name): \($0.source.rawValue)" }.joined(separator: ", ")
    }
    return (clientLost ? FieldMerge.Source.server : .client).rawValue
  }
}
