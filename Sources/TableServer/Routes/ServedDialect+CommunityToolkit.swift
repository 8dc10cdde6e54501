import HTTPTypes

extension ServedDialect {
  /// No version, and nothing of 2014: the Community Toolkit's Datasync.
  package static let communityToolkit = ServedDialect(
    name: "community-toolkit", pageSize: 100, rowsMember: "items", listsAlone: false,
    links: .member(isURL: false), columnPrefix: "",
    shown: [.updatedAt, .version, .deleted], askable: [],
    deleted: .itemDeleted, tombstonesConflict: false,
    undeleted: .ok, showsTaken: true,
    bodyVersionCounts: false, isStrict: false, errors: .texts, namesServer: false)
}
