/// The merge of two changes of one item, field by field.
///
/// ```
///          base
///         /    \        what one side changed takes that side;
///     client  server    what both changed alike is no conflict;
///         \    /        objects are merged member by member, texts of several lines by lines,
///         merged        arrays are one value (``MergeTree``)
/// ```
///
/// A side, a rule or a choice decides only what both sides changed differently; all else is merged.
/// With `manual`, a field that both sides changed is one value; with `manual` for the whole table, each
/// field that a side changed is in conflict.
package struct FieldMerge: Equatable, Sendable {
  /// The side that a field's value came from.
  package enum Source: String, Sendable {
    case client, server
    /// From both: members of an object, or lines of a text.
    case both
  }

  /// A field that at least one side changed, and the source of the merged value.
  package struct Merged: Equatable, Sendable {
    /// The field's name.
    package let name: Text
    /// Where its value came from.
    package let source: Source
    /// Whether a change of the other side lost, by a rule of the policy.
    package var overrules = false
  }

  /// What is taken at a place that is in conflict, or for all that is in conflict within it.
  package enum Choice: Equatable, Sendable {
    /// What a version has.
    case side(Side)
    /// A value for the whole place; `nil` removes it.
    case value(JSON?)
  }

  /// A field of one of the versions.
  package struct Field: Equatable, Sendable {
    /// Its name.
    package let name: Text
    /// What it is in the three versions.
    package let tree: MergeTree
    /// The side that a rule takes where the field is in conflict; `nil` where a person is asked.
    let ruling: Side?

    /// Whether something in it is in conflict, for a person to decide.
    package var isDisputed: Bool { ruling == nil && tree.isDisputed }

    /// The merged value; what is in conflict is as `side` has it.
    package func merged(taking side: Side, _ choices: [FieldPath: Choice] = [:]) -> JSON? {
      tree.merged(taking: ruling ?? side, choices, at: FieldPath(name))
    }
  }

  /// The fields, in the client's order, then the server's, then the base's.
  package let fields: [Field]
  private let client: Item

  /// Merges; an item that both sides added has no fields in its base.
  package init(base: Item?, client: Item, server: Item, policy: MergePolicy = MergePolicy()) {
    self.client = client
    let values = (base: base?.values ?? [:], client: client.values, server: server.values)
    var seen: Set<Text> = []
    let members = [client, server, base].flatMap { $0?.fields.members ?? [] }
    fields = members.map(\.name).filter { seen.insert($0).inserted }.map { name in
      let sides = Sides(
        base: values.base[name], client: values.client[name], server: values.server[name])
      let rule = policy.rule(for: name)
      let isManual = rule == .manual && (policy.rule == .manual || sides.changer == nil)
      return Field(
        name: name, tree: MergeTree(sides, isManual: isManual),
        ruling: rule == .client ? .client : rule == .server ? .server : nil)
    }
  }

  /// Returns the merged item, with what is in conflict as `side` has it, and at each of the chosen
  /// places as it was chosen there.
  package func item(taking side: Side = .client, _ choices: [FieldPath: Choice] = [:]) -> Item {
    var item = client
    for field in fields {
      let value = field.merged(taking: side, choices)
      if value != item[field.name] { item.fields[field.name] = value }
    }
    return item
  }

  /// Returns the three values at a place; `nil` where there is none.
  package func values(at path: FieldPath) -> Sides<JSON?> {
    let field = fields.first { $0.name == path.field }?.tree.values
    func value(_ side: Side) -> JSON? {
      path.steps.dropFirst().reduce(field?[side]) { $0?.object?[$1] }
    }
    return Sides(base: value(.base), client: value(.client), server: value(.server))
  }

  /// The places that a side changed, in the order of the fields.
  package var differences: [Difference] {
    fields.flatMap { field in
      field.tree.differences(at: FieldPath(field.name)).map { difference in
        var difference = difference
        difference.isDisputed = difference.isDisputed && field.ruling == nil
        return difference
      }
    }
  }

  /// Whether something is in conflict, for a person to decide.
  package var isDisputed: Bool { fields.contains(where: \.isDisputed) }

  /// The places that are in conflict, for a person to decide.
  package var disputes: [Difference] { differences.filter(\.isDisputed) }

  /// The fields that were merged.
  package var merged: [Merged] {
    fields.compactMap { field in
      let values = field.tree.values
      guard values.client != values.server, !field.isDisputed else { return nil }
      let ruling = field.tree.isDisputed ? field.ruling : nil
      guard let side = values.changer ?? ruling else {
        return Merged(name: field.name, source: .both)
      }
      let isWhole = field.merged(taking: side) == values[side]
      return Merged(
        name: field.name, source: !isWhole ? .both : side == .client ? .client : .server,
        overrules: values.changer == nil)
    }
  }

  /// Whether a value of the client's lost by a rule of the policy.
  package var clientLost: Bool { fields.contains { $0.ruling == .server && $0.tree.isDisputed } }

  /// Whether a value of the server's lost by a rule of the policy.
  package var serverLost: Bool { fields.contains { $0.ruling == .client && $0.tree.isDisputed } }
}
