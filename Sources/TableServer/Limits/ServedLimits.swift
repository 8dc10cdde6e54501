import SyncModel

/// How much the server takes from a client.
package enum ServedLimits {
  /// Bytes of a request's body, and of a stored item: 1 MiB.
  package static let item = 1 << 20
  /// Members of a stored item beside the five system fields: with them, as many as a client takes.
  package static let members = JSONLimits.item.members - 5
  /// Bytes of a request's path and query: 16 KiB.
  package static let target = 16 << 10
  /// Bytes of all header fields together: 16 KiB.
  package static let header = 16 << 10
  /// Header fields in a request.
  package static let headerFields = 100
  /// Bytes of a `$filter`: 8 KiB.
  package static let filter = 8 << 10
  /// Operators, functions, names and literals in a `$filter`.
  package static let filterNodes = 200
  /// How deep parentheses, functions and signs may lie within one another in a `$filter`.
  package static let filterDepth = 32
  /// The largest `$top`.
  package static let top = 1_000
  /// Bytes of rows after which a page ends, whatever `$top` is: 2 MiB.
  package static let page = 2 << 20
  /// Writes that share a transaction at most, so that the first of them needn't wait long.
  package static let groupRows = 500
  /// Bytes that these have at most, as they were sent: 4 MiB.
  package static let groupBytes = 4 << 20
  /// How long a query may take.
  package static let query = Duration.seconds(2)
  /// Terms in a `$orderby`, names in a `$select`.
  package static let terms = 32
  /// Connections in all.
  package static let connections = 512
  /// Connections from one address.
  package static let connectionsPerAddress = 128
  /// Seconds that a connection may be idle.
  package static let idleSeconds: Int64 = 60
  /// Seconds that requests under way have to finish once the server stops.
  package static let shutdownSeconds: Int64 = 10
  /// Wrong tokens that an address may send in a minute before it must wait.
  package static let failuresPerMinute = 10
  /// Addresses whose wrong tokens are counted in a minute; any other waits at the first one.
  package static let failingNetworks = 10_000
}
