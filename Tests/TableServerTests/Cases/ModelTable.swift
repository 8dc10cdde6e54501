import SyncModel
import TableServer

/// What a table of version 3 is, said again in as few words as can be: the model that the real
/// server is held to.
struct ModelTable {
  struct Row: Equatable {
    var members: [String: Int?]
    var version: Int64
    var isDeleted = false
  }

  /// What a client asks.
  struct Request {
    enum Verb: String, CaseIterable {
      case get = "GET"
      case insert = "POST"
      case patch = "PATCH"
      case put = "PUT"
      case delete = "DELETE"
      case undelete = "POST id"
    }

    var verb: Verb
    var id: String
    /// The members sent; `nil` as a value is null.
    var members: [String: Int?] = [:]
    /// The version of `If-Match`; 0 for `*`.
    var match: Int64?
    /// The version of `If-None-Match`; 0 for `*`.
    var noneMatch: Int64?
    var seesDeleted = false
    /// Whether the body says `"deleted":false`.
    var revives = false
  }

  /// What it is answered.
  struct Answer: Equatable {
    var status: Int
    var row: Row?
  }

  private(set) var rows: [String: Row] = [:]
  private var writes: Int64 = 0

  mutating func answer(_ asked: Request) -> Answer {
    var request = asked
    // The row's own names, whatever their letters' case.
    let names = rows[asked.id].map { Array($0.members.keys) } ?? []
    request.members = Dictionary(
      uniqueKeysWithValues: asked.members.map { name, value in
        (names.first { $0.lowercased() == name.lowercased() } ?? name, value)
      })
    if request.verb == .insert {
      if let row = rows[request.id] { return Answer(status: 409, row: row) }
      return store(request.members, request, status: 201)
    }
    guard let row = rows[request.id] else { return Answer(status: 404) }
    let matches = request.match.map { $0 == 0 || $0 == row.version } ?? true
    let isExcluded = request.noneMatch.map { $0 == 0 || $0 == row.version } ?? false
    if request.verb == .get {
      if row.isDeleted && !request.seesDeleted { return Answer(status: 410) }
      if !matches { return Answer(status: 412, row: row) }
      return isExcluded ? Answer(status: 304) : Answer(status: 200, row: row)
    }
    let holds = matches && !isExcluded
    let revives =
      request.verb == .patch && request.revives
      || request.verb == .put && request.seesDeleted
    if row.isDeleted, !revives, request.verb != .undelete {
      return request.seesDeleted && !holds ? Answer(status: 412, row: row) : Answer(status: 410)
    }
    guard holds else { return Answer(status: 412, row: row) }
    switch request.verb {
    case .get, .insert: return Answer(status: 500)
    case .patch:
      return store(row.members.merging(request.members) { $1 }, request, status: 200)
    case .put: return store(request.members, request, status: 200)
    case .delete:
      _ = store(row.members, request, status: 204, isDeleted: true)
      return Answer(status: 204)
    case .undelete:
      return row.isDeleted
        ? store(row.members, request, status: 200) : Answer(status: 200, row: row)
    }
  }

  private mutating func store(
    _ members: [String: Int?], _ request: Request, status: Int, isDeleted: Bool = false
  ) -> Answer {
    writes += 1
    let row = Row(members: members, version: writes, isDeleted: isDeleted)
    rows[request.id] = row
    return Answer(status: status, row: row)
  }

  /// The ids of a list, tombstones only where they are asked for, by time or by id.
  func list(
    above least: Int?, seesDeleted: Bool, byTime: Bool, skip: Int, top: Int
  ) -> (ids: [String], count: Int) {
    let found = rows.filter { _, row in
      (seesDeleted || !row.isDeleted)
        && (least.map { (row.members["n"] ?? row.members["N"] ?? nil) ?? -1 >= $0 } ?? true)
    }
    let sorted = found.sorted { byTime ? $0.value.version < $1.value.version : $0.key < $1.key }
    return (sorted.dropFirst(skip).prefix(top).map(\.key), found.count)
  }
}
