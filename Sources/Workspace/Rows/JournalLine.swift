import SyncEngine
import SyncModel

/// What one line of a journal says (tsync-log-format(5)).
enum JournalLine {
  /// A row.
  case row(RowLine)
  /// A fact that is read whole.
  case fact(Fact)
  /// A write of an item is open.
  case sent(ItemID)
  /// A write of an item was refused.
  case refused(ItemID)

  /// A line with a row; the texts are JSON.
  struct RowLine {
    /// The row.
    var row: UnsafeRawBufferPointer
    /// Whether it is the base at once; else it is an arrival.
    var isBase = false
    /// The versions that were here before.
    var had: UnsafeRawBufferPointer?
    /// What the client's changes are measured against while it waits.
    var over: UnsafeRawBufferPointer?
    /// Whether it answers a write from here.
    var isMine = false
    /// The id of the item whose write is over.
    var ends: UnsafeRawBufferPointer?

    /// The members of a line that says only that the row is the base.
    var baseMembers: [UInt8] {
      var members = Array(#""by":"push","#.utf8)
      if let had { members += Array(#""had":"#.utf8) + had + [JournalLine.comma] }
      return members + Array(#""row":"#.utf8) + row
    }
  }

  /// Reads a line's members in the journal of a table; `nil` where they say nothing that this program knows.
  init?(_ line: LogLine, of table: TableName) {
    var members = ObjectSketch(members: line.members)
    var found = RowLine(row: UnsafeRawBufferPointer(start: nil, count: 0))
    while let name = members.name() {
      if name.elementsEqual("row".utf8) {
        found.row = members.rest
        self = .row(found)
        return
      }
      let value = members.value()
      if name.elementsEqual("by".utf8) {
        found.isBase = true
      } else if name.elementsEqual("had".utf8) {
        found.had = value
      } else if name.elementsEqual("over".utf8) {
        found.over = value
      } else if name.elementsEqual("mine".utf8) {
        found.isMine = true
      } else if name.elementsEqual("ends".utf8) {
        found.ends = value
      } else {
        break
      }
    }
    guard let object = line.object else { return nil }
    func id(_ name: Text) -> ItemID? { object[name]?.text.flatMap { try? ItemID($0) } }
    if let id = id("sent") {
      self = .sent(id)
    } else if let id = id("refused") {
      self = .refused(id)
    } else if let fact = Self.fact(object, of: table) {
      self = .fact(fact)
    } else {
      return nil
    }
  }

  /// Reads what a line without a row or a write says; `nil` where that is nothing that this program knows.
  static func fact(_ object: JSONObject, of table: TableName) -> Fact? {
    func id(_ name: Text) -> ItemID? { object[name]?.text.flatMap { try? ItemID($0) } }
    if let id = id("ends") { return .ended(id) }
    if let (id, mark) = Marks.mark(object) { return .marked(id, mark) }
    if let id = id("conflict") { return (try? Laid(object)).map { .laid(id, $0) } }
    if let id = id("left") { return .left(id) }
    if let id = id("back") { return .back(id) }
    if let id = id("forgot") { return .forgot(id) }
    if let count = object["mayLeave"]?.integer {
      return (0..<1 << 32).contains(count) ? .mayLeave(count) : nil
    }
    if let anchors = object["anchors"] { return Anchor.all(in: anchors).map { .anchors($0) } }
    if let anchors = object["learnt"] { return Anchor.all(in: anchors).map { .learnt($0) } }
    if let but = object["but"], object["taken"]?.boolean == true {
      return Self.ids(but).map { .taken(but: Set($0)) }
    }
    if let token = object["token"], token.isNull || token.text != nil {
      let count = object["of"]?.integer
      guard object["of"] == nil || count != nil else { return nil }
      let feed = Feed(table, query: object["query"]?.text, filter: object["filter"]?.text)
      return .token(feed, token.text.map(DeltaToken.init), of: count)
    }
    return object["pulled"]?.boolean == true ? .pulled : nil
  }

  private static func ids(_ list: JSON) -> [ItemID]? {
    let ids = list.elements?.map { $0.text.flatMap { try? ItemID($0) } }
    guard let ids, !ids.contains(nil) else { return nil }
    return ids.compactMap(\.self)
  }

  /// Returns the members of the line that says a fact.
  static func members(_ fact: Fact) -> [UInt8] {
    let members = LogLine.members(object(fact))
    guard let row = fact.row else { return members }
    return members + (members.isEmpty ? [] : [comma]) + self.members(of: row)
  }

  /// Returns the members of the line that says a fact, but for its row.
  static func object(_ fact: Fact) -> JSONObject {
    var object = JSONObject()
    switch fact {
    case .base(_, let ends):
      object.append("by", "push")
      if let ends { object.append("ends", .string(ends.text)) }
    case .arrived(let arrival, let ends):
      if let over = arrival.over { object.append("over", .object(over.fields)) }
      if arrival.isMine { object.append("mine", true) }
      if let ends = arrival.was ?? ends { object.append("ends", .string(ends.text)) }
    case .taken(let ids):
      object.append("taken", true)
      object.append("but", .array(ids.sorted().map { .string($0.text) }))
    case .token(let feed, let token, let count):
      object.append("token", token.map { .string($0.text) } ?? .null)
      if let query = feed.query { object.append("query", .string(query)) }
      if let filter = feed.filter { object.append("filter", .string(filter)) }
      if let count { object.append("of", .integer(count)) }
    case .pulled: object.append("pulled", true)
    case .left(let id): object.append("left", .string(id.text))
    case .back(let id): object.append("back", .string(id.text))
    case .forgot(let id): object.append("forgot", .string(id.text))
    case .anchors(let anchors): object.append("anchors", .array(anchors.map(\.json)))
    case .learnt(let anchors): object.append("learnt", .array(anchors.map(\.json)))
    case .mayLeave(let count): object.append("mayLeave", .integer(count))
    case .sent(let attempt): object = attempt.object
    case .refused(let id, let rejection): object = rejection.object(of: id)
    case .ended(let id): object.append("ends", .string(id.text))
    case .marked(let id, let mark): object = Marks.object(id, mark)
    case .laid(let id, let sides): object = sides.object(of: id)
    }
    return object
  }

  fileprivate static let comma = UInt8(ascii: ",")

  /// The row stands last, as it was received.
  private static func members(of row: Row) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(row.text.count + 64)
    if !row.had.isEmpty {
      let had = JSON.array(row.had.map { .string($0.text) })
      text += Array(#""had":"#.utf8) + had.encoded() + [comma]
    }
    return text + Array(#""row":"#.utf8) + row.text
  }
}

extension Anchor {
  /// Its id and since when it is known, as logs and the stat index have them.
  var json: JSON { [.string(id.text), .integer(Int(since))] }

  /// Reads a list of anchors; `nil` where it is none.
  static func all(in list: JSON?) -> [Anchor]? {
    let anchors = list?.elements?.map { entry -> Anchor? in
      guard let parts = entry.elements, parts.count == 2, let since = parts[1].integer,
        let id = parts[0].text.flatMap({ try? ItemID($0) })
      else { return nil }
      return Anchor(id, since: Int64(since))
    }
    return anchors?.contains(nil) == false ? anchors?.compactMap(\.self) : nil
  }
}
