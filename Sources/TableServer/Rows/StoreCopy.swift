import Crypto
import FoundationEssentials
import SyncModel

/// A store that can be copied into another one.
package protocol CopiedStore: ItemStore, TokenStore {
  /// Gives it a state in place of the one that it has; when this returns, no write of rows is under way that
  /// has seen the former one.
  ///
  /// - Throws: ``StoreCopy/Refusal/changed`` where its state is not `old`, or what keeps it from being
  ///   written.
  func become(_ state: StoreState, from old: StoreState) async throws

  /// Removes all rows, stamps and tokens of a store that has a state.
  ///
  /// - Throws: As ``become(_:from:)``.
  func removeAll(in state: StoreState) async throws

  /// Adds rows as they are, and the stamp of their scope's last write, to a store that has a state.
  ///
  /// - Throws: As ``become(_:from:)``.
  func fill(_ rows: [StoredRow], of scope: Scope, stamp: Stamp, in state: StoreState) async throws
}

/// Copies a store into another one, while servers may use both.
///
/// ```
///   source: open → moving → moved
///   target:        copying          → open
/// ```
///
/// At no time are both open, nor is the source read when the target is open. Each step takes the place of the
/// one before it or fails, so that of two runs one is refused. Wherever it ends, running it again completes it.
package struct StoreCopy: Sendable {
  /// Why a store can't be copied into another one.
  package enum Refusal: Error, Hashable, Sendable {
    /// The target is a store of its own, or was made for another copy.
    case targetIsUsed
    /// The source was copied, is copied into another store, or is itself being filled.
    case sourceIsNotOpen(StoreState)
    /// Another command has changed the state of a store.
    case changed
    /// What was read of the target is not what was read of the source.
    case differs
  }

  private let source: any CopiedStore
  private let target: any CopiedStore

  /// Copies `source` into `target`, which was made for it with the same dataset.
  package init(_ source: any CopiedStore, to target: any CopiedStore) {
    (self.source, self.target) = (source, target)
  }

  /// Returns the state of a store that is made for a copy.
  package static func beginning() -> StoreState { .copying(chance(), run: chance()) }

  private static func chance() -> Text { Text(UUID().uuidString.lowercased()) }

  /// Carries it out, and returns how many rows the target has.
  ///
  /// - Throws: ``Refusal``, `StoreDamage` of a row that can't be copied, or what a store throws.
  package func run() async throws -> Int {
    let (state, former) = (try await source.state(), try await target.state())
    guard source.dataset == target.dataset, case .copying(let copy, _) = former else {
      if case .moved = state { throw Refusal.sourceIsNotOpen(state) }
      throw Refusal.targetIsUsed
    }
    guard [.open, .moving(copy), .moved(copy)].contains(state) else {
      throw Refusal.sourceIsNotOpen(state)
    }
    let run = StoreState.copying(copy, run: Self.chance())
    try await target.become(run, from: former)
    if state == .open { try await source.become(.moving(copy), from: .open) }
    let rows = try await fill(run)
    if state != .moved(copy) { try await source.become(.moved(copy), from: .moving(copy)) }
    try await target.become(.open, from: run)
    return rows
  }

  private func fill(_ run: StoreState) async throws -> Int {
    try await target.removeAll(in: run)
    for (scope, stamp) in try await source.stamps() {
      var last: Text = ""
      while true {
        let rows = try await source.rows(after: last, of: scope)
        try await target.fill(rows.map { try $0.row.get() }, of: scope, stamp: stamp, in: run)
        guard let next = rows.last else { break }
        last = next.id
      }
    }
    for token in try await source.tokens() { try await target.add(token) }
    let contents = try await Self.contents(of: target)
    guard try await Self.contents(of: source) == contents else { throw Refusal.differs }
    return contents.rows
  }

  private struct Contents: Equatable {
    var rows = 0
    var stamps: [Scope: Stamp]
    var tokens: [AccessToken]
    var digest: SHA256.Digest
  }

  private static func contents(of store: any CopiedStore) async throws -> Contents {
    var (count, hash) = (0, SHA256())
    let stamps = try await store.stamps()
    for scope in stamps.keys.sorted() {
      hash.update(data: Array("\(scope.table)/\(scope.owner)\0".utf8))
      var last: Text = ""
      while let rows = try await store.rows(after: last, of: scope).nonEmpty {
        for (id, row) in rows {
          hash.update(data: RowText(try row.get()).bytes + [0])
          last = id
        }
        count += rows.count
      }
    }
    return Contents(
      rows: count, stamps: stamps,
      tokens: try await store.tokens().sorted { $0.digest.lexicographicallyPrecedes($1.digest) },
      digest: hash.finalize())
  }
}

extension Array {
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
