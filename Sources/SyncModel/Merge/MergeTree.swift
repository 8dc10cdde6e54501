/// What stands at one place in the three versions of an item, and how it is merged.
///
/// ```
///   "addr"    an object in client and server: member by member
///   "notes"   a text of several lines in all three: by runs of lines
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

  /// A member of an object.
  package struct Member: Equatable, Sendable {
    /// Its name.
    package let name: Text
    /// What it is.
    package let tree: MergeTree
  }

  /// The three values; `nil` means absent.
  package let values: Sides<JSON?>
  /// Whether any change of it is in conflict as a whole.
  package let isManual: Bool

  /// Takes the values.
  package init(_ values: Sides<JSON?>, isManual: Bool = false) {
    (self.values, self.isManual) = (values, isManual)
  }

  /// What it is merged by.
  package var parts: Parts {
    guard !isManual else { return .none }
    switch (values.base, values.client, values.server) {
    case (.string(let base)?, .string(let client)?, .string(let server)?):
      return LineMerge(base: base, client: client, server: server).map { .lines($0.runs) } ?? .none
    case (nil, .object(let client)?, .object(let server)?):
      return .members(Self.members(JSONObject(), client, server))
    case (.object(let base)?, .object(let client)?, .object(let server)?):
      return .members(Self.members(base, client, server))
    default: return .none
    }
  }

  private static func members(
    _ base: JSONObject, _ client: JSONObject, _ server: JSONObject
  ) -> [Member] {
    let (old, ours, theirs) = (base.byName(), client.byName(), server.byName())
    let names = client.members.map(\.name) + server.members.map(\.name).filter { ours[$0] == nil }
    return names.map { name in
      Member(
        name: name,
        tree: MergeTree(Sides(base: old[name], client: ours[name], server: theirs[name])))
    }
  }

  /// Whether it is one value that is in conflict, where it is merged by nothing.
  private var isDisputedWhole: Bool {
    isManual ? values.client != values.server : values.isDisputed
  }

  /// Whether something in it is in conflict.
  package var isDisputed: Bool {
    guard isDisputedWhole else { return false }
    switch parts {
    case .none: return true
    case .members(let members): return members.contains(where: \.tree.isDisputed)
    case .lines(let runs): return runs.contains(where: \.isDisputed)
    }
  }

  /// Returns the merged value, with what is in conflict as `side` has it; what stands at `path`, or
  /// within it, as it was chosen there.
  package func merged(
    taking side: Side, _ choices: [FieldPath: FieldMerge.Choice] = [:], at path: FieldPath? = nil
  ) -> JSON? {
    guard isDisputedWhole else { return values.merged(taking: side) }
    var side = side
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
    guard values.client != values.base || values.server != values.base else { return [] }
    switch parts {
    case .none:
      return [Difference(path: path, values: values, runs: [], isDisputed: isDisputedWhole)]
    case .lines(let runs):
      let isDisputed = isDisputedWhole && runs.contains(where: \.isDisputed)
      return [Difference(path: path, values: values, runs: runs, isDisputed: isDisputed)]
    case .members(let members):
      return members.flatMap { $0.tree.differences(at: path.appending($0.name)) }
    }
  }
}

/// A place in an item that at least one side changed.
package struct Difference: Equatable, Sendable {
  /// Where it is.
  package let path: FieldPath
  /// The three values; `nil` means absent.
  package let values: Sides<JSON?>
  /// The runs of lines of a text that is merged by lines; otherwise none.
  package let runs: [LineMerge.Run]
  /// Whether it is in conflict; of a text, whether one of the runs is.
  package internal(set) var isDisputed: Bool

  /// The runs that a side changed, each with the number of its first line in the base, from 1.
  package var changes: [(line: Int, run: LineMerge.Run)] {
    var line = 1
    return runs.compactMap { run in
      defer { line += run.base.count }
      return run.client == run.base && run.server == run.base ? nil : (line, run)
    }
  }
}
