package import SyncModel

/// One REST protocol for tables, with its differences from the others as values.
///
/// Each dialect has a file of its own.
package struct Dialect: Sendable {
  /// A write as it goes over the wire.
  struct Writing {
    /// The request's method.
    var method: String
    /// What stands in the body.
    var content: Content
    /// Whether the request says that it means tombstones, too.
    var seesDeleted = false
  }

  /// What stands in the body of a write.
  enum Content {
    /// There is no body.
    case nothing
    /// The members that differ.
    case changes
    /// The whole item.
    case whole
  }

  /// How one row is read.
  enum Reading {
    /// From its own address.
    case address
    /// From a list of the rows with its id.
    case list
  }

  /// What the answer to an update or insert holds.
  enum Answer {
    /// The row.
    case row
    /// What was sent, and the system columns.
    case echo
  }

  /// The name in settings, `state.json`, pages and JSON.
  package let name: Text
  /// The name for people.
  package let title: String
  /// How a token is sent where nothing else is said.
  let scheme: Authorization.Scheme
  /// The field that carries the application key; `nil` sends none.
  var keyField: String?
  /// The value of the `ZUMO-API-VERSION` field; `nil` sends none.
  var version: String?
  /// What stands before the names of the system columns.
  var prefix: Text = ""
  /// The options that every request has.
  var options: [String] = []
  /// The option by which a request sees tombstones.
  let includesDeleted: String
  /// The option by which a list tells how many rows match.
  let countsAll: String
  /// The member of an answer that holds the rows of a list.
  let rowsMember: String
  /// Whether the rows of a list may stand alone, and what follows them in the `Link` field.
  var allowsArray = false
  /// Whether a list that is cut off says so.
  var tellsMore = true
  /// Whether a table may have no times; a list that asks for them is empty then.
  var mayLackTimes = false
  /// Whether an insert tells an id to a table whose ids the server makes; else it would be refused.
  var sendsMadeIDs = true
  /// What stands around a time in a condition.
  let time: (before: String, after: String)
  /// Whether a part of a text is looked for by `substringof`, as in OData 3.
  var usesSubstring = false
  /// How one row is read.
  var reading = Reading.address
  /// How an item is changed.
  let update: Writing
  /// How a deleted row is brought back.
  let undelete: Writing
  /// What the answer to an update or insert holds.
  var answer = Answer.row
}

extension Dialect: Hashable, CaseIterable, CustomStringConvertible {
  package static let allCases = [mobileServices, mobileApps, datasync, communityToolkit]
  package var description: String { name.string }
  package static func == (left: Dialect, right: Dialect) -> Bool { left.name == right.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Dialect {
  /// Finds a dialect by its name.
  package init?(name: Text) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// The fields that every request has.
  var fields: [HTTPField] {
    (version.map { [HTTPField("ZUMO-API-VERSION", $0)] } ?? [])
      + [HTTPField("Accept", "application/json")]
  }

  /// Returns a request's target: a path, and the options behind those that every request has.
  func target(_ path: String, _ options: [String] = []) -> String {
    let all = options + self.options
    return all.isEmpty ? path : "\(path)?\(all.joined(separator: "&"))"
  }

  /// Returns the name of a system column.
  func column(_ field: SystemField) -> Text { Text("\(prefix)\(field.name)") }
}
