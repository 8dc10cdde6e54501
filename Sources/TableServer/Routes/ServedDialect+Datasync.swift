import HTTPTypes

extension ServedDialect {
  /// `ZUMO-API-VERSION: 3.0.x`: Datasync 5 and 6.
  package static let datasync = ServedDialect(
    name: "datasync", pageSize: 100, rowsMember: "items", listsAlone: false,
    links: .member(isURL: true), columnPrefix: "",
    shown: [.updatedAt, .version, .deleted], askable: [],
    deleted: .itemDeleted, tombstonesConflict: false,
    undeleted: .ok, showsTaken: true,
    bodyVersionCounts: false, isStrict: false, errors: .texts, namesServer: false)
}
