import Glibc
package import HTTPTypes
package import SyncModel
import Synchronization

/// Who may ask: finds the user of a request's token.
///
/// A class, because all requests share what it counts.
package final class Access: Sendable {
  private struct State {
    var tokens: [AccessToken] = []
    var readAt: Moment?
    /// When the minute began in which failures are counted.
    var since: Moment?
    var failures: [[UInt8]: Int] = [:]
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
  /// After ten wrong ones in a minute, an address, or a network of IPv6, must wait; until then the store
  /// is read for each.
  ///
  /// - Throws: `TableError.unauthorized`, `.wrongToken` or `.tooManyFailures`, or what the store throws.
  package func user(_ fields: HTTPFields, from address: String) async throws -> Text {
    guard let secret = Self.secret(fields) else { throw TableError.unauthorized }
    let digest = AccessToken.digest(of: secret)
    if let user = Self.user(of: digest, in: try await tokens(notBefore: Self.cacheMilliseconds)) {
      return user
    }
    // The token may have been made just now.
    if let error = failure(of: address) { throw error }
    if let user = Self.user(of: digest, in: try await tokens(notBefore: 0)) { return user }
    throw TableError.wrongToken
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
    return [fields[.zumoAuth], fields[.zumoApplication]].compactMap(\.self)
      .first { !$0.utf8.isEmpty }
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

  /// Counts a failure; returns the error where there were too many.
  ///
  /// The counts of a minute end with it, so that what they cost doesn't grow.
  private func failure(of address: String) -> TableError? {
    let time = now()
    let network = Self.network(of: address)
    return state.withLock { state in
      var age = state.since.map { time.milliseconds - $0.milliseconds } ?? -1
      if !(0..<60_000).contains(age) {
        (age, state.since, state.failures) = (0, time, [:])
      }
      let count = state.failures[network, default: 0] + 1
      let isCounted = count > 1 || state.failures.count < ServedLimits.failingNetworks
      if isCounted { state.failures[network] = count }
      guard !isCounted || count > ServedLimits.failuresPerMinute else { return nil }
      return .tooManyFailures(retryAfter: Int((60_000 - age + 999) / 1_000))
    }
  }

  /// Returns what failures of an address are counted under: the address, of IPv6 the first 64 bits.
  private static func network(of address: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return Array(address.utf8) }
    // An address of IPv4 that is written as one of IPv6 is its own network.
    let isFour = bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
    return isFour ? bytes : Array(bytes[..<8])
  }
}
