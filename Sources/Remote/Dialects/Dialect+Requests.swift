package import SyncEngine
import SyncModel

/// A write as it is sent, without secrets.
package struct PreparedRequest: Equatable, Sendable {
  /// The method.
  package var method: String
  /// The target, relative to the server's address, percent-encoded.
  package var target: String
  /// The header fields that belong to the write.
  package var headers: [HTTPField]
  /// The body; `nil` where there is none.
  package var body: [UInt8]?
}

extension Dialect {
  /// The largest body that is sent: 1 MiB, what the smallest servers of the family take and what an
  /// item may be.
  private static let bodyLimit = 1 << 20

  /// Returns the exact request that carries an operation out.
  ///
  /// The version goes into `If-Match` and never into the body; an insert has none. With
  /// `serverMakesIDs`, the table gives new rows ids of its own.
  ///
  /// - Throws: `Refusal` where it can't be sent at all.
  package func request(
    for operation: Operation, serverMakesIDs: Bool = false
  ) throws(Refusal) -> PreparedRequest {
    let key = operation.key
    let writing = writing(of: operation.kind)
    let path = operation.kind == .insert ? "tables/\(key.table)" : path(of: key)
    var request = PreparedRequest(
      method: writing.method,
      target: target(path, writing.seesDeleted ? [includesDeleted] : []),
      headers: fields,
      body: try body(of: operation, writing.content)?.encoded())
    if operation.kind == .insert, serverMakesIDs, !sendsMadeIDs {
      request.body = operation.item.map { JSON.object(Self.changes(from: nil, to: $0)).encoded() }
    }
    if let body = request.body {
      guard body.count <= Self.bodyLimit else {
        throw Refusal(status: 413, words: "the item is larger than 1 MiB")
      }
      request.headers.append(HTTPField("Content-Type", "application/json"))
    }
    guard operation.kind != .insert else { return request }
    guard let version = operation.base?.version else {
      throw Refusal(
        status: 428,
        words: "the server sends no version of the row, so tsync cannot write it safely")
    }
    request.headers.append(HTTPField("If-Match", version.entityTag))
    return request
  }

  /// Whether a refused insert shows that the table's ids are the server's to make.
  func refusesIDs(_ refusal: Refusal) -> Bool {
    !sendsMadeIDs && refusal.status == 400
      && refusal.words.bytes.holds(word: "cannot be specified for property 'id'")
  }

  private func writing(of kind: Operation.Kind) -> Writing {
    switch kind {
    case .insert: Writing(method: "POST", content: .whole)
    case .update: update
    case .delete: Writing(method: "DELETE", content: .nothing)
    case .undelete: undelete
    }
  }

  private func body(of operation: Operation, _ content: Content) throws(Refusal) -> JSON? {
    if case .nothing = content { return nil }
    guard var item = operation.item else {
      throw Refusal(status: 400, words: "there is no item to send")
    }
    // An item has no system fields; should one be given them, they are not the client's to send.
    item.fields = JSONObject(item.fields.members.filter { !SystemField.contains($0.name) })
    let isUndelete = operation.kind == .undelete
    var object: JSONObject
    if case .whole = content {
      object = item.object(id: operation.key.id, omittingNulls: true)
    } else {
      object = Self.changes(from: isUndelete ? nil : operation.base?.item, to: item)
    }
    try Self.checkCase(of: object, in: item)
    guard isUndelete else { return .object(object) }
    if case .changes = content {
      // What the tombstone still holds and the item doesn't would come back to life.
      for field in Change(from: operation.base?.item, to: item).fields where field.new == nil {
        object.append(field.name, .null)
      }
    }
    object.append(SystemField.deleted.name, false)
    return .object(object)
  }

  /// The servers of the family don't tell names apart by case: the one would overwrite the other.
  private static func checkCase(of sent: JSONObject, in item: Item) throws(Refusal) {
    let known = (item.fields.members + sent.members).map(\.name)
    if known.allSatisfy(\.isLowercased) { return }
    for name in sent.members.map(\.name) {
      let other = ([Item.idField] + SystemField.allCases.map(\.name) + known).first {
        $0 != name && $0.lowercased == name.lowercased
      }
      guard let other else { continue }
      throw Refusal(
        status: 400, words: Text("'\(name)' differs from '\(other)' only in case"))
    }
  }

  /// Returns the members that differ; one that is gone is `null`.
  private static func changes(from old: Item?, to new: Item) -> JSONObject {
    JSONObject(
      Change(from: old, to: new).fields.map { .init(name: $0.name, value: $0.new ?? .null) })
  }
}

extension Version {
  /// The version as a strong entity tag: in quotes, a `"` in it as `\"`.
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
