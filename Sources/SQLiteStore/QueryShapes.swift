import Synchronization

/// Which queries' statements are kept by each connection: of those that ask as pulls do, the first ones
/// that were met.
///
/// A client can write as many different queries as it likes, and kept statements stay. All pulls
/// together have some ten shapes, so there is room for them.
///
/// A class, because all readers share it.
final class QueryShapes: Sendable {
  /// How many statements a connection keeps for queries.
  static let most = 64

  private let kept = Mutex<Set<String>>([])

  /// Whether the statement of a query is to be kept.
  func keep(_ sql: String) -> Bool {
    kept.withLock { kept in
      if kept.contains(sql) { return true }
      guard kept.count < Self.most else { return false }
      kept.insert(sql)
      return true
    }
  }

  /// How many there are.
  var count: Int { kept.withLock { $0.count } }
}
