package import SyncModel
package import TableServer

extension PostgresStore {
  package func tokens() async throws -> [AccessToken] {
    try await read { lane in
      let rows = try lane.send(.tokens)
      return try (0..<rows.count).map { row in
        guard let user = rows.text(row, 0), let digest = rows.text(row, 1).flatMap(Self.bytes),
          let createdAt = rows.number(row, 2), Moment.served.contains(createdAt),
          Moment.served.contains(rows.number(row, 3) ?? createdAt)
        else { throw StoreDamage("a token is not valid") }
        return AccessToken(
          user: Text(user), digest: digest, createdAt: Moment(milliseconds: createdAt),
          revokedAt: rows.number(row, 3).map(Moment.init(milliseconds:)))
      }
    }
  }

  package func add(_ token: AccessToken) async throws {
    let digest = token.digest.map(\.hexadecimal).joined()
    _ = try await change(
      .addToken, digest, token.user.string, "\(token.createdAt.milliseconds)",
      (token.revokedAt?.milliseconds).map { "\($0)" })
  }

  package func revoke(_ user: Text, at now: Moment) async throws -> Int {
    try await change(.revoke, user.string, "\(now.milliseconds)")
  }

  /// Changes tokens, and returns how many.
  private func change(_ statement: PostgresStatement, _ values: String?...) async throws -> Int {
    try await writer.run { lane in
      do throws(PostgresFault) {
        return try lane.send([PostgresCall(statement, values: values)]).first?.changed ?? 0
      } catch {
        throw error.failure
      }
    }
  }

  /// Reads hexadecimal digits; `nil` where there are others.
  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
      digits[place].hexadecimalDigit.flatMap { high in
        digits[place + 1].hexadecimalDigit.map { high << 4 | $0 }
      }
    }
    return bytes.count == digits.count / 2 ? bytes : nil
  }
}
