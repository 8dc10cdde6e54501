/// The statements that a store sends: all of its SQL.
///
/// No text of a client is in them. They use what every engine has that speaks as PostgreSQL does: no
/// sequences, notifications, savepoints, functions, or locks but of one row by its whole key.
package enum PostgresStatement: String, CaseIterable, Sendable {
  case begin = "BEGIN"
  case commit = "COMMIT"
  case rollback = "ROLLBACK"

  case statementTimeout = "SET statement_timeout = 5000"
  case lockTimeout = "SET lock_timeout = 3000"
  /// A server that stops within a transaction holds the clocks of its scopes.
  case idleTimeout = "SET idle_in_transaction_session_timeout = 5000"
  /// A plan that was made while a table was small must not read it whole later.
  case planning = "SET enable_seqscan = off"
  case bytesInOrder = "SELECT 'B' < 'a' AND 'Z' < 'é'"
  case encoding = "SHOW server_encoding"
  case time = "SELECT (extract(epoch FROM now()) * 1000)::bigint"

  case makeMeta =
    "CREATE TABLE IF NOT EXISTS tsync_meta (name text PRIMARY KEY, value text NOT NULL)"
  case makeClocks = """
    CREATE TABLE IF NOT EXISTS tsync_clocks (tbl text NOT NULL, owner text NOT NULL, \
    moment bigint NOT NULL, count bigint NOT NULL, floor bigint NOT NULL, PRIMARY KEY (tbl, owner))
    """
  /// `scope` is `tbl/owner`: the two keys share no column, so that each statement can go by one of them
  /// alone, and a plan that is kept is never of the other.
  case makeItems = """
    CREATE TABLE IF NOT EXISTS tsync_items (tbl text NOT NULL, owner text NOT NULL, \
    id text NOT NULL, scope text NOT NULL, created_at bigint NOT NULL, \
    updated_at bigint NOT NULL, version text NOT NULL, deleted integer NOT NULL, \
    text text NOT NULL, PRIMARY KEY (tbl, owner, id), UNIQUE (scope, updated_at))
    """
  case makeTokens = """
    CREATE TABLE IF NOT EXISTS tsync_tokens (digest text PRIMARY KEY, name text NOT NULL, \
    rights text NOT NULL, created_at bigint NOT NULL, revoked_at bigint)
    """

  case meta = "SELECT value FROM tsync_meta WHERE name = $1"
  case allMeta = "SELECT name, value FROM tsync_meta"
  /// At once: who comes first makes all of them.
  case addStore = """
    INSERT INTO tsync_meta (name, value) VALUES ('format', $1), ('dataset', $2), ('state', $3) \
    ON CONFLICT DO NOTHING
    """
  case setMeta = """
    INSERT INTO tsync_meta (name, value) VALUES ($1, $2) \
    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
    """
  /// Where the store has another state, the division fails; where it has this one, it keeps it for the
  /// transaction.
  case holdState = """
    SELECT 1 / (CASE value WHEN $1 THEN 1 ELSE 0 END) FROM tsync_meta WHERE name = 'state' FOR UPDATE
    """
  case removeMeta = "DELETE FROM tsync_meta WHERE name = $1"

  case lockClock = "SELECT moment, count FROM tsync_clocks WHERE tbl = $1 AND owner = $2 FOR UPDATE"
  case clocks = "SELECT tbl, owner, moment, count FROM tsync_clocks"
  case addClock = """
    INSERT INTO tsync_clocks (tbl, owner, moment, count, floor) VALUES ($1, $2, 0, 0, 0) \
    ON CONFLICT DO NOTHING
    """
  case setClock = """
    UPDATE tsync_clocks SET moment = $3, count = $4 WHERE tbl = $1 AND owner = $2
    """

  /// Who holds a clock is waited for, or fails.
  case touchClocks = "UPDATE tsync_clocks SET floor = floor"
  case removeClocks = "DELETE FROM tsync_clocks"

  case row = """
    SELECT id, created_at, updated_at, version, deleted, text FROM tsync_items \
    WHERE tbl = $1 AND owner = $2 AND id = $3
    """
  case insert = """
    INSERT INTO tsync_items \
    (tbl, owner, id, scope, created_at, updated_at, version, deleted, text) \
    VALUES ($1, $2, $3, $1::text || '/' || $2::text, $4, $5, $6, $7, $8)
    """
  /// Where no row has the version, the division fails, and with it the transaction: the COMMIT is sent
  /// before anybody has seen how many rows were changed.
  case update = """
    WITH changed AS (UPDATE tsync_items SET updated_at = $5, version = $6, deleted = $7, text = $8 \
    WHERE tbl = $1 AND owner = $2 AND id = $3 AND version = $4 RETURNING 1) \
    SELECT 1 / count(*) FROM changed
    """

  case byMoment = """
    SELECT id, created_at, updated_at, version, deleted, text FROM tsync_items \
    WHERE scope = $1::text || '/' || $2::text AND updated_at >= $3 AND updated_at <= $4 \
    AND deleted <= $5 \
    ORDER BY updated_at LIMIT $6
    """
  case byMomentDown = """
    SELECT id, created_at, updated_at, version, deleted, text FROM tsync_items \
    WHERE scope = $1::text || '/' || $2::text AND updated_at >= $3 AND updated_at <= $4 \
    AND deleted <= $5 \
    ORDER BY updated_at DESC LIMIT $6
    """
  case byID = """
    SELECT id, created_at, updated_at, version, deleted, text FROM tsync_items \
    WHERE tbl = $1 AND owner = $2 AND id > $3 AND deleted <= $4 ORDER BY id LIMIT $5
    """
  case remove = "DELETE FROM tsync_items WHERE tbl = $1 AND owner = $2 AND id <= $3"
  case countByMoment = """
    SELECT count(*) FROM tsync_items \
    WHERE scope = $1::text || '/' || $2::text AND updated_at >= $3 AND updated_at <= $4 \
    AND deleted <= $5
    """

  case tokens = """
    SELECT name, digest, created_at, revoked_at FROM tsync_tokens ORDER BY created_at, digest
    """
  case addToken = """
    INSERT INTO tsync_tokens (digest, name, rights, created_at, revoked_at) \
    VALUES ($1, $2, '', $3, $4)
    """
  case removeTokens = "DELETE FROM tsync_tokens"
  case revoke = "UPDATE tsync_tokens SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL"

  /// The name under which a connection has it prepared.
  var name: String { "s\(Self.places[self] ?? 0)" }

  private static let places = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
