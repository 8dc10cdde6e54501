import Synchronization
import TestSupport

/// The table `todoitem` of a server that a test writes as it likes: each row is a text, whatever is
/// in it.
///
/// It answers like a server of Datasync: lists by time and by id, pages, single rows. Nothing can be
/// written to it.
final class HostileTable {
  struct Entry: Sendable {
    var id: String
    var time: String
    var text: String
  }

  /// What the server has and says; the same for all its threads.
  struct Content: Sendable {
    var entries: [Entry] = []
    /// What tsync-server would call its data set; without it the server is one of the family.
    var dataset: String? = "d1"
    /// The value of the `Date` field.
    var date: String?
    /// The link to the next page, made from a request's number.
    var link: (@Sendable (Int) -> String)?
    /// Answers instead of the table, where it does.
    var answer: (@Sendable (ReceivedRequest) -> ScriptedReply?)?
    /// Whether requests without a version are refused.
    var isVersioned = true
    var requests = 0
  }

  private final class Shared: Sendable {
    let content: Mutex<Content>
    init(_ content: Content) { self.content = Mutex(content) }
  }

  private let shared: Shared
  private let server: ScriptedServer

  init(dataset: String? = "d1") throws {
    let shared = Shared(Content(dataset: dataset))
    self.shared = shared
    server = try ScriptedServer { request in
      let (content, answer) = shared.content.withLock { content in
        content.requests += 1
        return (content, content.answer)
      }
      return answer?(request) ?? content.reply(to: request)
    }
  }

  var url: String { server.url }
  /// The requests so far: method and target, decoded.
  var requests: [String] {
    server.requests.map { "\($0.method) \(QueryText.decoded($0.target[...]))" }
  }

  func change(_ body: (inout Content) -> Void) {
    shared.content.withLock { body(&$0) }
  }

  /// A time, so many seconds after ten, or before.
  static func time(_ seconds: Int) -> String {
    let parts = [36_000 + seconds].flatMap { [$0 / 3_600, $0 / 60 % 60, $0 % 60] }
    let words = parts.map { "\($0 < 10 ? "0" : "")\($0)" }
    return "2026-03-01T\(words.joined(separator: ":")).000Z"
  }

  /// Puts a row, in place of one with its id; `id` is written as JSON writes texts, and `members`
  /// are more members, as they are.
  func put(
    _ id: String, at seconds: Int, version: String = "v1", deleted: Bool = false,
    _ members: String = #""text":"x""#
  ) {
    let comma = members.isEmpty ? "" : ","
    put(
      raw:
        #"{"id":"\#(id)","updatedAt":"\#(Self.time(seconds))","version":"\#(version)","deleted":"#
        + "\(deleted)\(comma)\(members)}", id: id, at: seconds)
  }

  /// Puts a row that is written as it is.
  func put(raw text: String, id: String, at seconds: Int) {
    change { content in
      // Byte by byte: Swift takes two spellings of é for one text.
      content.entries.removeAll { $0.id.utf8.elementsEqual(id.utf8) }
      content.entries.append(Entry(id: id, time: Self.time(seconds), text: text))
    }
  }
}

extension HostileTable.Content {
  func reply(
    to request: ReceivedRequest, ofTable table: String = "todoitem"
  ) -> ScriptedReply {
    let parts = request.target.split(separator: "?", maxSplits: 1)
    // A server of Datasync wants a version, which is how it's told from the Toolkit's.
    guard dataset != nil || !isVersioned || request.value(of: "ZUMO-API-VERSION") != nil else {
      return .json(#"{"error":"a version is needed"}"#, status: 400)
    }
    if let dataset, let wanted = request.value(of: "X-Tsync-Dataset"), wanted != dataset {
      return json(#"{"error":"a different data set"}"#, status: 421)
    }
    guard parts[0] != "/tables/\(table)" else {
      return list(QueryText.decoded(parts.count > 1 ? parts[1] : ""))
    }
    let id = QueryText.decoded(parts[0].split(separator: "/").last ?? "")
    guard let entry = entries.last(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
      return json(#"{"error":"no such row"}"#, status: 404)
    }
    return json(entry.text)
  }

  /// Makes an answer of JSON with the fields of this server.
  func json(_ text: String, status: Int = 200) -> ScriptedReply {
    var fields = [(name: "Content-Type", value: "application/json")]
    if let dataset { fields.append(("X-Tsync-Dataset", dataset)) }
    if let date { fields.append(("Date", date)) }
    return .answer(status, fields, body: Array(text.utf8))
  }

  private func list(_ query: String) -> ScriptedReply {
    var rows = entries
    if let start = Self.word(in: query, after: "updatedAt ge cast(") {
      rows.removeAll { $0.time < start }
    }
    if let end = Self.word(in: query, after: "updatedAt lt cast(") {
      rows.removeAll { $0.time >= end }
    }
    if let id = Self.word(in: query, after: "id gt '") { rows.removeAll { $0.id <= id } }
    if let id = Self.word(in: query, after: "id eq '") { rows.removeAll { $0.id != id } }
    if Self.word(in: query, after: "updatedAt eq null") != nil { rows = [] }
    rows.sort { left, right in
      Self.word(in: query, after: "$orderby=id") == nil && left.time != right.time
        ? left.time < right.time : left.id < right.id
    }
    let count = rows.count
    if let skip = Self.word(in: query, after: "$skip=").flatMap({ Int($0) }) {
      rows = Array(rows.dropFirst(skip))
    }
    if let top = Self.word(in: query, after: "$top=").flatMap({ Int($0) }) {
      rows = Array(rows.prefix(top))
    }
    let total = Self.word(in: query, after: "$count=true") == nil ? "null" : "\(count)"
    let next = link.map { "\"\($0(requests))\"" } ?? "null"
    return json(
      #"{"items":[\#(rows.map(\.text).joined(separator: ","))],"count":\#(total),"nextLink":\#(next)}"#
    )
  }

  /// Returns what follows some words, up to a comma, a quote, a bracket or `&`.
  static func word(in text: String, after words: String) -> String? {
    let (bytes, sought) = (Array(text.utf8), Array(words.utf8))
    guard let found = bytes.firstRange(of: sought) else { return nil }
    let rest = bytes[found.upperBound...].prefix { !",')&".utf8.contains($0) }
    return String(decoding: rest, as: UTF8.self)
  }
}
