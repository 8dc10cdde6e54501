import SyncModel

extension Dialect {
  /// Azure Mobile Apps, version 2.
  package static let mobileApps = Dialect(
    name: "mobile-apps", title: "Mobile Apps", scheme: .zumoAuth, version: "2.0.0",
    includesDeleted: "__includeDeleted=true", countsAll: "$inlinecount=allpages",
    rowsMember: "results", allowsArray: true, time: ("datetimeoffset'", "'"), usesSubstring: true,
    reading: .list,
    update: Writing(method: "PATCH", content: .changes),
    undelete: Writing(method: "POST", content: .nothing))
}
