/// What stands at one place in the three versions of an item, and how it is merged.
///
/// ```
///   "addr"    an object in client and server: member by member
///   "notes"   a text, of several lines in the base and a side: by runs of lines
///   "tags"    a list of texts: by what each side added and removed (``ListMerge``)
///   "sub"     a list of objects with ids: the same, and each object member by member
///   "geo"     anything else: one value
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
    /// By the texts of a list, in the merged order.
    case texts([Member])
    /// By the objects of a list, in the merged order; and their ids in each version, if a side changed
    /// the order.
    case elements([Member], order: Sides<[Text]>?)

    /// The members of an object, or the elements of a list.
    package var members: [Member] {
      switch self {
      case .members(let members), .texts(let members), .elements(let members, _): members
      case .none, .lines: []
      }
    }
  }

  /// A field of an item, a member of an object, or an element of a list.
  package struct Member: Equatable, Sendable {
    /// Its name; of an element its text, or its id.
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
    case .lines(let runs): meets = runs.contains(where: \.isDisputed)
    case .members, .texts, .elements: meets = parts.members.contains(where: \.tree.meets)
    }
  }

  private static func parts(_ values: Sides<JSON?>, _ ruling: Side?) -> Parts {
    func members(
      _ names: [Text], _ versions: Sides<[Text: JSON]>, areElements: Bool = false
    ) -> [Member] {
      names.map { name in
        let values = Sides { versions[$0][name] }
        // Two elements that were added under one id are nobody's together.
        let isWhole = areElements && values.base == nil && values.isDisputed
        return Member(name: name, tree: MergeTree(values, ruling: ruling, isManual: isWhole))
      }
    }
    switch (values.base, values.client, values.server) {
    case (.string(let base)?, .string(let client)?, .string(let server)?):
      return LineMerge(base: base, client: client, server: server).map { .lines($0.runs) } ?? .none
    case (let base, .object(let client)?, .object(let server)?)
    where base == nil || base?.object != nil:
      let versions = Sides { values[$0]?.object?.byName() ?? [:] }
      let others = server.members.map(\.name).filter { versions.client[$0] == nil }
      return .members(members(client.members.map(\.name) + others, versions))
    case (.array(let base)?, .array(let client)?, .array(let server)?):
      guard let list = ListMerge(Sides(base: base, client: client, server: server)) else {
        return .none
      }
      let elements = members(list.names, list.elements, areElements: true)
      return list.isOfTexts ? .texts(elements) : .elements(elements, order: list.order)
    default: return .none
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
    let members = parts.members.compactMap { member -> JSONObject.Member? in
      member.tree.merged(taking: side, choices, at: path?.appending(member.name))
        .map { .init(name: member.name, value: $0) }
    }
    return switch parts {
    case .none: values[side]
    case .lines(let runs): .string(LineMerge.text(of: runs, taking: side))
    case .members: .object(JSONObject(members))
    case .texts, .elements: .array(members.map(\.value))
    }
  }

  /// Returns the places in it that a side changed.
  package func differences(at path: FieldPath) -> [Difference] {
    let inner = parts.members.flatMap { $0.tree.differences(at: path.appending($0.name)) }
    let whole = Difference(path: path, tree: self, runs: [])
    return switch parts {
    case .none, .texts: values.isChanged ? [whole] : []
    case .lines(let runs): [Difference(path: path, tree: self, runs: runs)]
    case .members, .elements(_, nil): inner
    case .elements: [whole] + inner
    }
  }
}

/// A place in an item that at least one side changed.
package struct Difference: Equatable, Sendable {
  /// Where it is.
  package let path: FieldPath
  /// What stands there; if it has elements, the difference is their order.
  package let tree: MergeTree
  /// The runs of lines of a text that is merged by lines; otherwise none.
  package let runs: [LineMerge.Run]

  /// The three values; `nil` means absent.
  package var values: Sides<JSON?> { tree.values }
  /// Whether it is in conflict; of a text, whether one of the runs is.
  package var isDisputed: Bool {
    if case .elements = tree.parts { return false }
    return tree.isDisputed
  }

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
