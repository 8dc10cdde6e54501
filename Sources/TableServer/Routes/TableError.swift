package import HTTPTypes
package import SyncModel

/// Why a request gets no row: the one table between what went wrong and what HTTP calls it.
package enum TableError: Error, Hashable, Sendable {
  /// What was sent can't be read; the text says why.
  case badRequest(String)
  /// No token.
  case unauthorized
  /// A token that is not known, or was revoked.
  case wrongToken
  /// Too many wrong tokens from this address.
  case tooManyFailures(retryAfter: Int)
  /// Nothing is served under this path.
  case noSuchPath
  /// The table isn't registered.
  case noSuchTable(String)
  /// The row isn't there.
  case noSuchItem
  /// The row is a tombstone, and the client knows the difference.
  case itemDeleted
  /// The id of an insert is a row's, or a tombstone's.
  case idTaken
  /// The path doesn't take this method.
  case methodNotAllowed(allowed: String)
  /// The body, or the item that a change would make, is larger than an item may be.
  case tooLarge
  /// The path and query are larger than 16 KiB.
  case targetTooLong
  /// The body is no JSON by its content type.
  case unsupportedMediaType
  /// The Host isn't one of this machine's own names, although only they can reach the server.
  case misdirected
  /// The request is meant for another data set.
  case otherDataset
  /// The request is meant for another user than the token's.
  case otherUser
  /// The query takes longer than one may.
  case queryTooLong
  /// The store can't be read or written; the text is for the log.
  case storeFailed(String)
  /// The store is damaged, and was to be read: asking again doesn't help.
  case storeDamaged
  /// The store is damaged, and was to be written: no change is wrong, all must wait.
  case storeDamagedForWrites
  /// The item is damaged in the store, and was to be read.
  case itemDamaged(Text)
  /// The item is damaged in the store, and was to be written; the others can be.
  case itemDamagedForWrites(Text)

  /// The status of the answer.
  package var status: HTTPResponse.Status {
    switch self {
    case .badRequest: .badRequest
    case .unauthorized, .wrongToken: .unauthorized
    case .tooManyFailures: .tooManyRequests
    case .noSuchPath, .noSuchTable, .noSuchItem: .notFound
    case .itemDeleted: .gone
    case .idTaken: .conflict
    case .methodNotAllowed: .methodNotAllowed
    case .tooLarge: .contentTooLarge
    case .targetTooLong: .uriTooLong
    case .unsupportedMediaType: .unsupportedMediaType
    case .misdirected, .otherDataset, .otherUser: .misdirectedRequest
    // Under load a query may be cut off that goes through another time.
    case .queryTooLong, .storeFailed: .serviceUnavailable
    case .storeDamaged, .itemDamaged: .internalServerError
    // After 500, tsync reads the row to learn whether it was written: where it is at its former
    // version, the change counts as rejected. Nothing is wrong with the change.
    case .storeDamagedForWrites: .serviceUnavailable
    // This row can't be read either: after 500 a push would stop there each time. RFC 5789 §2.2.
    case .itemDamagedForWrites: .unprocessableContent
    }
  }

  /// The words of the answer.
  package var message: String {
    switch self {
    case .badRequest(let reason): reason
    case .unauthorized: "a token is needed: Authorization: Bearer TOKEN, or X-ZUMO-AUTH: TOKEN"
    case .wrongToken: "the token is unknown, or was revoked"
    case .tooManyFailures(let seconds): "too many wrong tokens, try again in \(seconds) s"
    case .noSuchPath: "nothing has this path: tables are at /tables/NAME"
    case .noSuchTable(let name): "there is no table '\(name)'"
    case .noSuchItem: "the item does not exist"
    case .itemDeleted: "the item is deleted"
    case .idTaken: "an item or a deleted item already has this id"
    case .methodNotAllowed(let allowed): "the method is not allowed: use \(allowed)"
    case .tooLarge:
      "an item can have at most \(ServedLimits.item) bytes"
        + " and, without the system fields, \(ServedLimits.members) members"
    case .targetTooLong: "a path with its query can have at most \(ServedLimits.target) bytes"
    case .unsupportedMediaType: "the body must be application/json"
    case .misdirected: "this server does not serve that host"
    case .otherDataset: "X-Tsync-Dataset names another data set"
    case .otherUser: "X-Tsync-User names another user than the token"
    case .queryTooLong: "the query takes too long: request less"
    case .storeFailed: "the store is not available"
    case .storeDamaged, .storeDamagedForWrites: "the store is damaged: restore a backup"
    case .itemDamaged(let id), .itemDamagedForWrites(let id):
      "item '\(id)' is damaged in the store: restore a backup"
    }
  }

  /// Finds what a store's damage is to a request.
  init(_ damage: StoreDamage, isRead: Bool) {
    switch (damage.item, isRead) {
    case (nil, true): self = .storeDamaged
    case (nil, false): self = .storeDamagedForWrites
    case (let id?, true): self = .itemDamaged(id)
    case (let id?, false): self = .itemDamagedForWrites(id)
    }
  }

  /// The header fields that belong to the answer.
  package var fields: HTTPFields {
    switch self {
    case .unauthorized: [.wwwAuthenticate: "Bearer"]
    // RFC 6750 §3.1.
    case .wrongToken: [.wwwAuthenticate: #"Bearer error="invalid_token""#]
    case .tooManyFailures(let seconds): [.retryAfter: String(seconds)]
    case .methodNotAllowed(let allowed): [.allow: allowed]
    case .storeFailed: [.retryAfter: "1"]
    default: [:]
    }
  }
}
