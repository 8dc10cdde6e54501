import SyncEngine
import SyncModel

extension Dialect {
  /// The largest body that is sent: 1 MiB, what the smallest servers of the family take and what an
  /// item may be (safety.md §2.0).
  private static let bodyLimit = 1 << 20

  /// Returns the exact request that carries an operation out.
  ///
  /// The version goes into `If-Match` and never into the body; an insert has none
  /// (protocol.md §2.3, §5.4).
  ///
  /// - Throws: `Refusal` where it can't be sent at all.
  func request(for operation: Operation) throws(Refusal) -> Request {
    var request = Request(
      method: method(of: operation.kind), target: target(operation.key),
      headers: fields.map { Request.Header($0.name, $0.value) },
      body: try body(of: operation)?.encoded())
    if operation.kind == .insert { request.target = "tables/\(operation.key.table)" }
    if operation.kind == .undelete, self == .communityToolkit {
      request.target += "?\(includesDeleted)"
    }
    if let body = request.body {
      guard body.count <= Self.bodyLimit else {
        throw Refusal(status: 413, words: "the item is larger than 1 MiB")
      }
      request.headers.append(Request.Header("Content-Type", "application/json"))
    }
    guard operation.kind != .insert else { return request }
    guard let version = operation.base?.version else {
      throw Refusal(
        status: 428, words: "the server gives the row no version, so no write can be guarded")
    }
    request.headers.append(Request.Header("If-Match", version.entityTag))
    return request
  }

  private func method(of kind: Operation.Kind) -> String {
    switch (kind, self) {
    case (.insert, _), (.undelete, .mobileApps): "POST"
    case (.update, .communityToolkit), (.undelete, .communityToolkit): "PUT"
    case (.update, _), (.undelete, .datasync): "PATCH"
    case (.delete, _): "DELETE"
    }
  }

  private func body(of operation: Operation) throws(Refusal) -> JSON? {
    if operation.kind == .delete || (operation.kind == .undelete && self == .mobileApps) {
      return nil
    }
    guard var item = operation.item else {
      throw Refusal(status: 400, words: "there is no item to send")
    }
    // An item has no system fields; should one be given them, they are not the client's to send.
    item.fields = JSONObject(item.fields.members.filter { !SystemField.contains($0.name) })
    switch (operation.kind, self) {
    case (.update, .mobileApps), (.update, .datasync):
      return .object(Self.changes(from: operation.base?.item, to: item))
    case (.undelete, .datasync):
      var changes = Self.changes(from: nil, to: item)
      // What the tombstone still holds and the item doesn't would come back to life.
      for field in Change(from: operation.base?.item, to: item).fields where field.new == nil {
        changes.append(field.name, .null)
      }
      changes.append(SystemField.deleted.name, false)
      return .object(changes)
    case (.undelete, _):
      var whole = item.object(id: operation.key.id, omittingNulls: true)
      whole.append(SystemField.deleted.name, false)
      return .object(whole)
    default: return .object(item.object(id: operation.key.id, omittingNulls: true))
    }
  }

  /// Returns the members that differ; one that is gone is `null` (decisions.md 11).
  private static func changes(from old: Item?, to new: Item) -> JSONObject {
    JSONObject(
      Change(from: old, to: new).fields.map { .init(name: $0.name, value: $0.new ?? .null) })
  }
}

extension Version {
  /// The version as a strong entity tag: in quotes, a `"` in it as `\"` (protocol.md §2.3).
  var entityTag: String {
    var tag = Array("\"".utf8)
    for byte in text.bytes {
      if byte == UInt8(ascii: "\"") { tag.append(UInt8(ascii: "\\")) }
      tag.append(byte)
    }
    return String(decoding: tag + "\"".utf8, as: UTF8.self)
  }

  /// Takes the version from an entity tag; `nil` where it is weak or no entity tag: a weak one is a
  /// mark of the body's text, which some servers put on every answer.
  init?(entityTag: String) {
    let bytes = Array(entityTag.utf8).trimmed
    guard bytes.count >= 3, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"")
    else { return nil }
    var inner = bytes.dropFirst().dropLast()
    var text: [UInt8] = []
    while let byte = inner.popFirst() {
      if byte == UInt8(ascii: "\\"), inner.first == UInt8(ascii: "\"") { continue }
      text.append(byte)
    }
    guard let text = Text(validating: text) else { return nil }
    self.init(text)
  }
}
