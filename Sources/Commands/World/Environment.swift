package import SyncModel

/// The environment's variables, looked up by the bytes of their names.
package struct Environment: Sendable {
  /// The variables in their order.
  package let variables: [(name: Text, value: Text)]

  /// Keeps the variables in the given order.
  package init(_ variables: [(name: Text, value: Text)]) {
    self.variables = variables
  }

  /// The value of a variable; `nil` if it is absent.
  package subscript(name: Text) -> String? {
    variables.first { $0.name == name }?.value.string
  }

  /// The value of a variable; `nil` if it is absent or empty.
  package func nonEmpty(_ name: Text) -> String? {
    self[name].flatMap { $0.utf8.isEmpty ? nil : $0 }
  }

  /// Returns the environment with some variables set.
  package func setting(_ new: [(name: Text, value: Text)]) -> Environment {
    Environment(variables.filter { old in !new.contains { $0.name == old.name } } + new)
  }
}
