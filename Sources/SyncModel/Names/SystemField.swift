/// The members of a row that only the server sets.
package enum SystemField: String, CaseIterable, Sendable {
  case createdAt, updatedAt, version, deleted

  /// The member's name.
  package var name: Text { Text(rawValue) }

  /// Returns whether a member's name is a system field's; names that begin with `__` are the
  /// server's, too.
  package static func contains(_ name: Text) -> Bool {
    name.string.utf8.starts(with: "__".utf8) || allCases.contains { $0.name == name }
  }
}
