import SyncEngine
import SyncModel

extension Survey {
  /// The entries of items.
  var byKey: [ItemKey: Entry] {
    Dictionary(entries.compactMap { entry in entry.key.map { ($0, entry) } }) { $1 }
  }
}

extension Survey.Entry {
  /// The fault of an invalid file.
  var invalid: InvalidItem? {
    guard case .invalid(let invalid) = standing else { return nil }
    return invalid
  }

  /// The place of an invalid file, or of the file that the item was moved to.
  var place: String? {
    if case .moved(let place) = standing { return place }
    return invalid?.place
  }

  var table: Text? {
    key?.table.text ?? place.map { Text(PathName.split(PathName.split($0).directory).name) }
  }
}

extension Session {
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
