package import SyncModel

/// How a page is found by a store whose SQL is fixed: what an index serves, and what is asked of each row.
package struct FilterPlan: Hashable, Sendable {
  /// The rows that are looked at.
  package enum Source: Hashable, Sendable {
    /// The rows of these ids.
    case ids([ItemID])
    /// All rows, by id.
    case byID
    /// The rows that were last written within some moments, by these, in milliseconds since 1970.
    case byMoment(ClosedRange<Int64>, isDescending: Bool)
    /// None.
    case none
  }

  /// The rows that are looked at, in their order.
  package private(set) var source = Source.byID
  /// What else must hold for a row.
  package private(set) var rest: [ODataFilter] = []
  /// The order that is wanted; empty where the rows come in it.
  package private(set) var order: [PageRequest.Order]

  /// Plans a page.
  package init(_ request: PageRequest) {
    order = request.order
    var (moments, ids): (ClosedRange<Int64>, [ItemID]?) = (Int64.min...Int64.max, nil)
    for part in request.filter?.parts ?? [] {
      if ids == nil, let found = part.ids {
        ids = found
      } else if let range = part.moments {
        guard range.overlaps(moments) else {
          source = .none
          return
        }
        moments = range.clamped(to: moments)
      } else {
        rest.append(part)
      }
    }
    let isAll = moments == Int64.min...Int64.max
    let first = order.first
    if let ids {
      source = .ids(Set(ids).sorted())
      if !isAll { rest.append(.all(Self.within(moments))) }
    } else if !isAll || first?.column == .updatedAt {
      // No two rows share the moment: what else is ordered by doesn't count.
      let isOrdered = first?.column == .updatedAt
      source = .byMoment(moments, isDescending: isOrdered && first?.isDescending == true)
      if isOrdered { order = [] } else if order.isEmpty { order = [.init(.id)] }
      return
    }
    if first == nil || first == .init(.id) { order = [] }
  }

  private static func within(_ moments: ClosedRange<Int64>) -> [ODataFilter] {
    [
      .compare(.column(.updatedAt), .greaterOrEqual, .literal(.integer(moments.lowerBound))),
      .compare(.column(.updatedAt), .lessOrEqual, .literal(.integer(moments.upperBound))),
    ]
  }
}

extension ODataFilter {
  /// The conditions that must all hold.
  package var parts: [ODataFilter] {
    guard case .all(let conditions) = self else { return [self] }
    return conditions.flatMap(\.parts)
  }

  /// The only ids for which it holds; `nil` where that can't be said so.
  fileprivate var ids: [ItemID]? {
    switch self {
    case .compare(.column(.id), .equal, .literal(.text(let text))),
      .compare(.literal(.text(let text)), .equal, .column(.id)):
      (try? ItemID(text)).map { [$0] } ?? []
    case .any(let conditions):
      conditions.reduce([]) { ids, condition in
        condition.ids.flatMap { more in ids.map { $0 + more } }
      }
    default: nil
    }
  }

  /// The moments of `updatedAt` for which it holds; `nil` where that can't be said so.
  fileprivate var moments: ClosedRange<Int64>? {
    guard case .compare(.column(.updatedAt), let comparison, .literal(.integer(let moment))) = self
    else { return nil }
    switch comparison {
    case .equal: return moment...moment
    case .greaterOrEqual: return moment...Int64.max
    case .greater: return moment == .max ? nil : (moment + 1)...Int64.max
    case .lessOrEqual: return Int64.min...moment
    case .less: return moment == .min ? nil : Int64.min...(moment - 1)
    case .notEqual: return nil
    }
  }
}
