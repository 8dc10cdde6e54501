import FoundationEssentials
package import HTTPTypes
import SyncModel

/// One request to a table, read as far as its header goes.
package struct TableRequest: Sendable {
  /// The method.
  package var method: HTTPRequest.Method
  /// The table, the item, the options.
  package var target: TableTarget
  /// The header fields.
  package var fields: HTTPFields
  /// Where the server is.
  package var origin: RequestOrigin
  /// Reads the body.
  package var body: @Sendable () async throws -> [UInt8]
}

/// Between HTTP and a store: reads requests, asks the store, makes answers.
package struct TableRoutes: Sendable {
  private let store: any ItemStore
  private let writes: GroupCommit

  /// Serves a store.
  package init(_ store: any ItemStore) {
    self.store = store
    writes = GroupCommit(store)
  }

  /// Answers a request.
  ///
  /// - Throws: `TableError` where there is no row to answer with, or what the store throws.
  package func answer(_ request: TableRequest) async throws -> TableAnswer {
    let query = request.target.query
    let view = try RowView(query, ServedDialect(request.fields, query))
    guard let id = request.target.id else {
      switch request.method {
      case .get: return try await list(request, view)
      case .post: return try await insert(request, view)
      default: throw TableError.methodNotAllowed(allowed: "GET, POST")
      }
    }
    switch request.method {
    case .get: return try await read(id, request, view)
    case .patch, .put: return try await update(id, request, view)
    case .delete: return try await carryOut(.delete, id, request, view)
    case .post: return try await carryOut(.undelete, id, request, view)
    default: throw TableError.methodNotAllowed(allowed: "GET, PATCH, PUT, DELETE, POST")
    }
  }
}

extension TableRoutes {
  private func list(_ request: TableRequest, _ view: RowView) async throws -> TableAnswer {
    let dialect = view.dialect
    let query = try ListQuery(request.target.query, columnPrefix: dialect.columnPrefix)
    var view = view
    view.choose(query.columns)
    var wanted = PageRequest()
    wanted.filter = query.filter
    wanted.order = query.order
    wanted.offset = query.skip
    // One row more than a page tells whether there is another page.
    wanted.limit = query.top ?? dialect.pageSize + 1
    wanted.includesDeleted = query.includesDeleted
    wanted.countsAll = query.wantsCount
    var page = try await store.page(wanted, of: request.target.scope)
    let hasMore = query.top == nil && page.count > dialect.pageSize
    if hasMore { page.removeLast() }
    var link: NextLink?
    if hasMore || page.isCut {
      link = NextLink(
        request, skip: query.skip + page.count, top: query.top.map { $0 - page.count })
    }
    return try .list(page, view, next: link)
  }

  private func read(
    _ id: ItemID, _ request: TableRequest, _ view: RowView
  ) async throws -> TableAnswer {
    guard let row = try await store.row(id, in: request.target.scope) else {
      throw TableError.noSuchItem
    }
    let view = try view.ofItem(request.target.query)
    guard !row.isDeleted || request.target.query.includesDeleted else { throw view.dialect.deleted }
    // Nothing has read the text before; of a write's row the store has.
    _ = try row.members()
    switch try Precondition(request.fields).verdict(on: row, reading: true) {
    case .holds: return try .row(.ok, row, view)
    case .notModified: return .bare(.notModified, row, view)
    case .fails: return try .row(.preconditionFailed, row, view.whole)
    }
  }

  private func insert(
    _ request: TableRequest, _ view: RowView
  ) async throws -> TableAnswer {
    let item = try await sentItem(request, view.dialect)
    let id = try item.id ?? ItemID(Text(UUID().uuidString.lowercased()))
    var write = RowWrite(.insert(item.members), id)
    write.size = item.size
    let outcome = try await writes.write(write, in: request.target.scope)
    guard case .created(let row) = outcome else { return try answer(outcome, view) }
    var answer = try TableAnswer.row(.created, row, view)
    answer.fields[.location] = request.origin.url(
      "/tables/\(request.target.table)/\(id.text.percentEncoded)")
    return answer
  }

  private func update(
    _ id: ItemID, _ request: TableRequest, _ view: RowView
  ) async throws -> TableAnswer {
    let dialect = view.dialect
    let item = try await sentItem(request, dialect)
    guard item.id == nil || item.id == id else {
      throw TableError.badRequest("the body's id is not the one in the URL")
    }
    let isPatch = request.method == .patch
    var write = RowWrite(isPatch ? .merge(item.members) : .replace(item.members), id)
    write.size = item.size
    write.precondition = try Precondition(request.fields)
    write.includesDeleted = request.target.query.includesDeleted || dialect.tombstonesConflict
    // A row that is replaced is what was sent, which without the member isn't deleted.
    let isLive = item.isDeleted.map(!) ?? (!isPatch && request.target.query.includesDeleted)
    write.revives = isLive && (isPatch || write.includesDeleted)
    var conflict = HTTPResponse.Status.preconditionFailed
    if dialect.bodyVersionCounts, write.precondition.match == nil, let version = item.version {
      write.precondition.match = .versions([.init(version)])
      conflict = .conflict
    }
    let outcome = try await writes.write(write, in: request.target.scope)
    // Whoever names a version gets the new one.
    var view = view
    if write.precondition.match != nil { view.show(.version) }
    if case .deleted(let row) = outcome, dialect.tombstonesConflict,
      !write.precondition.namesVersion
    {
      return try .row(.preconditionFailed, row, view.whole)
    }
    return try answer(outcome, view, conflict: conflict)
  }

  private func carryOut(
    _ action: RowWrite.Action, _ id: ItemID, _ request: TableRequest, _ view: RowView
  ) async throws -> TableAnswer {
    let dialect = view.dialect
    if dialect.isStrict, action == .undelete, try await !request.body().isEmpty {
      throw TableError.badRequest("an undelete has no body: leave it out")
    }
    var write = RowWrite(action, id)
    write.precondition = try Precondition(request.fields)
    write.includesDeleted = request.target.query.includesDeleted || dialect.tombstonesConflict
    let outcome = try await writes.write(write, in: request.target.scope)
    switch outcome {
    case .changed(let row) where action == .delete: return .bare(.noContent, row, view)
    case .changed(let row), .unchanged(let row): return try .row(dialect.undeleted, row, view)
    default: return try answer(outcome, view)
    }
  }

  private func sentItem(
    _ request: TableRequest, _ dialect: ServedDialect
  ) async throws -> SentItem {
    if let type = request.fields[.contentType] {
      let media = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
      guard Text(String(Substring(media))).isEqual(anyCase: "application/json") else {
        throw TableError.unsupportedMediaType
      }
    }
    return try SentItem(try await request.body(), dialect)
  }

  /// Answers with what became of a write.
  private func answer(
    _ outcome: WriteOutcome, _ view: RowView,
    conflict: HTTPResponse.Status = .preconditionFailed
  ) throws -> TableAnswer {
    switch outcome {
    case .created(let row): return try .row(.created, row, view)
    case .changed(let row), .unchanged(let row): return try .row(.ok, row, view)
    case .exists(let row):
      guard view.dialect.showsTaken else { throw TableError.idTaken }
      return try .row(.conflict, row, view)
    case .conflict(let row): return try .row(conflict, row, view.whole)
    case .deleted: throw view.dialect.deleted
    case .missing: throw TableError.noSuchItem
    case .tooLarge: throw TableError.tooLarge
    }
  }
}
