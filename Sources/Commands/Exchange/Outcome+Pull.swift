import SyncEngine
import SyncModel

extension Outcome {
  /// Describes an event of a pull; `nil` if there is nothing to print.
  init?(pulled event: Event, title: String?) {
    switch event.what {
    case .added: self.init(verb: "new", key: event.key, title: title)
    case .updated: self.init(verb: "changed", key: event.key, title: title)
    case .removed: self.init(verb: "deleted", key: event.key, title: title)
    case .merged(let report):
      self.init(verb: "merged", key: event.key, title: title)
      remark = report.words
      addMerged(report.fields)
    case .conflict(let conflict):
      self.init(verb: "conflict", key: event.key, title: title, fields: conflict.names)
      members = JSONObject(["kind": conflict.kind.rawValue])
    case .conflictOver: self.init(verb: "settled", key: event.key, title: title)
    case .held: self.init(verb: "held", key: event.key, title: title)
    case .keptOverTombstone: self.init(verb: "kept", key: event.key, title: title)
    case .pushed, .alreadyThere, .rejected, .unknown: return nil
    }
  }

  mutating func addMerged(_ merged: [FieldMerge.Merged]) {
    var sources = JSONObject()
    for field in merged { sources.append(field.name, .string(Text(field.source.rawValue))) }
    members.add(["merged": sources])
  }

  /// Whether the item is printed without `-v`.
  var isNotable: Bool { !["new", "changed", "deleted"].contains { Text($0) == Text(verb) } }

  /// The outcome in the words of a dry run.
  var asPreview: Outcome {
    let present: [Text: String] = [
      "new": "would add", "changed": "would change", "deleted": "would delete",
      "merged": "would merge", "conflict": "would conflict", "settled": "would settle",
      "held": "would hold", "kept": "would keep", "quarantined": "would quarantine",
      "created": "would create", "updated": "would update", "undeleted": "would undelete",
    ]
    var outcome = self
    outcome.verb = present[Text(verb)] ?? "would \(verb)"
    return outcome
  }
}

extension MergeReport {
  /// The source of each field, `text: client, notes: server`; after a delete, the side that won.
  var words: String {
    guard fields.isEmpty else {
      return fields.map { "\($0.name): \($0.source.rawValue)" }.joined(separator: ", ")
    }
    return (clientLost ? FieldMerge.Source.server : .client).rawValue
  }
}
