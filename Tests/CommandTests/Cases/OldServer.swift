import SyncModel
import Synchronization
import TestSupport

/// A server of Mobile Services (2014), as far as its public runtime and clients tell how it answers:
/// writes are echoed, columns that a table lacks make a list empty, and tables may have numbers for ids.
final class OldServer: Sendable {
  /// What becomes of a write on its way.
  enum Fate: Sendable, CaseIterable {
    case answered, lostBefore, lostAfter, doubled
  }

  private struct Stored {
    var fields = JSONObject()
    var version = 0
    var time = 0
    var isDeleted = false
  }

  private struct State {
    var rows: [String: Stored] = [:]
    var clock = 0
    var fates: [Fate] = []
  }

  private let state = Mutex(State())
  private let server = Mutex<ScriptedServer?>(nil)
  /// Whether it refuses requests that name a version, as late releases do.
  private let refusesVersions: Bool
  /// Whether ids are numbers; then there are no system columns.
  private let hasNumbers: Bool
  /// A field that a script of its table takes out of what is sent; `nil` where there is no script.
  private let drops: Text?
  /// The application key that it wants; `nil` lets everybody in.
  private let key: String?

  init(
    refusesVersions: Bool = false, hasNumbers: Bool = false, drops: Text? = nil,
    key: String? = nil
  ) throws {
    (self.refusesVersions, self.hasNumbers, self.key) = (refusesVersions, hasNumbers, key)
    self.drops = drops
    let server = try ScriptedServer { [unowned self] in answer($0) }
    self.server.withLock { $0 = server }
  }

  var url: String { server.withLock { $0?.url ?? "" } }
  var requests: [ReceivedRequest] { server.withLock { $0?.requests ?? [] } }
  /// What becomes of the writes to come; then all are answered.
  func befall(_ fates: [Fate]) { state.withLock { $0.fates = fates } }
  /// The live rows, each as an object's text without system columns.
  var rows: [String] {
    state.withLock { state in
      state.rows.filter { !$0.value.isDeleted }.sorted { $0.key < $1.key }.map {
        text($0.key, $0.value.fields)
      }
    }
  }

  private func text(_ id: String, _ fields: JSONObject) -> String {
    var object = JSONObject([.init(name: "id", value: idValue(id))])
    for member in fields.members { object.append(member.name, member.value) }
    return String(decoding: JSON.object(object).encoded(), as: UTF8.self)
  }

  private func idValue(_ id: String) -> JSON {
    hasNumbers ? Int(id).map(JSON.integer) ?? .null : .string(Text(id))
  }

  // MARK: Requests

