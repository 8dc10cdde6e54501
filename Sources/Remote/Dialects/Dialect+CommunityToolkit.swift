import SyncModel

extension Dialect {
  /// The Community Toolkit's Datasync, version 3.
  package static let communityToolkit = Dialect(
    name: "community-toolkit", title: "Community Toolkit", scheme: .bearer,
    includesDeleted: "__includedeleted=true", countsAll: "$count=true", rowsMember: "items",
    time: ("cast(", ",Edm.DateTimeOffset)"), update: Writing(method: "PUT", content: .whole),
    undelete: Writing(method: "PUT", content: .whole, seesDeleted: true))
}
