import SyncEngine
import SyncModel

extension Row {
  /// Reads a row from its text as a server sent it; where a dialect's system columns have other names
  /// than tsync's, it is written anew.
  ///
  /// - Throws: Why it can't be a row: no JSON within the limits, a member that stands twice, a
  ///   field of a wrong type or of a name that tsync has for a system column, an id that is none or too
  ///   long for a file's name.
  init(received text: ArraySlice<UInt8>, in dialect: Dialect) throws(NameError) {
    guard text.count <= PullLimits.rowBytes else { throw NameError("the row is larger than 1 MiB") }
    let value: JSON
    do throws(JSONError) {
      value = try JSON(parsing: text, limits: .item)
    } catch {
      throw NameError("the row is not valid JSON: \(error.message)")
    }
    guard let object = value.object else { throw NameError("the row is not an object") }
    let isRenamed = !dialect.prefix.isEmpty
    try self.init(
      isRenamed ? dialect.renamed(object) : object, text: isRenamed ? nil : Array(text))
    guard FileName.of(id) != nil else { throw NameError("the id is too long for a file name") }
  }
}

extension Dialect {
  /// Gives the system columns of a received row the names that tsync has for them.
  ///
  /// - Throws: Where a field of the user's has such a name.
  func renamed(_ object: JSONObject) throws(NameError) -> JSONObject {
    var members = object.members
    for index in members.indices {
      let name = members[index].name
      if SystemField.allCases.contains(where: { $0.name == name }) {
        throw NameError("the row has a field '\(name)', a name that tsync reserves for the server")
      }
      if let field = SystemField.allCases.first(where: { column($0) == name }) {
        members[index].name = field.name
      }
    }
    return JSONObject(members)
  }
}

/// One entry of a list.
enum ListEntry: Equatable {
  /// A row.
  case row(Row)
  /// What can't be one, and its time as far as it tells one.
  case refused(RefusedRow, time: Timestamp?)

  /// Reads an entry from its text.
  init(_ text: ArraySlice<UInt8>, in dialect: Dialect) {
    do throws(NameError) {
      self = .row(try Row(received: text, in: dialect))
    } catch {
      // The limits are an item's, and its UTF-8 is valid; to name the row, more is read.
      let object = (try? JSON(parsing: Array(String(decoding: text, as: UTF8.self).utf8)))?.object
      let id = object?[Item.idField]
      self = .refused(
        RefusedRow(
          text: Array(text), id: id?.text ?? id?.integer.map { Text("\($0)") },
          reason: error.description),
        time: object?[dialect.column(.updatedAt)]?.text.flatMap(Timestamp.init))
    }
  }

  /// When the server changed it last.
  var time: Timestamp? {
    switch self {
    case .row(let row): row.updatedAt
    case .refused(_, let time): time
    }
  }

  /// The id as it stands in it.
  var id: Text? {
    switch self {
    case .row(let row): row.id.text
    case .refused(let row, _): row.id
    }
  }
}

extension Page {
  /// Adds an entry of a list.
  mutating func add(_ entry: ListEntry) {
    switch entry {
    case .row(let row): rows.append(row)
    case .refused(let row, _): refused.append(row)
    }
  }
}

/// What one list request brought.
struct ListPage: Equatable {
  /// The entries in their order.
  var entries: [ListEntry]
  /// How many rows match in all, where the answer tells it.
  var total: Int?
  /// The answer's `Date` in seconds since 1970.
  var date: Int64?
  /// Whether the server says that more follows; where it does so is never asked.
  var hasLink = false
  /// How many rows of the same range that passes over, where the server tells it.
  var nextSkip: Int?
  /// Whether the first row's id is a number: the server made it.
  var hasNumberIDs = false

  /// Makes a page of its parts.
  init(_ entries: [ListEntry], total: Int? = nil, date: Int64? = nil, hasLink: Bool = false) {
    self.entries = entries
    self.total = total
    self.date = date
    self.hasLink = hasLink
  }

  /// Reads an answer in the form that a dialect has for lists.
  ///
  /// - Throws: Why it is no list.
  init(_ answer: HTTPAnswer, _ dialect: Dialect) throws(EnvelopeFault) {
    let envelope = try PageEnvelope(
      answer.body, rowsMember: dialect.rowsMember, allowsArray: dialect.allowsArray)
    entries = envelope.rows.map { ListEntry(answer.body[$0], in: dialect) }
    let first = envelope.rows.first.flatMap { try? JSON(parsing: answer.body[$0]) }
    if case .number? = first?.object?[Item.idField] { hasNumberIDs = true }
    total = envelope.total
    date = answer.date
    let link = dialect.allowsArray ? answer.header("Link") : nil
    hasLink = envelope.hasLink || link != nil
    nextSkip = envelope.nextSkip ?? link.flatMap { PageEnvelope.skip(in: $0.utf8) }
  }
}
