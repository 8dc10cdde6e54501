import SyncModel

extension History.Change {
  /// The members of the change in its line.
  var object: JSONObject {
    var object = JSONObject()
    object.append("table", .string(key.table.text))
    object.append("id", .string(key.id.text))
    object.append("did", .string(Text(did.rawValue)))
    if !fields.isEmpty {
      let pairs = fields.map { field in
        JSONObject.Member(
          name: field.name, value: .array([field.old ?? .null, field.new ?? .null]))
      }
      object.append("fields", .object(JSONObject(pairs)))
    }
    if !dirty.isEmpty { object.append("dirty", .array(dirty.map { .string($0) })) }
    if let place { object.append("trash", .string(place)) }
    if let digest { object.append("digest", .string(Text(digest.description))) }
    return object
  }

  /// Reads a change; `nil` where it is none.
  init?(_ object: JSONObject) {
    guard let table = object["table"]?.text.flatMap({ try? TableName($0) }),
      let id = object["id"]?.text.flatMap({ try? ItemID($0) }),
      let did = object["did"]?.text.flatMap({ History.Deed(rawValue: $0.string) })
    else { return nil }
    self.init(ItemKey(table, id), did)
    fields = (object["fields"]?.object?.members ?? []).compactMap { member in
      guard let pair = member.value.elements, pair.count == 2 else { return nil }
      return Change.Field(
        name: member.name, old: pair[0].isNull ? nil : pair[0], new: pair[1].isNull ? nil : pair[1])
    }
    dirty = (object["dirty"]?.elements ?? []).compactMap(\.text)
    place = object["trash"]?.text
    digest = object["digest"]?.text.flatMap { Digest($0.string) }
  }
}

extension History.Command {
  /// Reads the first line of a command; `nil` where it is none.
  init?(_ object: JSONObject, number: Int) {
    guard let time = object["time"]?.text.flatMap(Timestamp.init),
      let words = object["command"]?.text
    else { return nil }
    self.init(number: number, time: time, words: words, undoes: object["undoes"]?.integer)
    add(object)
  }

  /// Adds what a line says; the lines are added in their order.
  mutating func add(_ object: JSONObject) {
    status = object["status"]?.integer ?? status
    changes += (object["changes"]?.elements ?? []).compactMap {
      $0.object.flatMap(History.Change.init)
    }
    for member in object["first"]?.object?.members ?? [] {
      if let table = try? TableName(member.name), let count = member.value.integer {
        first[table, default: 0] += count
      }
    }
  }
}
