package import HTTPTypes
import SyncModel

/// How answers look, as the client's version header asks (protocol.md §11).
package enum ServedDialect: Hashable, Sendable, CaseIterable {
  /// `ZUMO-API-VERSION: 2.0.x`: Mobile Apps, v2.
  case mobileApps
  /// `ZUMO-API-VERSION: 3.0.x`: Datasync 5 and 6.
  case datasync
  /// No such header: the Community Toolkit's Datasync.
  case communityToolkit

  /// Reads a request's version, from the header or else the query.
  ///
  /// - Throws: `TableError.badRequest` where it is neither 2.0.x nor 3.0.x.
  package init(_ fields: HTTPFields, _ query: QueryString) throws(TableError) {
    guard
      let version = fields[Self.versionField].map({ Text($0) })
        ?? query.value(anyCase: "zumo-api-version")
    else {
      self = .communityToolkit
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

  private static let unknownVersion = TableError.badRequest(
    "an invalid API version was specified in the request: this server takes a ZUMO-API-VERSION of"
      + " 2.0.0 or 3.0.0, or none")

  /// The header field that tells the version.
  package static let versionField = HTTPField.Name.extending("ZUMO-API-VERSION")

  /// How many rows a page has where the client doesn't say.
  package var pageSize: Int { self == .mobileApps ? 50 : 100 }

  /// What a tombstone is answered with where it isn't asked for.
  var deleted: TableError { self == .mobileApps ? .noSuchItem : .itemDeleted }

  /// The status of a tombstone brought back by POST.
  var undeleted: HTTPResponse.Status { self == .mobileApps ? .created : .ok }
}

extension HTTPField.Name {
  /// Makes a name that is known to be one.
  static func extending(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is no field name") }
    return name
  }

  /// The token of the vendors' clients.
  package static let zumoAuth = extending("X-ZUMO-AUTH")
  /// The wishes of Datasync 6 clients.
  package static let zumoOptions = extending("X-ZUMO-Options")
  /// The store's dataset.
  package static let dataset = extending("X-Tsync-Dataset")
  /// The user whom the token names.
  package static let user = extending("X-Tsync-User")
}