  private func answer(_ request: ReceivedRequest) -> ScriptedReply {
    if refusesVersions, request.value(of: "ZUMO-API-VERSION") != nil {
      return .answer(
        400, [("Content-Type", "text/html")],
        body: Array("This version (1.0.0) of the runtime takes no version".utf8))
    }
    if let key, request.value(of: "X-ZUMO-APPLICATION") != key { return error(401, "Unauthorized") }
    let parts = request.target.split(separator: "?", maxSplits: 1)
    var options: [String: String] = [:]
    for option in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let pair = option.split(separator: "=", maxSplits: 1)
      options[QueryText.decoded(pair[0])] = pair.count > 1 ? QueryText.decoded(pair[1]) : ""
    }
    if options["__systemproperties"].map({ $0 != "*" }) ?? false {
      return error(400, "The value is not a supported system property.")
    }
    let id = parts[0].split(separator: "/").dropFirst(2).first.map { QueryText.decoded($0) }
    return state.withLock { state in
      guard request.method != "GET" else { return read(id, options, state) }
      let fate = state.fates.isEmpty ? .answered : state.fates.removeFirst()
      if fate == .lostBefore { return .dropped }
      let first = write(request, id, options, &state)
      if fate == .lostAfter { return .dropped }
      return fate == .doubled ? write(request, id, options, &state) : first
    }
  }

  private func error(_ status: Int, _ words: String) -> ScriptedReply {
    .json(#"{"code":\#(status),"error":"Error: \#(words)"}"#, status: status)
  }

  private func row(
    _ id: String, _ row: Stored, _ fields: JSONObject, _ options: [String: String],
    status: Int = 200
  ) -> ScriptedReply {
    .json(whole(id, row, fields, options), status: status)
  }

  /// Returns a row's text, with its system columns where they are asked for.
  private func whole(
    _ id: String, _ row: Stored, _ fields: JSONObject, _ options: [String: String]
  ) -> String {
    var fields = fields
    if !hasNumbers, options["__systemproperties"] == "*" {
      fields.append("__createdAt", "2014-05-01T10:00:00.000Z")
      fields.append("__updatedAt", .string(Text(time(row.time))))
      fields.append("__version", .string(Text("v\(row.version)")))
      fields.append("__deleted", .bool(row.isDeleted))
    }
    return text(id, fields)
  }

  private func time(_ count: Int) -> String {
    let digits = String(10_000_000 + count).dropFirst()
    return "2014-05-01T\(10 + count / 3_600_000):"
      + "\(String(100 + count / 60_000 % 60).dropFirst()):"
      + "\(String(100 + count / 1_000 % 60).dropFirst()).\(digits.suffix(3))Z"
  }

  private func read(
    _ id: String?, _ options: [String: String], _ state: State
  ) -> ScriptedReply {
    let seesDeleted = options["__includeDeleted"] == "true"
    if let id {
      guard let found = state.rows[id], seesDeleted || !found.isDeleted else {
        return error(404, "An item with id '\(id)' does not exist.")
      }
      return row(id, found, found.fields, options)
    }
    let filter = options["$filter"] ?? ""
    let order = options["$orderby"] ?? ""
    // A column that the table lacks makes the list empty.
    let isAnswered = !hasNumbers || !"\(filter) \(order)".contains("__")
    guard isAnswered,
      !"\(filter) \(order)".contains("updatedAt") || order.contains("__updatedAt")
        || filter.contains("__updatedAt")
    else { return .json("[]") }
    var rows = state.rows.filter { seesDeleted || !$0.value.isDeleted }
      .filter { row in conditions(filter).allSatisfy { holds($0, row.key, row.value) } }
      .sorted { left, right in
        order.hasPrefix("__updatedAt") && left.value.time != right.value.time
          ? left.value.time < right.value.time
          : hasNumbers ? Int(left.key) ?? 0 < Int(right.key) ?? 0 : left.key < right.key
      }
    let count = rows.count
    rows = Array(rows.dropFirst(options["$skip"].flatMap { Int($0) } ?? 0))
    rows = Array(rows.prefix(min(1_000, options["$top"].flatMap { Int($0) } ?? 50)))
    let texts = rows.map { whole($0.key, $0.value, $0.value.fields, options) }
    let list = "[\(texts.joined(separator: ","))]"
    return .json(
      options["$inlinecount"] == "allpages" ? #"{"results":\#(list),"count":\#(count)}"# : list)
  }

  private func conditions(_ filter: String) -> [String] {
    filter.replacing(") and (", with: "\n").split(separator: "\n").map { part in
      String(part.drop { $0 == "(" }.reversed().drop { $0 == ")" }.reversed())
    }
  }

  private func holds(_ condition: String, _ id: String, _ row: Stored) -> Bool {
    let words = condition.split(separator: " ", maxSplits: 2).map(String.init)
    let value = words[2].split(separator: "'").last.map(String.init) ?? ""
    switch (words[0], words[1]) {
    case ("__updatedAt", "ge"): return time(row.time) >= value
    case ("__updatedAt", "lt"): return time(row.time) < value
    case ("__updatedAt", "eq"): return false
    case ("id", "gt"): return hasNumbers ? Int(id) ?? 0 > Int(value) ?? 0 : id > value
    case ("id", "eq"): return id == value
    default: fatalError("not a condition: \(condition)")
    }
  }

  // MARK: Writes

  private func write(
    _ request: ReceivedRequest, _ id: String?, _ options: [String: String], _ state: inout State
  ) -> ScriptedReply {
    var sent = request.body.isEmpty ? nil : (try? JSON(parsing: request.body))?.object
    if let drops { sent?[drops] = nil }
    guard let id else { return insert(sent ?? JSONObject(), options, &state) }
    guard var found = state.rows[id] else { return error(404, "there is no such item") }
    let match = request.value(of: "If-Match")
    guard match == nil || match == "\"v\(found.version)\"" else {
      return row(id, found, found.fields, ["__systemproperties": "*"], status: 412)
    }
    switch request.method {
    case "POST":
      guard sent == nil, request.value(of: "Content-Type") == nil else {
        return error(400, "an undelete has no body")
      }
      found.isDeleted = false
      touch(&found, &state)
      state.rows[id] = found
      return row(id, found, JSONObject(), options)
    case _ where found.isDeleted: return error(404, "there is no such item")
    case "DELETE":
      if hasNumbers {
        state.rows[id] = nil
      } else {
        found.isDeleted = true
        touch(&found, &state)
        state.rows[id] = found
      }
      return .answer(204)
    default:
      guard let sent else { return error(400, "a single JSON object is expected") }
      for member in sent.members where member.name != "id" {
        found.fields[member.name] = member.value.isNull ? nil : member.value
      }
      touch(&found, &state)
      state.rows[id] = found
      return row(id, found, JSONObject(sent.members.filter { $0.name != "id" }), options)
    }
  }

  private func insert(
    _ sent: JSONObject, _ options: [String: String], _ state: inout State
  ) -> ScriptedReply {
    var made = Stored()
    made.fields = JSONObject(sent.members.filter { $0.name != "id" })
    touch(&made, &state)
    if hasNumbers {
      guard sent["id"] == nil else {
        return error(400, "A value cannot be specified for property 'id'")
      }
      let id = "\((state.rows.keys.compactMap { Int($0) }.max() ?? 0) + 1)"
      state.rows[id] = made
      return row(id, made, made.fields, options, status: 201)
    }
    guard let id = sent["id"]?.text?.string else { return error(400, "no id") }
    guard state.rows[id] == nil else {
      return error(
        409, "Could not insert the item because an item with that id already exists.")
    }
    state.rows[id] = made
    return row(id, made, made.fields, options, status: 201)
  }

  private func touch(_ row: inout Stored, _ state: inout State) {
    state.clock += 1
    (row.version, row.time) = (row.version + 1, state.clock)
  }

  /// Makes rows, as another client would.
  func add(_ ids: [String], _ text: String) {
    state.withLock { state in
      for id in ids {
        var made = Stored()
        made.fields = JSONObject([.init(name: "text", value: .string(Text(text)))])
        touch(&made, &state)
        state.rows[id] = made
      }
    }
  }

  /// Changes a row's text, as another client would.
  func change(_ id: String, _ text: String) {
    state.withLock { state in
      guard var row = state.rows[id] else { return }
      row.fields["text"] = .string(Text(text))
      touch(&row, &state)
      state.rows[id] = row
    }
  }
}
