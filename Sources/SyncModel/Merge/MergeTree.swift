/// What stands at one place in the three versions of an item, and how it is merged.
///
/// ```
///   "addr"    an object in client and server: member by member
///   "notes"   a text, of several lines in the base and a side: by runs of lines
///   "tags"    anything else: one value
/// ```
///
/// Within an object, a member that is `null` is not an absent one.
package struct MergeTree: Equatable, Sendable {
  /// What a value is merged by.
  package enum Parts: Equatable, Sendable {
    /// By nothing: it is one value.
    case none
    /// By the members of an object: those of the client in its order, then the server's others.
    case members([Member])
    /// By the lines of a text, in runs.
    case lines([LineMerge.Run])
  }

  /// A field of an item, or a member of an object.
  package struct Member: Equatable, Sendable {
    /// Its name.
    package let name: Text
    /// What it is.
    package let tree: MergeTree
  }

  /// The three values; `nil` means absent.
  package let values: Sides<JSON?>
  /// What it is merged by.
  package let parts: Parts
  /// The side that a rule takes where both sides changed it differently; `nil` where a person is asked.
  package let ruling: Side?
  /// Whether both sides changed it differently, or something in it.
  package let meets: Bool

  /// Takes the values; a change of a `manual` place is in conflict as a whole.
  package init(_ values: Sides<JSON?>, ruling: Side? = nil, isManual: Bool = false) {
    (self.values, self.ruling) = (values, ruling)
    parts = isManual || !values.isChanged ? .none : Self.parts(values, ruling)
    switch parts {
    case .none: meets = isManual ? values.client != values.server : values.isDisputed
    case .members(let members): meets = members.contains(where: \.tree.meets)
    case .lines(let runs): meets = runs.contains(where: \.isDisputed)
    }
  }

  private static func parts(_ values: Sides<JSON?>, _ ruling: Side?) -> Parts {
    switch (values.base, values.client, values.server) {
    case (.string(let base)?, .string(let client)?, .string(let server)?):
      return LineMerge(base: base, client: client, server: server).map { .lines($0.runs) } ?? .none
    case (nil, .object(let client)?, .object(let server)?):
      return .members(members(JSONObject(), client, server, ruling))
    case (.object(let base)?, .object(let client)?, .object(let server)?):
      return .members(members(base, client, server, ruling))
    default: return .none
    }
  }

  private static func members(
    _ base: JSONObject, _ client: JSONObject, _ server: JSONObject, _ ruling: Side?
  ) -> [Member] {
    let (old, ours, theirs) = (base.byName(), client.byName(), server.byName())
    let names = client.members.map(\.name) + server.members.map(\.name).filter { ours[$0] == nil }
    return names.map { name in
      let values = Sides(base: old[name], client: ours[name], server: theirs[name])
      return Member(name: name, tree: MergeTree(values, ruling: ruling))
    }
  }

  /// Whether something in it is in conflict, for a person to decide.
  package var isDisputed: Bool { meets && ruling == nil }

  /// Returns the merged value, with what is in conflict as `side` has it, but for the places that were
  /// chosen: the innermost side counts, or the outermost value.
  package func merged(
    taking side: Side, _ choices: [FieldPath: FieldMerge.Choice] = [:], at path: FieldPath? = nil
  ) -> JSON? {
    guard meets || values.isDisputed else { return values.merged(taking: side) }
    var side = ruling ?? side
    switch path.flatMap({ choices[$0] }) {
    case .value(let value): return value
    case .side(let chosen): side = chosen
    case nil: break
    }
    switch parts {
    case .none: return values[side]
    case .lines(let runs): return .string(LineMerge.text(of: runs, taking: side))
    case .members(let members):
      let merged = members.compactMap { member -> JSONObject.Member? in
        member.tree.merged(taking: side, choices, at: path?.appending(member.name))
          .map { .init(name: member.name, value: $0) }
      }
      return .object(JSONObject(merged))
    }
  }

  /// Returns the places in it that a side changed.
  package func differences(at path: FieldPath) -> [Difference] {
    switch parts {
    case .members(let members):
      members.flatMap { $0.tree.differences(at: path.appending($0.name)) }
    case .none: values.isChanged ? [Difference(path: path, tree: self, runs: [])] : []
    case .lines(let runs): [Difference(path: path, tree: self, runs: runs)]
    }
  }
}

/// A place in an item that at least one side changed.
package struct Difference: Equatable, Sendable {
  /// Where it is.
  package let path: FieldPath
  /// What stands there; it has no members.
  package let tree: MergeTree
  /// The runs of lines of a text that is merged by lines; otherwise none.
  package let runs: [LineMerge.Run]

  /// The three values; `nil` means absent.
  package var values: Sides<JSON?> { tree.values }
  /// Whether it is in conflict; of a text, whether one of the runs is.
  package var isDisputed: Bool { tree.isDisputed }

  /// The runs that a side changed, each with the number of its first line in the base, from 1, and
  /// whether it is the line end of the last line.
  package var changes: [(line: Int, run: LineMerge.Run, isLineEnd: Bool)] {
    var line = 1
    return runs.enumerated().compactMap { index, run in
      defer { line += run.base.count }
      return run.isChanged ? (line, run, index == runs.count - 1) : nil
    }
  }
}
