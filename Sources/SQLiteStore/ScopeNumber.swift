import GRDB
import SyncModel
import TableServer

/// The numbers that stand for scopes in the database.
enum ScopeNumber {
  /// Returns a scope's number; `nil` where nothing was ever written to it.
  static func find(_ scope: Scope, _ database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(
      sql: "SELECT number FROM tables WHERE name = ? AND owner = ?")
    return try Int64.fetchOne(statement, arguments: scope.arguments)
  }

  /// Returns a scope's number and the stamp of its last write; makes the scope where it is new.
  static func make(_ scope: Scope, _ database: Database) throws -> (number: Int64, stamp: Stamp) {
    let statement = try database.cachedStatement(
      sql: "SELECT number, moment, count FROM tables WHERE name = ? AND owner = ?")
    if let row = try GRDB.Row.fetchOne(statement, arguments: scope.arguments) {
      let moment = try row.decode(Int64.self, atIndex: 1)
      let count = try row.decode(Int64.self, atIndex: 2)
      guard let stamp = Stamp(moment: moment, count: count) else {
        throw StoreDamage("the stamp of table '\(scope.table)' is not valid")
      }
      return (try row.decode(atIndex: 0), stamp)
    }
    try database.execute(
      sql: "INSERT INTO tables (name, owner, moment, count, floor) VALUES (?, ?, 0, 0, 0)",
      arguments: scope.arguments)
    return (database.lastInsertedRowID, .first)
  }

  /// Returns the stamps of the last writes.
  static func stamps(_ database: Database) throws -> [Scope: Stamp] {
    let rows = try GRDB.Row.fetchAll(
      database, sql: "SELECT name, owner, moment, count FROM tables")
    return try rows.reduce(into: [:]) { stamps, row in
      let name = try row.decode(String.self, atIndex: 0)
      guard let table = try? TableName(Text(name)),
        let stamp = try Stamp(moment: row.decode(atIndex: 2), count: row.decode(atIndex: 3))
      else { throw StoreDamage("the stamp of table '\(name)' is not valid") }
      stamps[Scope(table, owner: Text(try row.decode(String.self, atIndex: 1)))] = stamp
    }
  }

  /// Keeps the stamp of the last write of a scope.
  static func keep(_ stamp: Stamp, of number: Int64, _ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "UPDATE tables SET moment = ?, count = ? WHERE number = ?")
    try statement.execute(arguments: [stamp.moment.milliseconds, stamp.count, number])
  }
}

extension Scope {
  fileprivate var arguments: StatementArguments { [table.text.string, owner.string] }
}
