/// The token for one origin, and the way to get a new one.
package struct Authorization {
  /// The header field that carries a token.
  package enum Scheme: String, Sendable {
    /// `X-ZUMO-AUTH`, the token alone.
    case zumoAuth
    /// `Authorization: Bearer`.
    case bearer
  }

  /// The token in use; `nil` sends none.
  package private(set) var token: Secret?
  /// The application key, the same for all users of an application; `nil` sends none.
  let key: Secret?
  /// The way to send it; `nil` leaves it to the dialect.
  package let scheme: Scheme?
  /// Counts the tokens, to tell an answer to an old one.
  private(set) var generation = 0
  private var refresh: (() throws -> Secret?)?
  private var former: Secret?

  /// Nobody.
  package static var none: Authorization { Authorization(token: nil) }

  /// Makes an authorization; `refresh` gets a new token when the server refuses the old one, and is
  /// asked once.
  package init(
    token: Secret?, key: Secret? = nil, scheme: Scheme? = nil,
    refresh: (() throws -> Secret?)? = nil
  ) {
    self.token = token
    self.key = key
    self.scheme = scheme
    self.refresh = refresh
  }

  /// Returns the header fields that carry the token and the application key.
  ///
  /// The dialect decides where nothing else is said; while it is not known, the token goes in both
  /// fields, to the same origin, and so does the key.
  func fields(_ dialect: Dialect?) -> [HTTPField] {
    let field = (dialect.map { [$0] } ?? Dialect.allCases).lazy.compactMap(\.keyField).first
    let keys = key.flatMap { key in field.map { HTTPField($0, key.reveal()) } }.map { [$0] } ?? []
    guard let token else { return keys }
    let schemes = (scheme ?? dialect?.scheme).map { [$0] } ?? [.bearer, .zumoAuth]
    return keys
      + schemes.map { scheme in
        switch scheme {
        case .zumoAuth: HTTPField("X-ZUMO-AUTH", token.reveal())
        case .bearer: HTTPField("Authorization", "Bearer \(token.reveal())")
        }
      }
  }

  /// Gets a new token after the server refused that of a generation.
  ///
  /// It answers whether there is one to try; where another one is in use by now, that one is.
  mutating func renew(after generation: Int) -> Bool {
    guard generation == self.generation else { return true }
    guard let refresh else { return false }
    self.refresh = nil
    guard let fresh = (try? refresh()) ?? nil else { return false }
    former = token
    token = fresh
    self.generation += 1
    return true
  }

  /// Returns bytes of a server's without the secrets that it was sent.
  func redacted(_ bytes: [UInt8]) -> [UInt8] {
    [token, former, key].compactMap { $0 }.reduce(bytes) { $1.redacted(from: $0) }
  }
}
