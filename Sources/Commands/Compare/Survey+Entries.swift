import SyncEngine
import SyncModel

extension Survey {
  /// The entries of items.
  var byKey: [ItemKey: Entry] {
    Dictionary(entries.compactMap { entry in entry.key.map { ($0, entry) } }) { $1 }
  }

  /// Returns the entries of the selected items; `nil` selects all entries.
  func entries(of selection: Set<ItemKey>?) -> [Entry] {
    guard let selection else { return entries }
    return entries.filter { $0.key.map(selection.contains) ?? false }
  }
}

extension Survey.Entry {
  /// The fault of an invalid file.
  var invalid: InvalidItem? {
    guard case .invalid(let invalid) = standing else { return nil }
    return invalid
  }

  /// Two letters: the change here, and the change on the server.
  var letters: String {
    switch standing {
    case .conflict(let conflict): conflict.letters
    case .rejected: "R "
    case .unknown: "? "
    case .invalid, .moved: "!!"
    case .pending(let operation), .behind(let operation, _): "\(operation.letter) "
    }
  }

  /// The fields that an update changes, or that are in conflict.
  var fields: [Text] {
    if case .conflict(let conflict) = standing { return conflict.names }
    return operation.map { $0.kind == .update ? $0.change.names : [] } ?? []
  }
}

extension Operation {
  fileprivate var letter: String {
    switch kind {
    case .insert, .undelete: "A"
    case .update: "M"
    case .delete: "D"
    }
  }
}

extension Session {
  /// Returns the states of the items that differ from their bases; conflicts as they are to be resolved.
  func survey() throws -> Survey { try Survey(of: tables, on: workspace, settings: settings) }

  /// Warns of the deletes that wait while their tables have stray files, a line for each table.
  func warnOfWaitingDeletes(_ survey: Survey, _ selection: Set<ItemKey>?, _ status: ExitStatus) {
    let strays = survey.entries(of: selection).compactMap(\.stray)
    for (stray, deletes) in Dictionary(grouping: strays, by: \.self).sorted(by: { $0.key < $1.key })
    {
      let fact: Hint =
        deletes.count == 1
        ? "1 delete waits: \(place: stray) may be it"
        : "\(deletes.count) deletes wait: \(place: stray) may be one of them"
      let hint: Hint =
        "to see them, and to delete them all the same: \(typed: "journal"); then \(typed: "rm", "REF")"
      context.printer.warn(Problem(status, fact, hints: [hint]))
    }
  }
}

extension Printer {
  func showInvalid(_ survey: Survey) { survey.entries.compactMap(\.invalid).forEach(warn) }
}

extension Row {
  /// The row's item; `nil` if it is deleted.
  var liveItem: Item? { deleted ? nil : item }
}
