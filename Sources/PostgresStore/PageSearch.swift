import SyncModel
import TableServer

/// Finds the rows of a page: what an index serves comes in chunks, and the rest is asked of each row.
struct PageSearch {
  private let plan: FilterPlan
  private let request: PageRequest
  private let scope: Scope
  private let end: ContinuousClock.Instant
  /// The rows that match, in another order than they come in; the last ones go once there are too many.
  private var sorted: [(keys: [FilterValue], row: StoredRow)] = []
  private var matching = 0
  private var page: Page

  /// Begins a search; after `end` it is given up.
  init(
    _ plan: FilterPlan, _ request: PageRequest, _ scope: Scope, end: ContinuousClock.Instant
  ) {
    (self.plan, self.request, self.scope, self.end) = (plan, request, scope, end)
    page = Page(expecting: request.limit, total: nil)
  }

  /// Returns the page.
  ///
  /// - Throws: `TableError.queryTooLong`, `StoreDamage`, ``PostgresFault``.
  mutating func page(on lane: PostgresLane) throws -> Page {
    (sorted, matching, page) = ([], 0, Page(expecting: request.limit, total: nil))
    var isFull = false
    let (table, owner) = (scope.table.text.string, scope.owner.string)
    let deleted = "\(mostDeleted)"
    switch plan.source {
    case .none: break
    case .ids(let ids):
      for start in stride(from: 0, to: ids.count, by: 100) where !isFull {
        let found = try lane.send(
          ids[start..<min(start + 100, ids.count)].map {
            PostgresCall(.row, table, owner, $0.text.string)
          })
        for rows in found where !isFull { isFull = try take(rows) }
      }
    case .byID:
      var last = ""
      try inChunks { size in
        let rows = try lane.send(
          .byID, table, owner, last, deleted, "\(size)")
        if rows.count > 0 { last = rows.text(rows.count - 1, 0) ?? "" }
        return rows
      }
    case .byMoment(let moments, let isDown):
      var (first, last) = (moments.lowerBound, moments.upperBound)
      try inChunks { size in
        let rows = try lane.send(
          isDown ? .byMomentDown : .byMoment, table, owner,
          "\(first)", "\(last)", deleted, "\(size)")
        if rows.count > 0, let moment = rows.number(rows.count - 1, 2) {
          if isDown { last = moment - 1 } else { first = moment + 1 }
        }
        return rows
      }
    }
    sort()
    for (_, row) in sorted.dropFirst(request.offset).prefix(request.limit) {
      guard RowText(row).bytes.withUnsafeBufferPointer({ page.append($0) }) else { break }
    }
    if request.countsAll { page.total = try total(on: lane) }
    return page
  }

  /// Whether the database counts the rows.
  private var isCounted: Bool {
    switch plan.source {
    case .byID, .byMoment: plan.rest.isEmpty
    case .ids, .none: false
    }
  }

  private func total(on lane: PostgresLane) throws -> Int {
    guard isCounted else { return matching }
    var moments = Int64.min...Int64.max
    if case .byMoment(let range, _) = plan.source { moments = range }
    let rows = try lane.send(
      .countByMoment, scope.table.text.string, scope.owner.string, "\(moments.lowerBound)",
      "\(moments.upperBound)", "\(mostDeleted)")
    return Int(rows.number(0, 0) ?? 0)
  }

  private var mostDeleted: Int { request.includesDeleted ? 1 : 0 }

  /// Takes chunks until one isn't full, or nothing more is wanted.
  private mutating func inChunks(_ read: (Int) throws -> PostgresRows) throws {
    var size = 64
    while true {
      let rows = try read(size)
      if try take(rows) || rows.count < size { return }
      // As many as fit a page, if they are as large as these.
      let bytes = (0..<size).reduce(1) { $0 + (rows.bytes($1, 5)?.count ?? 0) }
      size = max(1, min(ServedLimits.top, size * ServedLimits.page / bytes))
    }
  }

  /// Takes the rows of a chunk; answers whether no more are wanted.
  private mutating func take(_ rows: PostgresRows) throws -> Bool {
    for index in 0..<rows.count {
      guard ContinuousClock.now < end else { throw TableError.queryTooLong }
      guard request.includesDeleted || rows.text(index, 4) == "0" else { continue }
      let isPlain = plan.rest.isEmpty && plan.order.isEmpty
      let row = try isPlain ? nil : rows.storedRow(index)
      if let row, try !plan.rest.allSatisfy({ try $0.holds(for: row) }) { continue }
      matching += 1
      if plan.order.isEmpty {
        if let text = rows.bytes(index, 5), add(text) { return true }
      } else if let row {
        var subject = FilterSubject(row: row)
        sorted.append((try plan.order.map { try subject.value(of: $0.column) }, row))
        if sorted.count >= 2 * (request.offset + request.limit) + 64 { sort() }
      }
    }
    return false
  }

  /// Takes a row that comes in its place; answers whether no more are wanted.
  private mutating func add(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard matching > request.offset else { return false }
    let isTaken = page.count < request.limit && !page.isCut && page.append(text)
    return (isCounted || !request.countsAll) && (!isTaken || page.count == request.limit)
  }

  /// Puts the rows in order, and leaves those that are wanted.
  private mutating func sort() {
    let wanted = plan.order
    sorted.sort { one, other in
      for (index, order) in wanted.enumerated() where one.keys[index] != other.keys[index] {
        return (one.keys[index] < other.keys[index]) != order.isDescending
      }
      return one.row.id < other.row.id
    }
    sorted = Array(sorted.prefix(request.offset + request.limit))
  }
}
