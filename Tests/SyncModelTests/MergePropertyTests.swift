import SyncModel
import TestSupport
import Testing

@Suite("What holds of every merge") struct MergePropertyTests {
  /// Draws items that share much with one another.
  private struct Draw {
    var random: SplitMix64

    mutating func item() -> Item? { random.once(in: 6) ? nil : fields() }

    mutating func fields() -> Item {
      var object = JSONObject()
      for name in ["a", "b", "c"] as [Text] where !random.once(in: 4) {
        object.append(name, value(depth: 2))
      }
      return Item(object)
    }

    /// Changes an item in some of its fields; or not at all.
    mutating func edit(_ item: Item?) -> Item? {
      if random.once(in: 8) { return nil }
      guard var item else { return self.item() }
      for name in ["a", "b", "c", "d"] as [Text] where random.once(in: 3) {
        item.fields[name] = random.once(in: 5) ? nil : value(depth: 2)
      }
      return item
    }

    mutating func value(depth: Int) -> JSON {
      switch random.below(depth > 0 ? 5 : 3) {
      case 0: return .integer(random.below(3))
      case 1: return .null
      case 2:
        let lines = (0..<3).map { _ in ["x", "y"][random.below(2)] }
        return .string(lines.joined(separator: "\nmiddle\n"))
      case 3: return .array([.integer(random.below(2))])
      default:
        var object = JSONObject()
        for name in ["p", "q"] as [Text] where !random.once(in: 3) {
          object.append(name, value(depth: depth - 1))
        }
        return .object(object)
      }
    }
  }

  /// Runs a check on many triples of a seed.
  private func triples(
    _ seed: UInt64, _ check: (_ base: Item?, _ client: Item?, _ server: Item?) -> Void
  ) {
    var draw = Draw(random: SplitMix64(seed: seed))
    for _ in 0..<150 {
      let base = draw.item()
      let (client, server) = (draw.edit(base), draw.edit(base))
      check(base, client, server)
    }
  }

  static let seeds: Range<UInt64> = 0..<20

  @Test(
    "where only the client changed something, it stays; where only the server, it is taken",
    arguments: seeds)
  func oneSided(seed: UInt64) {
    triples(seed) { base, item, _ in
      for rule in MergePolicy.Rule.allCases {
        let policy = MergePolicy(rule)
        #expect(Merge(base: base, client: item, server: base, policy: policy) == .settled)
        #expect(Merge(base: base, client: item, server: item, policy: policy) == .settled)
        let taken = Merge(base: base, client: base, server: item, policy: policy)
        #expect(item == base ? taken == .settled : taken == .takeServer(item))
      }
    }
  }

  @Test("no change that only one side made is lost", arguments: seeds)
  func nothingLost(seed: UInt64) {
    triples(seed) { base, client, server in
      guard let client, let server else { return }
      let merged = FieldMerge(base: base, client: client, server: server).item()
      for name in ["a", "b", "c", "d"] as [Text] {
        if server[name] == base?[name] { #expect(merged[name] == client[name]) }
        if client[name] == base?[name] { #expect(merged[name] == server[name]) }
        if client[name] == server[name] { #expect(merged[name] == client[name]) }
      }
    }
  }

  @Test(
    "a field that is disputed has the client's value, and nothing else is said to be",
    arguments: seeds)
  func disputes(seed: UInt64) {
    triples(seed) { base, client, server in
      guard let client, let server else { return }
      let merge = FieldMerge(base: base, client: client, server: server)
      for dispute in merge.disputes {
        let values = dispute.values
        #expect(values == merge.values(at: dispute.path))
        if dispute.runs.isEmpty { #expect(merge.item().value(at: dispute.path) == values.client) }
        #expect(values.client != values.server)
        #expect(values.client != values.base && values.server != values.base)
      }
      let told = merge.merged.map(\.name) + Set(merge.disputes.map(\.path.field))
      #expect(Set(told).count == told.count)
    }
  }

  @Test("it makes no difference to a dispute which side is whose", arguments: seeds)
  func symmetric(seed: UInt64) {
    triples(seed) { base, client, server in
      let one = Merge(base: base, client: client, server: server)
      let other = Merge(base: base, client: server, server: client)
      switch (one, other) {
      case (.conflict(let one), .conflict(let other)):
        #expect(Set(one.names) == Set(other.names))
        #expect((one.kind == .deletedHere) == (other.kind == .deletedThere))
        #expect((one.kind == .added) == (other.kind == .added))
      case (.merged(let one, _), .merged(let other, _)): #expect(one == other)
      case (.conflict, _), (_, .conflict), (.merged, _), (_, .merged):
        Issue.record("seed \(seed): \(one) against \(other)")
      default: break
      }
    }
  }

  @Test("what is merged stays merged", arguments: seeds)
  func stable(seed: UInt64) {
    triples(seed) { base, client, server in
      guard case .merged(let item, _) = Merge(base: base, client: client, server: server) else {
        return
      }
      // The server's row is the base now, and the merged item is the client's.
      #expect(Merge(base: server, client: item, server: server) == .settled)
    }
  }

  @Test("the rules client and server never ask, and their side wins each dispute", arguments: seeds)
  func decided(seed: UInt64) {
    triples(seed) { base, client, server in
      for rule in [MergePolicy.Rule.client, .server] {
        let merge = Merge(base: base, client: client, server: server, policy: MergePolicy(rule))
        switch (merge, Merge(base: base, client: client, server: server)) {
        case (.conflict, _): Issue.record("seed \(seed): \(rule) asks")
        case (.merged(let item, let report), .conflict(let conflict)):
          let (winner, loser) = rule == .client ? (client, server) : (server, client)
          #expect((rule == .client ? report.serverLost : report.clientLost) == (loser != nil))
          #expect(!(rule == .client ? report.clientLost : report.serverLost))
          for dispute in conflict.fields?.disputes ?? [] where dispute.runs.isEmpty {
            #expect(item?.value(at: dispute.path) == winner?.value(at: dispute.path))
          }
          if conflict.fields == nil { #expect(item == winner) }
        case (let one, let other): #expect(one == other)
        }
      }
    }
  }

  @Test("the rule manual asks whenever both sides changed an item", arguments: seeds)
  func manual(seed: UInt64) {
    triples(seed) { base, client, server in
      let merge = Merge(base: base, client: client, server: server, policy: MergePolicy(.manual))
      if case .merged = merge { Issue.record("seed \(seed): it merges") }
      var asks = false
      if case .conflict = merge { asks = true }
      #expect(asks == (client != base && server != base && client != server))
    }
  }
}

extension Item {
  /// The value at a place.
  fileprivate func value(at path: FieldPath) -> JSON? {
    path.steps.dropFirst().reduce(self[path.field]) { $0?.object?[$1] }
  }
}
