package import HTTPTypes
package import SyncModel
import Synchronization

/// Who may ask: finds the user of a request's token.
///
/// A class, because all requests share what it counts.
package final class Access: Sendable {
  private struct Failures {
    var since: Moment
    var count: Int
  }

  private struct State {
    var tokens: [AccessToken] = []
    var readAt: Moment?
    var failures: [String: Failures] = [:]
  }

  private let store: any TokenStore
  private let now: @Sendable () -> Moment
  private let state = Mutex(State())

  /// Lets in whoever has a token of a store, by the clock `now`.
  package init(_ store: any TokenStore, now: @escaping @Sendable () -> Moment = { .now }) {
    self.store = store
    self.now = now
  }

  /// Returns the user whom a request's token names.
  ///
  /// A right token is always let in: tokens can't be guessed, and an address can be many people's.
  /// Wrong ones are told to wait after ten in a minute.
  ///
  /// Failures are counted by address.
  ///
  /// - Throws: `TableError.unauthorized`, `.wrongToken` or `.tooManyFailures`, or what the store throws.
  package func user(_ fields: HTTPFields, from address: String) async throws -> Text {
    guard let secret = Self.secret(fields) else { throw TableError.unauthorized }
    let digest = AccessToken.digest(of: secret)
    if let user = Self.user(of: digest, in: try await tokens(notBefore: Self.cacheMilliseconds)) {
      return user
    }
    if let user = Self.user(of: digest, in: try await tokens(notBefore: 0)) { return user }
    throw failure(of: address)
  }

  /// How long a token may still be let in after it was revoked by another process.
  private static let cacheMilliseconds: Int64 = 1_000

  private static func secret(_ fields: HTTPFields) -> String? {
    if let field = fields[.authorization] {
      let scheme = field.utf8.prefix { $0 != 0x20 }
      guard Text(String(Substring(scheme))).isEqual(anyCase: "Bearer") else { return nil }
      let rest = field.utf8.dropFirst(scheme.count).drop { $0 == 0x20 }
      return rest.isEmpty ? nil : String(Substring(rest))
    }
    return fields[.zumoAuth].flatMap { $0.utf8.isEmpty ? nil : $0 }
  }

  /// Looks at every token, so that the time doesn't tell which one is alike.
  private static func user(of digest: [UInt8], in tokens: [AccessToken]) -> Text? {
    var user: Text?
    for token in tokens where token.matches(digest) && token.revokedAt == nil { user = token.user }
    return user
  }

  /// Returns the tokens as they were at most so many milliseconds ago.
  private func tokens(notBefore age: Int64) async throws -> [AccessToken] {
    let time = now()
    let known: [AccessToken]? = state.withLock { state in
      guard let readAt = state.readAt, readAt <= time,
        time.milliseconds - readAt.milliseconds < age
      else { return nil }
      return state.tokens
    }
    if let known { return known }
    let tokens = try await store.tokens()
    state.withLock { state in
      state.tokens = tokens
      state.readAt = time
    }
    return tokens
  }

  private func failure(of address: String) -> TableError {
    let time = now()
    return state.withLock { state in
      state.failures = state.failures.filter { _, failures in
        (0..<60_000).contains(time.milliseconds - failures.since.milliseconds)
      }
      var failures = state.failures[address] ?? Failures(since: time, count: 0)
      failures.count += 1
      state.failures[address] = failures
      guard failures.count > ServedLimits.failuresPerMinute else { return .wrongToken }
      let left = failures.since.milliseconds + 60_000 - time.milliseconds
      return .tooManyFailures(retryAfter: Int((left + 999) / 1_000))
    }
  }
}
