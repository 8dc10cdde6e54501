import SyncModel
import TestSupport
import Testing

@Suite("A side decides only what both sides changed") struct SideDecidesTests {
  /// Each is the seed of three items; the first that fails is named.
  static let seeds = UInt64(0)..<3_000

  @Test("what one side alone changed stays; swapped sides with swapped choices make the same item")
  func decides() throws {
    for seed in Self.seeds {
      var draw = RandomItems(seed: seed)
      let (base, client, server) = draw.triple()
      let values = Sides(base: base?.whole, client: client.whole, server: server.whole)
      let merge = FieldMerge(base: base, client: client, server: server)
      let swapped = FieldMerge(base: base, client: server, server: client)
      let disputes = merge.disputes.map(\.path)
      for dispute in merge.disputes {
        try #require(dispute.values == merge.tree(at: dispute.path)?.values, "seed \(seed)")
      }
      let told = merge.merged.map(\.name) + Set(disputes.map(\.field))
      try #require(Set(told).count == told.count, "seed \(seed)")
      let chosen = [(draw.side(), draw.choices(merge))]
      for (side, choices) in Side.allCases.map({ ($0, [:]) }) + chosen {
        let item = merge.item(taking: side, choices)
        var walk = Walk(merge: merge, choices: choices)
        walk.check(values, item.whole, side)
        try #require(walk.faults == [], "seed \(seed), \(side), \(choices)")
        if choices.isEmpty { try #require(walk.disputed == Set(disputes), "seed \(seed)") }
        let mirrored = swapped.item(taking: side.opposite, choices.mapValues(\.opposite))
        try #require(mirrored.bytes == item.bytes, "seed \(seed), \(side), \(choices)")
      }
      for (policy, side) in [(MergePolicy(.client), Side.client), (MergePolicy(.server), .server)] {
        let ruled = FieldMerge(base: base, client: client, server: server, policy: policy)
        try #require(ruled.item(taking: .base) == merge.item(taking: side), "seed \(seed)")
      }
    }
  }

  @Test("a document with one side's parts between its marks is the item that this side makes")
  func documents() throws {
    let id = try ItemID("2b9e")
    for seed in Self.seeds {
      var draw = RandomItems(seed: seed)
      let (base, client, server) = draw.triple()
      let merge = FieldMerge(base: base, client: client, server: server, policy: draw.policy())
      let conflict = Conflict(base: base, client: client, server: server, fields: merge)
      let document = MarkedDocument(conflict, of: id)
      if merge.isDisputed {
        #expect(throws: JSONError.self, "seed \(seed)") { try document.item() }
      }
      for side in Side.allCases {
        let kept = MarkedDocument(MarkedDocumentTests.keep(document.text) { side }, of: id)
        try #require(kept.item() == merge.item(taking: side), "seed \(seed), \(side)")
      }
      // Another side at each place: a text that is a block has marks around each run in conflict.
      var (sides, choices): ([Side], [FieldPath: FieldMerge.Choice]) = ([], [:])
      for dispute in merge.disputes {
        let side = draw.side()
        let texts = Side.allCases.map { LineMerge.text(of: dispute.runs, taking: $0) }
        let marks = texts.allSatisfy(\.isBlock) ? dispute.runs.count(where: \.isDisputed) : 1
        sides += repeatElement(side, count: marks)
        choices[dispute.path] = .side(side)
      }
      var left = sides[...]
      let kept = MarkedDocument(MarkedDocumentTests.keep(document.text) { left.popFirst() }, of: id)
      try #require(kept.item() == merge.item(choices), "seed \(seed), \(sides)")
      try #require(left.isEmpty, "seed \(seed): a place in conflict has no marks")
    }
  }

  @Test("a path is read back from its text")
  func paths() throws {
    for seed in Self.seeds {
      var draw = RandomItems(seed: seed)
      var path = FieldPath(draw.name())
      for _ in 0..<draw.random.below(3) { path = path.appending(draw.name()) }
      try #require(FieldPath(reading: path.text) == path, "seed \(seed): \(path)")
      let word = draw.word()
      guard let path = FieldPath(reading: word) else { continue }
      try #require(FieldPath(reading: path.text) == path, "seed \(seed): \(word)")
    }
  }
}

/// A walk of three values and of what they were merged into, which knows the rules but no tree.
private struct Walk {
  let merge: FieldMerge
  let choices: [FieldPath: FieldMerge.Choice]
  /// The places whose value is not what the rules say.
  var faults: [FieldPath?] = []
  /// The places that both sides changed differently.
  var disputed: Set<FieldPath?> = []

