import HTTPTypes

extension ServedDialect {
  /// No version, but a field or an option that only 2014 has: Azure Mobile Services.
  package static let mobileServices = ServedDialect(
    name: "mobile-services", pageSize: 50, rowsMember: "results", listsAlone: true,
    links: .none, columnPrefix: "__",
    shown: [], askable: [.createdAt, .updatedAt, .version, .deleted],
    deleted: .noSuchItem, tombstonesConflict: true,
    undeleted: .ok, showsTaken: false,
    bodyVersionCounts: false, isStrict: true, errors: .numbered, namesServer: true)
}
