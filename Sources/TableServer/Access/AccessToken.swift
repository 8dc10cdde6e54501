import Crypto
package import SyncModel

/// A token as the server keeps it: whose it is, and a digest that it can be recognized by.
package struct AccessToken: Hashable, Sendable {
  /// The user.
  package var user: Text
  /// The SHA-256 of the token's text, 32 bytes.
  package var digest: [UInt8]
  /// When it was made.
  package var createdAt: Moment
  /// When it ceased to count; `nil` while it counts.
  package var revokedAt: Moment?

  package init(user: Text, digest: [UInt8], createdAt: Moment, revokedAt: Moment? = nil) {
    self.user = user
    self.digest = digest
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }

  /// Makes a token of 256 random bits, and its record.
  package static func make(for user: Text, at now: Moment) -> (secret: String, AccessToken) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var random = SystemRandomNumberGenerator()
    // 43 characters of 6 bits each hold 258.
    let secret = String(
      decoding: (0..<43).map { _ in alphabet[Int(random.next(upperBound: UInt64(64)))] },
      as: UTF8.self)
    return (secret, AccessToken(user: user, digest: digest(of: secret), createdAt: now))
  }

  /// Returns what a token is recognized by.
  package static func digest(of secret: String) -> [UInt8] {
    Array(SHA256.hash(data: Array(secret.utf8)))
  }

  /// Whether a token has this digest; takes the same time for every answer.
  func matches(_ other: [UInt8]) -> Bool {
    guard other.count == digest.count else { return false }
    return zip(digest, other).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
  }
}

/// Where tokens are kept.
package protocol TokenStore: Sendable {
  /// Returns all tokens ever made, the oldest first.
  ///
  /// - Throws: Whatever keeps the store from being read.
  func tokens() async throws -> [AccessToken]

  /// Keeps a token; when this returns it is durable.
  ///
  /// - Throws: Whatever keeps the store from being written.
  func add(_ token: AccessToken) async throws

  /// Makes a user's tokens cease to count; answers how many there were that counted.
  ///
  /// - Throws: Whatever keeps the store from being written.
  func revoke(_ user: Text, at now: Moment) async throws -> Int
}
