package import SyncModel

/// What the server asks of the place where rows are kept.
///
/// Every store passes the same suite of tests.
package protocol ItemStore: Sendable {
  /// What this set of tables is called for ever: a UUID, made with the store.
  ///
  /// Clients that meet another one than they knew don't trust what they know.
  var dataset: Text { get }

  /// Returns a row, tombstones included; `nil` where there is none.
  ///
  /// - Throws: Whatever keeps the store from being read.
  func row(_ id: ItemID, in scope: Scope) async throws -> StoredRow?

  /// Returns the rows of a page, in the order asked for.
  ///
  /// - Throws: Whatever keeps the store from being read.
  func page(_ request: PageRequest, of scope: Scope) async throws -> Page

  /// Carries out writes, all or none, as a ``WriteGroup`` decides them; ``GroupCommit`` gathers them.
  ///
  /// When this returns they are durable. Their stamps are later than that of every row whose write
  /// was visible before: commits of a scope and their `updatedAt` have the same order.
  ///
  /// - Throws: Whatever keeps the store from being written; the rows are then as they were.
  func transaction(_ writes: [ScopedWrite]) async throws -> [WriteOutcome]

  /// Returns the stamp of the last write to each scope.
  ///
  /// - Throws: Whatever keeps the store from being read.
  func stamps() async throws -> [Scope: Stamp]

  /// Returns the next rows of a scope by their ids, tombstones included: some, or none at the end.
  ///
  /// - Throws: Whatever keeps the store from being read.
  func rows(after id: Text, of scope: Scope) async throws -> [ReadRow]

  /// Returns what may be done with the store now.
  ///
  /// - Throws: Whatever keeps the store from being read.
  func state() async throws -> StoreState

  /// Closes the store; nothing may be asked of it afterwards.
  ///
  /// - Throws: Whatever keeps it from being closed.
  func close() async throws
}

/// A row that was read for itself, or what is wrong with it.
package typealias ReadRow = (id: Text, row: Result<StoredRow, StoreDamage>)

/// Which rows of a table are wanted.
package struct PageRequest: Hashable, Sendable {
  /// The condition on them; `nil` for all.
  package var filter: ODataFilter?
  /// What they are ordered by; equal ones by id, bytewise.
  package var order: [Order] = []
  /// How many rows are passed over.
  package var offset = 0
  /// How many rows are wanted at most.
  package var limit = ServedLimits.top
  /// Whether tombstones count as rows.
  package var includesDeleted = false
  /// Whether the number of all matching rows is wanted.
  package var countsAll = false

  /// One column to order by.
  package struct Order: Hashable, Sendable {
    /// The column.
    package var column: RowColumn
    /// Whether the last comes first.
    package var isDescending = false

    package init(_ column: RowColumn, isDescending: Bool = false) {
      self.column = column
      self.isDescending = isDescending
    }
  }

  /// Asks for the first rows by id.
  package init() {}
}

/// The rows that were asked for, as their stored texts.
package struct Page: Hashable, Sendable {
  /// The texts, one after another.
  private var bytes: [UInt8] = []
  /// Where each of them ends.
  private var ends: [Int] = []
  /// How many rows match in all; `nil` where nobody asked.
  package var total: Int?
  /// Whether rows are missing that were asked for, because the page became too large.
  package private(set) var isCut = false

  /// Makes an empty page.
  ///
  /// `rows` is how many rows of some hundred bytes are expected.
  package init(expecting rows: Int, total: Int?) {
    bytes.reserveCapacity(min(rows, ServedLimits.top) * 512)
    self.total = total
  }

  /// Adds a row's text; answers whether there was room for it: a page ends at
  /// ``ServedLimits/page`` bytes, but has one row at least.
  package mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.isEmpty || bytes.count + text.count <= ServedLimits.page else {
      isCut = true
      return false
    }
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
    return true
  }

  /// How many rows there are.
  package var count: Int { ends.count }

  /// How many bytes the rows have.
  package var size: Int { bytes.count }

  /// Takes the last row away.
  package mutating func removeLast() {
    ends.removeLast()
    bytes.removeLast(bytes.count - (ends.last ?? 0))
  }

  /// Calls a closure with each text in turn.
  ///
  /// - Throws: What the closure throws.
  package func forEach(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      for end in ends {
        try body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }
}
