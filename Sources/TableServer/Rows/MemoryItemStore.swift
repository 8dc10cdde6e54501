import FoundationEssentials
package import SyncModel

/// A store that forgets: the twin of the ones with a disk, and what `--store memory` serves from.
package actor MemoryItemStore: ItemStore {
  package let dataset: Text

  private struct Table {
    var rows: [ItemID: StoredRow] = [:]
    var stamp = Stamp(moment: Moment(milliseconds: 0), count: 0)
  }

  private var tables: [TableName: Table] = [:]
  private let now: @Sendable () -> Moment
  private let salt: @Sendable () -> UInt32

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - now: The clock.
  ///   - salt: Where each write's ``Stamp/salt`` is from.
  package init(
    now: @escaping @Sendable () -> Moment = { .now },
    salt: @escaping @Sendable () -> UInt32 = Stamp.chance
  ) {
    dataset = Text(UUID().uuidString.lowercased())
    self.now = now
    self.salt = salt
  }

  package func row(_ id: ItemID, in table: TableName) -> StoredRow? {
    tables[table]?.rows[id]
  }

  package func page(_ request: PageRequest, of table: TableName) throws -> Page {
    let rows = try (tables[table]?.rows.values.map { $0 } ?? []).filter { row in
      guard request.includesDeleted || !row.isDeleted else { return false }
      return try request.filter?.holds(for: row) ?? true
    }
    let sorted = try Self.sorted(rows, by: request.order)
    let chosen = sorted.dropFirst(request.offset).prefix(request.limit)
    var page = Page(expecting: chosen.count, total: request.countsAll ? sorted.count : nil)
    for row in chosen {
      guard RowText(row).bytes.withUnsafeBufferPointer({ page.append($0) }) else { break }
    }
    return page
  }

  private static func sorted(
    _ rows: [StoredRow], by order: [PageRequest.Order]
  ) throws -> [StoredRow] {
    // The order of every pull; no two rows share the moment.
    if order.first == PageRequest.Order(.updatedAt) {
      return rows.sorted { $0.updatedAt < $1.updatedAt }
    }
    let keyed = try rows.map { row in
      var subject = FilterSubject(row: row)
      return (keys: try order.map { try subject.value(of: $0.column) }, row: row)
    }
    return keyed.sorted { one, other in
      for (index, order) in order.enumerated() where one.keys[index] != other.keys[index] {
        return (one.keys[index] < other.keys[index]) != order.isDescending
      }
      return one.row.id < other.row.id
    }.map(\.row)
  }

  package func write(_ write: RowWrite, in table: TableName) throws -> WriteOutcome {
    let stamp = (tables[table]?.stamp ?? Table().stamp).next(at: now(), salt: salt())
    let outcome = try write.outcome(for: tables[table]?.rows[write.id], stamp: stamp)
    if let row = outcome.stored {
      tables[table, default: Table()].rows[row.id] = row
      tables[table, default: Table()].stamp = stamp
    }
    return outcome
  }

  package func close() {}
}
