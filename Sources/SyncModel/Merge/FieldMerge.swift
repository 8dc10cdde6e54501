/// The merge of two changes of one item, field by field.
///
/// ```
///          base
///         /    \        what one side changed takes that side;
///     client  server    what both changed alike is no conflict;
///         \    /        objects are merged member by member, texts of several lines by lines,
///         merged        lists by their elements (``MergeTree``)
/// ```
///
/// A side, a rule or a choice decides only what both sides changed differently; all else is merged.
/// With `manual`, a field that both sides changed is one value; with `manual` for the whole table, each
/// field that a side changed is in conflict.
package struct FieldMerge: Equatable, Sendable {
  /// The side that a field's value came from.
  package enum Source: String, Sendable {
    case client, server
    /// From both: members of an object, lines of a text, or elements of a list.
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

  /// The fields, in the client's order, then the server's, then the base's.
  package let fields: [MergeTree.Member]
  /// The rules that it was made by.
  package let policy: MergePolicy
  private let client: Item

  /// Merges; an item that both sides added has no fields in its base.
  package init(base: Item?, client: Item, server: Item, policy: MergePolicy = MergePolicy()) {
    (self.client, self.policy) = (client, policy)
    let values = Sides(base: base?.values ?? [:], client: client.values, server: server.values)
    var seen: Set<Text> = []
    let members = [client, server, base].flatMap { $0?.fields.members ?? [] }
    fields = members.map(\.name).filter { seen.insert($0).inserted }.map { name in
      let sides = Sides { values[$0][name] }
      let rule = policy.rule(for: name)
      let tree = MergeTree(
        sides, ruling: rule == .client ? .client : rule == .server ? .server : nil,
        isManual: rule == .manual && (policy.rule == .manual || sides.changer == nil))
      return MergeTree.Member(name: name, tree: tree)
    }
  }

  /// Returns the merged item, with what is in conflict as `side` has it, and at each of the chosen
  /// places as it was chosen there.
  package func item(taking side: Side = .client, _ choices: [FieldPath: Choice] = [:]) -> Item {
    var item = client
    for field in fields {
      let value = field.tree.merged(taking: side, choices, at: FieldPath(field.name))
      if value != item[field.name] { item.fields[field.name] = value }
    }
    return item
  }

  /// Returns what stands at a place; `nil` for a place within one value.
  package func tree(at path: FieldPath) -> MergeTree? {
    path.steps.dropFirst().reduce(fields.first { $0.name == path.field }?.tree) { tree, step in
      tree?.parts.members.first { $0.name == step }?.tree
    }
  }

  /// Whether a place is an element of a list.
  package func isElement(_ path: FieldPath) -> Bool {
    guard case .elements? = path.parent.flatMap(tree(at:))?.parts else { return false }
    return true
  }

  /// The places that a side changed, in the order of the fields.
  package var differences: [Difference] {
    fields.flatMap { $0.tree.differences(at: FieldPath($0.name)) }
  }

  /// Whether something is in conflict, for a person to decide.
  package var isDisputed: Bool { fields.contains(where: \.tree.isDisputed) }

  /// The places that are in conflict, for a person to decide.
  package var disputes: [Difference] { differences.filter(\.isDisputed) }

  /// The fields that were merged.
  package var merged: [Merged] {
    fields.compactMap { field in
      let (tree, values) = (field.tree, field.tree.values)
      guard values.client != values.server, !tree.isDisputed else { return nil }
      let side = values.changer ?? (tree.meets ? tree.ruling : nil)
      let isWhole = side.map { tree.merged(taking: $0) == values[$0] } ?? false
      return Merged(
        name: field.name, source: !isWhole ? .both : side == .client ? .client : .server,
        overrules: tree.meets)
    }
  }

  /// Whether a value of the client's lost by a rule of the policy.
  package var clientLost: Bool { fields.contains { $0.tree.meets && $0.tree.ruling == .server } }

  /// Whether a value of the server's lost by a rule of the policy.
  package var serverLost: Bool { fields.contains { $0.tree.meets && $0.tree.ruling == .client } }
}
