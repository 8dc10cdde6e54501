import HTTPTypes

extension ServedDialect {
  /// `ZUMO-API-VERSION: 2.0.x`: Mobile Apps, v2.
  package static let mobileApps = ServedDialect(
    name: "mobile-apps", pageSize: 50, rowsMember: "results", listsAlone: true,
    links: .field, columnPrefix: "",
    shown: [.createdAt, .updatedAt, .version, .deleted], askable: [],
    deleted: .noSuchItem, tombstonesConflict: false,
    undeleted: .created, showsTaken: true,
    bodyVersionCounts: true, isStrict: false, errors: .texts, namesServer: true)
}