  mutating func check(
    _ values: Sides<JSON?>, _ result: JSON?, _ side: Side, at path: FieldPath? = nil
  ) {
    var (side, expected) = (side, Self.taken(values, side))
    defer { if result != expected { faults.append(path) } }
    guard Self.isDisputed(values) else { return }
    switch path.flatMap({ choices[$0] }) {
    case .value(let value): return expected = value
    case .side(let chosen): (side, expected) = (chosen, values[chosen])
    case nil: break
    }
    if let client = values.client?.object, let server = values.server?.object,
      values.base == nil ? path.map(merge.isElement) != true : values.base?.object != nil
    {
      expected = .object(result?.object ?? JSONObject())
      let (base, merged) = (values.base?.object ?? JSONObject(), result?.object ?? JSONObject())
      for name in Set([base, client, server, merged].flatMap(\.members).map(\.name)) {
        let values = Sides(base: base[name], client: client[name], server: server[name])
        check(values, merged[name], side, at: path?.appending(name) ?? FieldPath(name))
      }
    } else if let path, values.client?.elements != nil,
      let members = merge.tree(at: path)?.parts.members, !members.isEmpty
    {
      // Which lists are merged, and their order, are other tests' affair.
      expected = .array(result?.elements ?? [])
      let (base, merged) = (Self.elements(values.base), Self.elements(result))
      let (client, server) = (Self.elements(values.client), Self.elements(values.server))
      if merged.count != result?.elements?.count { faults.append(path) }
      for name in Set([base, client, server, merged].flatMap(\.keys)) {
        let values = Sides(base: base[name], client: client[name], server: server[name])
        check(values, merged[name], side, at: path.appending(name))
      }
    } else if let path, let runs = runs(values, at: path) {
      if runs.contains(where: Self.isDisputed) { disputed.insert(path) }
      let lines = runs.flatMap { Self.taken($0, side) }.joined(separator: [0x0A])
      expected = .string(String(decoding: Array(lines), as: UTF8.self))
    } else {
      disputed.insert(path)
    }
  }

  private static func elements(_ list: JSON?) -> [Text: JSON] {
    let elements = list?.elements ?? []
    return Dictionary(elements.map { ($0.text ?? $0.object?["id"]?.text ?? "?", $0) }) { $1 }
  }

  private static func taken<Value>(_ values: Sides<Value>, _ side: Side) -> Value {
    if values.server == values.base { return values.client }
    return isDisputed(values) ? values[side] : values.server
  }

  private static func isDisputed<Value>(_ values: Sides<Value>) -> Bool {
    values.client != values.server && values.client != values.base && values.server != values.base
  }

  /// Returns the runs of three texts; `nil` where they are one value.
  ///
  /// They are diff3's in its plainest form, where the texts can be compared in one way only. Where not,
  /// any will do that have every line: what one side changed lies in runs that the other left alone.
  private mutating func runs(_ values: Sides<JSON?>, at path: FieldPath) -> [LineMerge.Run]? {
    var texts = Side.allCases.compactMap { values[$0]?.text?.lines }
    let lines = texts.map(\.lines)
    guard lines.count == 3, lines[1].count > 1, lines[0].count > 1 || lines[2].count > 1 else {
      return nil
    }
    // Who takes all lines away says nothing of the last one's end.
    for index in texts.indices where lines[index].isEmpty { texts[index].end = texts[1].end }
    let isClear = lines.allSatisfy { one in
      Set(one).count == one.count && one.filter(lines[1].contains) == lines[1].filter(one.contains)
    }
    guard isClear else {
      let runs = merge.differences.first { $0.path == path }?.runs ?? []
      for (side, text) in zip(Side.allCases, texts)
      where runs.flatMap({ $0[side] }) != text.lines + text.end { faults.append(path) }
      return runs
    }
    func run(_ parts: [[LineMerge.Line]]) -> LineMerge.Run {
      Sides(base: parts[1], client: parts[0], server: parts[2])
    }
    var (left, runs) = (lines, [] as [LineMerge.Run])
    for kept in lines[1].filter({ line in lines.allSatisfy { $0.contains(line) } }) {
      runs.append(run(left.map { Array($0.prefix { $0 != kept }) }))
      runs.append(run([[kept], [kept], [kept]]))
      left = left.map { Array($0.drop { $0 != kept }.dropFirst()) }
    }
    return runs + [run(left), run(texts.map(\.end))]
  }
}

extension Text {
  /// The lines, and an empty one where the last one has an end; an empty text has none.
  fileprivate var lines: (lines: [LineMerge.Line], end: [LineMerge.Line]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.last == [] else { return (lines, []) }
    return (lines.dropLast(), lines.count > 1 ? [[]] : [])
  }

  /// Whether a document has it as a block.
  var isBlock: Bool {
    TextBlock.blocks(in: JSON.string(self).encoded()).starts(with: TextBlock.mark)
  }
}

extension Side {
  fileprivate var opposite: Side { self == .client ? .server : self == .server ? .client : .base }
}

extension FieldMerge.Choice {
  fileprivate var opposite: Self {
    guard case .side(let side) = self else { return self }
    return .side(side.opposite)
  }
}
