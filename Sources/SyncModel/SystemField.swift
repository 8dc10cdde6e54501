/// The members of a row that are the server's own (protocol.md §6.2).
package enum SystemField: String, CaseIterable, Sendable {
  case createdAt, updatedAt, version, deleted

  /// The member's name.
  package var name: Text { Text(rawValue) }

  /// Returns whether a member's name is a system field's.
  package static func contains(_ name: Text) -> Bool {
    allCases.contains { $0.name == name }
  }
}
