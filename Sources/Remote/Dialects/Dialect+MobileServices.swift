import SyncModel

extension Dialect {
  /// Azure Mobile Services, 2014.
  package static let mobileServices = Dialect(
    name: "mobile-services", title: "Mobile Services (2014)", scheme: .zumoAuth,
    keyField: "X-ZUMO-APPLICATION", prefix: "__", options: ["__systemproperties=*"],
    includesDeleted: "__includeDeleted=true", countsAll: "$inlinecount=allpages",
    rowsMember: "results", allowsArray: true, tellsMore: false, mayLackTimes: true,
    sendsMadeIDs: false, time: ("datetimeoffset'", "'"), usesSubstring: true,
    update: Writing(method: "PATCH", content: .changes),
    undelete: Writing(method: "POST", content: .nothing), answer: .echo)
}
