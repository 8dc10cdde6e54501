package import HTTPTypes
import SyncModel

/// What differs on the wire between the generations of clients.
package struct ServedDialect: Sendable {
  /// What it is called where people name it.
  package let name: String
  /// How many rows a page has where the client doesn't say.
  package let pageSize: Int
  /// The member of a list that has its rows.
  let rowsMember: String
  /// Whether a list whose rows nobody counts is the array alone.
  let listsAlone: Bool
  /// Where a list says what its next page is.
  let links: Links
  /// What stands before the names of the system columns, but for the id's.
  ///
  /// Members of a row that begin with it are never shown, as nobody could tell them from columns.
  let columnPrefix: String
  /// The system columns that every row shows.
  let shown: [RowColumn]
  /// The system columns that a request can ask for beside them, by `__systemproperties`.
  let askable: [RowColumn]
  /// What a tombstone is answered with where it isn't asked for.
  let deleted: TableError
  /// Whether a tombstone is a conflict for a write that doesn't name its version: for a change that
  /// names none, and for every write that names another.
  let tombstonesConflict: Bool
  /// The status of a tombstone brought back by POST.
  let undeleted: HTTPResponse.Status
  /// Whether the answer to an insert whose id is taken has the row.
  let showsTaken: Bool
  /// Whether a change without `If-Match` may name its version in the body, and has a 409 for another.
  let bodyVersionCounts: Bool
  /// Whether what has no meaning is refused: options, system columns in a body, a body where none
  /// belongs.
  let isStrict: Bool
  /// The form of an error.
  let errors: Errors
  /// Whether answers name the server's version, as those of the vendor's servers do.
  let namesServer: Bool

  /// Where a list says what its next page is.
  enum Links: Sendable {
    /// Nowhere: clients go on by `$skip`.
    case none
    /// In a Link field.
    case field
    /// In the member `nextLink`: as a URL, or a path where that is asked for, or as the query alone.
    case member(isURL: Bool)
  }

  /// The form of an error.
  enum Errors: Sendable {
    /// The text in both members that clients look for.
    case texts
    /// The status as a number, and the text with a word before it.
    case numbered
  }
}

extension ServedDialect {
  /// Finds the dialect of a request: by its version, from the header or else the query; without one,
  /// by what only clients of 2014 send.
  ///
  /// - Throws: `TableError.badRequest` where the version is neither 2.0.x nor 3.0.x.
  package init(_ fields: HTTPFields, _ query: QueryString) throws(TableError) {
    guard
      let version = fields[Self.versionField].map({ Text($0) })
        ?? query.value(anyCase: "zumo-api-version")
    else {
      let isOld =
        fields[.zumoApplication] != nil || fields[.zumoVersion] != nil
        || query.value(anyCase: QueryString.systemProperties) != nil
      self = isOld ? .mobileServices : .communityToolkit
      return
    }
    let parts = version.string.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[1].elementsEqual("0".utf8),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } })
    else { throw Self.unknownVersion }
    if parts[0].elementsEqual("2".utf8) {
      self = .mobileApps
    } else if parts[0].elementsEqual("3".utf8) {
      self = .datasync
    } else {
      throw Self.unknownVersion
    }
  }

  /// Finds the dialect in which a request is refused, even one that can't be read.
  init(refusing fields: HTTPFields, _ target: String) {
    let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    self = (try? Self(fields, (try? QueryString(query)) ?? QueryString())) ?? .communityToolkit
  }

  private static let unknownVersion = TableError.badRequest(
    "an invalid API version was specified in the request: this server takes a ZUMO-API-VERSION of"
      + " 2.0.0 or 3.0.0, or none")

  /// The header field that tells the version.
  package static let versionField = HTTPField.Name.extending("ZUMO-API-VERSION")
}

extension HTTPField.Name {
  /// Makes a name that is known to be one.
  static func extending(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is no field name") }
    return name
  }

  /// The token of the vendors' clients.
  package static let zumoAuth = extending("X-ZUMO-AUTH")
  /// The application key of clients of 2014: here a token.
  package static let zumoApplication = extending("X-ZUMO-APPLICATION")
  /// What a client of 2014 or 2016 says of itself.
  package static let zumoVersion = extending("X-ZUMO-VERSION")
  /// The wishes of Datasync 6 clients.
  package static let zumoOptions = extending("X-ZUMO-Options")
  /// The server and its version, `KIND-VERSION`.
  package static let zumoServerVersion = extending("X-ZUMO-Server-Version")
  /// The store's dataset.
  package static let dataset = extending("X-Tsync-Dataset")
  /// The user whom the token names.
  package static let user = extending("X-Tsync-User")
}
