/// The rules of a table for items that client and server both changed.
package struct MergePolicy: Hashable, Sendable {
  /// A merge rule; the setting `merge`.
  package enum Rule: String, CaseIterable, Sendable {
    /// Field by field; what both changed differently is in conflict.
    case fields
    /// Never by itself: every item that both changed is in conflict.
    case manual
    /// Field by field; where both changed a field differently the client's value stays.
    case client
    /// Field by field; where both changed a field differently the server's value is taken.
    case server
  }

  /// The rule for the table.
  package var rule: Rule
  /// The rules for single fields, which go before the table's.
  package var fields: [Text: Rule]

  package init(_ rule: Rule = .fields, fields: [Text: Rule] = [:]) {
    self.rule = rule
    self.fields = fields
  }

  /// Returns the rule for a field.
  package func rule(for field: Text) -> Rule { fields[field] ?? rule }
}
