import FoundationEssentials
import SyncModel
import TableServer

/// A plain store, which the others must be like.
actor MemoryItemStore: ItemStore {
  let dataset: Text

  private struct Table {
    var rows: [ItemID: StoredRow] = [:]
    var stamp = Stamp.first
  }

  private var scopes: [Scope: Table] = [:]
  private let now: @Sendable () -> Moment
  private let salt: @Sendable () -> UInt32

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - now: The clock.
  ///   - salt: Where each write's ``Stamp/salt`` is from.
  init(
    now: @escaping @Sendable () -> Moment = { .now },
    salt: @escaping @Sendable () -> UInt32 = Stamp.chance
  ) {
    dataset = Text(UUID().uuidString.lowercased())
    self.now = now
    self.salt = salt
  }

  func row(_ id: ItemID, in scope: Scope) -> StoredRow? {
    scopes[scope]?.rows[id]
  }

  func page(_ request: PageRequest, of scope: Scope) throws -> Page {
    let rows = try (scopes[scope]?.rows.values.map { $0 } ?? []).filter { row in
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

  func transaction(_ writes: [ScopedWrite]) throws -> [WriteOutcome] {
    let result = try WriteGroup(writes).result(
      over: scopes.mapValues(\.stamp), now: now, salt: salt
    ) { scopes[$0.scope]?.rows[$0.id] }
    for change in result.changes {
      scopes[change.scope, default: Table()].rows[change.row.id] = change.row
    }
    for (scope, stamp) in result.stamps { scopes[scope, default: Table()].stamp = stamp }
    return result.outcomes
  }

  func stamps() -> [Scope: Stamp] { scopes.mapValues(\.stamp) }

  func rows(after id: Text, of scope: Scope) -> [ReadRow] {
    (scopes[scope]?.rows.values.filter { $0.id.text > id } ?? []).sorted { $0.id < $1.id }
      .map { ($0.id.text, .success($0)) }
  }

  func state() -> StoreState { .open }

  func close() {}
}

/// Tokens that are gone with the process.
actor MemoryTokenStore: TokenStore {
  private var kept: [AccessToken] = []

  /// Makes an empty store.
  init() {}

  func tokens() -> [AccessToken] { kept }

  func add(_ token: AccessToken) { kept.append(token) }

  func revoke(_ user: Text, at now: Moment) -> Int {
    var count = 0
    for index in kept.indices where kept[index].user == user && kept[index].revokedAt == nil {
      kept[index].revokedAt = now
      count += 1
    }
    return count
  }
}
