/// The facts about one table of the server that a workspace keeps in `state.json`.
package struct TableFacts: Hashable, Sendable {
  /// The most rows that the server gives at once; `nil` while it gave as many as were asked for.
  package var pageSize: Int?
  /// How many rows the server finds by their ids at once; `nil` while it found as many as were asked for.
  package var idsAtOnce: Int?
  /// Whether the server gives new rows ids of its own.
  package var makesIDs = false
  /// Whether its rows have times; `nil` where that isn't asked, or nobody has seen a row.
  package var hasTimes: Bool?
  /// Whether dates stand without quotes in a condition, by the names of the fields that were asked for.
  package var bareDates: [Text: Bool] = [:]
  /// Whether the server had no such table when it was asked last.
  package var isMissing = false

  /// Makes the facts of a table of which nothing is known.
  package init() {}
}

extension TableFacts {
  /// Reads the object that ``json`` makes; members of other types say nothing.
  package init(_ object: JSONObject) {
    pageSize = object["page"]?.integer.flatMap { $0 > 0 ? $0 : nil }
    idsAtOnce = object["ids"]?.integer.flatMap { $0 > 0 ? $0 : nil }
    makesIDs = object["makesIds"]?.boolean ?? false
    hasTimes = object["timed"]?.boolean
    for member in object["bareDates"]?.object?.members ?? [] {
      bareDates[member.name] = member.value.boolean
    }
    isMissing = object["missing"]?.boolean ?? false
  }

  /// The object for `state.json`: only what is known.
  package var json: JSONObject {
    var object = JSONObject()
    if let pageSize { object.append("page", .integer(pageSize)) }
    if let idsAtOnce { object.append("ids", .integer(idsAtOnce)) }
    if makesIDs { object.append("makesIds", true) }
    if let hasTimes { object.append("timed", .bool(hasTimes)) }
    if !bareDates.isEmpty {
      let members = bareDates.sorted { $0.key < $1.key }
      object.append(
        "bareDates",
        .object(JSONObject(members.map { .init(name: $0.key, value: .bool($0.value)) })))
    }
    if isMissing { object.append("missing", true) }
    return object
  }
}
