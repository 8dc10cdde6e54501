package import SyncModel

/// The facts about the server that a workspace keeps in the file `state.json`.
package struct WorkspaceState: Equatable, Sendable {
  /// The format of a workspace that this program reads and writes.
  package static let format = 2

  /// The server's scheme, host and port.
  package var origin: Text?
  /// Which data set the server said it has.
  package var dataset: Text?
  /// Who the server said the user is.
  package var user: Text?
  /// The dialect that was found out.
  package var dialect: Text?
  /// What was learnt of single tables.
  package var tables: [TableName: TableFacts] = [:]
  /// When the last pull that reached its end began.
  package var pulled: Timestamp?
  /// When the last pull of each query began that reached its end.
  package var queries: [Text: Timestamp] = [:]
  /// When the last push that reached its end began.
  package var pushed: Timestamp?

  /// Makes the state of a workspace that knows nothing yet.
  package init() {}

  /// Reads the file's text.
  ///
  /// - Throws: ``WorkspaceError/otherFormat(place:isNewer:)``, or damage.
  init(_ text: [UInt8], place: String) throws(WorkspaceError) {
    guard let object = (try? JSON(parsing: text))?.object, object.duplicate == nil,
      let format = object["format"]?.integer, format >= 1
    else { throw .damaged(place: place, line: nil, fact: "it is not an object with a format") }
    guard format == Self.format else {
      throw .otherFormat(place: place, isNewer: format > Self.format)
    }
    // What can't be read must not look as if it had never been known: guards go by it.
    func string(_ name: Text) throws(WorkspaceError) -> Text? {
      guard let value = object[name] else { return nil }
      guard let text = value.text else {
        throw .damaged(place: place, line: nil, fact: "its member '\(name)' is not a string")
      }
      return text
    }
    func time(_ name: Text) throws(WorkspaceError) -> Timestamp? {
      guard let text = try string(name) else { return nil }
      guard let time = Timestamp(text) else {
        throw .damaged(place: place, line: nil, fact: "its member '\(name)' is not a time")
      }
      return time
    }
    origin = try string("origin")
    dataset = try string("dataset")
    user = try string("user")
    dialect = try string("dialect")
    for member in object["tables"]?.object?.members ?? [] {
      guard let table = try? TableName(member.name), let facts = member.value.object else {
        continue
      }
      tables[table] = TableFacts(facts)
    }
    for member in object["queries"]?.object?.members ?? [] {
      queries[member.name] = member.value.text.flatMap { Timestamp($0) }
    }
    pulled = try time("pulled")
    pushed = try time("pushed")
  }

  /// The file's text.
  var text: [UInt8] {
    var object = JSONObject()
    object.append("format", .integer(Self.format))
    let members: [(Text, Text?)] = [
      ("origin", origin), ("dataset", dataset), ("user", user), ("dialect", dialect),
      ("pulled", pulled?.text), ("pushed", pushed?.text),
    ]
    for case (let name, let value?) in members { object.append(name, .string(value)) }
    if !queries.isEmpty {
      let times = queries.sorted { $0.key < $1.key }.map {
        JSONObject.Member(name: $0.key, value: .string($0.value.text))
      }
      object.append("queries", .object(JSONObject(times)))
    }
    let known = tables.filter { $0.value != TableFacts() }.sorted { $0.key < $1.key }
    if !known.isEmpty {
      let members = known.map {
        JSONObject.Member(name: $0.key.text, value: .object($0.value.json))
      }
      object.append("tables", .object(JSONObject(members)))
    }
    return JSON.object(object).encoded(.indented()) + [0x0A]
  }
}
