import SyncModel

extension Dialect {
  /// Datasync 5 and 6, version 3, and tsync-server.
  package static let datasync = Dialect(
    name: "datasync", title: "Datasync", scheme: .bearer, version: "3.0.0",
    includesDeleted: "__includedeleted=true", countsAll: "$count=true", rowsMember: "items",
    time: ("cast(", ",Edm.DateTimeOffset)"), update: Writing(method: "PATCH", content: .changes),
    undelete: Writing(method: "PATCH", content: .changes))
}
