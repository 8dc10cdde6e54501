package import SyncModel

/// The writes of one transaction: what a store reads for them, and what they come to.
package struct WriteGroup: Sendable {
  /// A row of a scope.
  package struct Key: Hashable, Sendable {
    /// The rows among which it is.
    package let scope: Scope
    /// Its id.
    package let id: ItemID
  }

  /// A row that is to be stored.
  package struct Change: Sendable {
    /// Where it belongs.
    package let scope: Scope
    /// The version that is stored now; `nil` where the row is new.
    package let old: Version?
    /// The row as it is stored then.
    package let row: StoredRow
  }

  /// What the writes come to.
  package struct Result: Sendable {
    /// What became of each write.
    package fileprivate(set) var outcomes: [WriteOutcome] = []
    /// The rows that are to be stored, each once, in the order of their first writes.
    package fileprivate(set) var changes: [Change] = []
    /// The stamps that the scopes have reached which have changes.
    package fileprivate(set) var stamps: [Scope: Stamp] = [:]
  }

  private let writes: [ScopedWrite]
  /// The scopes, each once, in the order in which their clocks are locked.
  package let scopes: [Scope]
  /// The rows, each once, in the order of their first writes.
  package let keys: [Key]

  /// Takes writes that are carried out one after another.
  package init(_ writes: [ScopedWrite]) {
    self.writes = writes
    scopes = Set(writes.map(\.scope)).sorted()
    var seen: Set<Key> = []
    keys = writes.map(\.key).filter { seen.insert($0).inserted }
  }

  /// Decides what becomes of the writes, each over what those before it have made.
  ///
  /// `rows` are the stored ones of ``keys``, `stamps` those of the last writes; `now` and `salt` are asked for
  /// each write.
  ///
  /// - Throws: `StoreDamage` where a stored text is no JSON, or what `rows` throws.
  package func result(
    over stamps: [Scope: Stamp], now: () -> Moment, salt: () -> UInt32,
    rows stored: (Key) throws -> StoredRow?
  ) throws -> Result {
    var (result, rows): (Result, [Key: StoredRow]) = (Result(), [:])
    let known = try keys.reduce(into: [:]) { $0[$1] = try stored($1) }
    for write in writes {
      let key = write.key
      let last = result.stamps[key.scope] ?? stamps[key.scope] ?? .first
      let stamp = last.next(at: now(), salt: salt())
      let outcome = try write.write.outcome(for: rows[key] ?? known[key], stamp: stamp)
      result.outcomes.append(outcome)
      guard let row = outcome.stored else { continue }
      rows[key] = row
      result.stamps[key.scope] = stamp
    }
    result.changes = keys.compactMap { key in
      rows[key].map { Change(scope: key.scope, old: known[key]?.version, row: $0) }
    }
    return result
  }
}

extension ScopedWrite {
  fileprivate var key: WriteGroup.Key { .init(scope: scope, id: write.id) }
}
