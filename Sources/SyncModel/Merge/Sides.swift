/// A version of an item, in the order in which a marked document has them.
package enum Side: CaseIterable, Sendable {
  case client, base, server
}

/// What the three versions of an item have at one place.
package struct Sides<Value: Equatable & Sendable>: Equatable, Sendable {
  /// The three values.
  package let base, client, server: Value

  /// Takes the values.
  package init(base: Value, client: Value, server: Value) {
    (self.base, self.client, self.server) = (base, client, server)
  }

  /// Makes the value of each version.
  init(_ value: (Side) -> Value) {
    self.init(base: value(.base), client: value(.client), server: value(.server))
  }

  /// The value of one version.
  package subscript(side: Side) -> Value {
    switch side {
    case .client: client
    case .base: base
    case .server: server
    }
  }

  /// Whether a side changed it.
  package var isChanged: Bool { client != base || server != base }

  /// The side that alone changed it; `nil` where none or both did.
  package var changer: Side? {
    if client == server { return nil }
    return server == base ? .client : client == base ? .server : nil
  }

  /// Whether both sides changed it differently.
  package var isDisputed: Bool { client != server && changer == nil }

  /// Returns the changed value; if the sides changed it differently, that of `side`.
  package func merged(taking side: Side) -> Value {
    client == server ? client : self[changer ?? side]
  }
}
