import FoundationEssentials
import GRDB
package import SyncModel
package import TableServer

extension SQLiteItemStore {
  package func tokens() async throws -> [AccessToken] {
    do {
      return try await pool.read { database in
        try GRDB.Row.fetchAll(
          database,
          sql: "SELECT user, digest, created_at, revoked_at FROM tokens ORDER BY number"
        ).map { row in
          let createdAt = try row.decode(Int64.self, atIndex: 2)
          let revokedAt = try row.decode(Int64?.self, atIndex: 3)
          guard [createdAt, revokedAt ?? createdAt].allSatisfy(Moment.served.contains) else {
            throw StoreDamage("a token has a time that is not valid")
          }
          return try AccessToken(
            user: Text(row.decode(atIndex: 0)), digest: Array(row.decode(Data.self, atIndex: 1)),
            createdAt: Moment(milliseconds: createdAt),
            revokedAt: revokedAt.map(Moment.init(milliseconds:)))
        }
      }
    } catch {
      throw StoreDamage.found(in: error)
    }
  }

  package func add(_ token: AccessToken) async throws {
    try await pool.write { database in
      try database.execute(
        sql: "INSERT INTO tokens (user, digest, created_at, revoked_at) VALUES (?, ?, ?, ?)",
        arguments: [
          token.user.string, Data(token.digest), token.createdAt.milliseconds,
          token.revokedAt?.milliseconds,
        ])
    }
  }

  package func revoke(_ user: Text, at now: Moment) async throws -> Int {
    try await pool.write { database in
      try database.execute(
        sql: "UPDATE tokens SET revoked_at = ? WHERE user = ? AND revoked_at IS NULL",
        arguments: [now.milliseconds, user.string])
      return database.changesCount
    }
  }
}
