package import HTTPTypes
import SyncModel

/// An answer before it becomes HTTP's: status, fields and the bytes of the body.
package struct TableAnswer: Sendable {
  /// The status.
  package var status: HTTPResponse.Status
  /// The header fields, but for those that every answer has.
  package var fields: HTTPFields = [:]
  /// The body; `nil` where the status has none.
  package var body: [UInt8]?

  /// Answers with one row, its date, and its entity tag where the version is shown.
  static func row(
    _ status: HTTPResponse.Status, _ row: StoredRow, _ view: RowView
  ) throws -> TableAnswer {
    var answer = bare(status, row, view)
    answer.fields[.contentType] = json
    var text: [UInt8] = []
    try RowWriter(view).write(row, into: &text)
    answer.body = text
    return answer
  }

  /// Answers with what a header can tell of a row.
  static func bare(
    _ status: HTTPResponse.Status, _ row: StoredRow, _ view: RowView
  ) -> TableAnswer {
    var answer = TableAnswer(status: status)
    if view.system.contains(.version) { answer.fields[.eTag] = row.entityTag }
    answer.fields[.lastModified] = row.updatedAt.httpDate
    return answer
  }

  /// Answers with a page, in the form that the dialect has for it.
  static func list(_ page: Page, _ view: RowView, next: NextLink?) throws -> TableAnswer {
    let dialect = view.dialect
    var answer = TableAnswer(status: .ok)
    answer.fields[.contentType] = json
    var text: [UInt8] = []
    let writer = RowWriter(view)
    text.reserveCapacity(page.size + page.count * (1 + writer.growth) + 1_024)
    let inObject = !dialect.listsAlone || page.total != nil
    if inObject { text.append(contentsOf: "{\"\(dialect.rowsMember)\":".utf8) }
    text.append(UInt8(ascii: "["))
    let start = text.count
    try page.forEach { row in
      if text.count > start { text.append(UInt8(ascii: ",")) }
      try writer.write(row, into: &text)
    }
    text.append(UInt8(ascii: "]"))
    if inObject {
      text.append(contentsOf: ",\"count\":\(page.total.map(String.init) ?? "null")".utf8)
    }
    switch dialect.links {
    case .none: break
    case .field: answer.fields[.link] = next?.header
    case .member(let isURL):
      text.append(contentsOf: ",\"nextLink\":".utf8)
      (next.map { .string($0.text(isURL: isURL)) } ?? JSON.null).write(into: &text)
    }
    if inObject { text.append(UInt8(ascii: "}")) }
    answer.body = text
    return answer
  }

  /// Answers that nothing came of it, and why.
  package static func error(_ error: TableError, _ dialect: ServedDialect) -> TableAnswer {
    var answer = TableAnswer(status: error.status, fields: error.fields)
    answer.fields[.contentType] = json
    let message = error.message
    let members: [(Text, JSON)] =
      switch dialect.errors {
      case .texts: [("error", .string(message)), ("message", .string(message))]
      case .numbered:
        [("code", .integer(error.status.code)), ("error", .string("Error: \(message)"))]
      }
    answer.body = JSON.object(JSONObject(members.map { .init(name: $0, value: $1) })).encoded()
    return answer
  }

  private static let json = "application/json; charset=utf-8"
}

/// Where the next page of a list is.
struct NextLink: Sendable {
  private let request: TableRequest
  private let options: [QueryString.Option]

  /// Makes the link of a list request's next page, of `top` rows where the client said how many.
  init(_ request: TableRequest, skip: Int, top: Int?) {
    self.request = request
    options =
      request.target.query.options.filter { $0.name != "$skip" && $0.name != "$top" }
      + [.init(name: "$skip", value: Text(String(skip)))]
      + (top.map { [.init(name: "$top", value: Text(String($0)))] } ?? [])
  }

  private var path: String { "/tables/\(request.target.table)" }

  /// The options; `$` stands in their names as it is, which Datasync 6 servers need.
  private var query: String {
    options.map { option in
      let isSystem = option.name.string.utf8.first == UInt8(ascii: "$")
      let name = Text(String(option.name.string.dropFirst(isSystem ? 1 : 0)))
      return "\(isSystem ? "$" : "")\(name.percentEncoded)=\(option.value.percentEncoded)"
    }.joined(separator: "&")
  }

  /// The link of a v3 list: a URL, a path where that is asked for, or the query.
  func text(isURL: Bool) -> String {
    guard isURL else { return query }
    let wishes = request.fields[.zumoOptions].map { Array($0.lowercased().utf8) } ?? []
    let wantsPath = wishes.firstRange(of: Array("nextlink=path".utf8)) != nil
    return wantsPath ? "\(path)?\(query)" : request.origin.url("\(path)?\(query)")
  }

  /// The Link field of a v2 list, in the form that its clients can read: without brackets, and
  /// with `$` escaped.
  var header: String {
    let query = options.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
    return request.origin.url("\(path)?\(query.joined(separator: "&"))") + "; rel=next"
  }
}

extension HTTPField.Name {
  /// RFC 8288.
  package static let link = extending("Link")
}
