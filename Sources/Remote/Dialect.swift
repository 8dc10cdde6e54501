package import SyncModel

/// A way of speaking to tables over REST (protocol.md §1); whatever differs is told by it.
///
/// The raw value is its name in settings, `state.json`, pages and JSON (decisions.md 75).
package enum Dialect: String, CaseIterable, Hashable, Sendable {
  /// Azure Mobile Apps, version 2.
  case mobileApps = "mobile-apps"
  /// Datasync 5 and 6, version 3, and tsync-server.
  case datasync
  /// The Community Toolkit's Datasync, version 3.
  case communityToolkit = "community-toolkit"

  /// Finds a dialect by its name, or by the one that it had in older states.
  package init?(name: Text) {
    switch name {
    case "mobileApps": self = .mobileApps
    case "communityToolkit": self = .communityToolkit
    default: self.init(rawValue: name.string)
    }
  }

  /// How a token is sent where nothing else is said (decisions.md D).
  var scheme: Authorization.Scheme {
    switch self {
    case .mobileApps: .zumoAuth
    case .datasync, .communityToolkit: .bearer
    }
  }

  /// The value of the `ZUMO-API-VERSION` field; `nil` sends none.
  var version: String? {
    switch self {
    case .mobileApps: "2.0.0"
    case .datasync: "3.0.0"
    case .communityToolkit: nil
    }
  }

  /// The member of an answer that holds the rows of a list.
  var rowsMember: String {
    switch self {
    case .mobileApps: "results"
    case .datasync, .communityToolkit: "items"
    }
  }

  /// The option by which a request sees tombstones.
  var includesDeleted: String {
    switch self {
    case .mobileApps: "__includeDeleted=true"
    case .datasync, .communityToolkit: "__includedeleted=true"
    }
  }

  /// The option by which a list tells how many rows match.
  var countsAll: String {
    switch self {
    case .mobileApps: "$inlinecount=allpages"
    case .datasync, .communityToolkit: "$count=true"
    }
  }

  /// The fields that every request has.
  var fields: [HTTPField] {
    (version.map { [HTTPField("ZUMO-API-VERSION", $0)] } ?? [])
      + [HTTPField("Accept", "application/json")]
  }
}
