import SyncModel
import TestSupport
import Testing

@Suite("What holds of every merge") struct MergePropertyTests {
  /// Runs a check on many triples of a seed.
  private func triples(
    _ seed: UInt64, _ check: (_ base: Item?, _ client: Item?, _ server: Item?) -> Void
  ) {
    var draw = RandomItems(seed: seed)
    for _ in 0..<150 {
      let (base, client, server) = draw.triple()
      check(
        base, draw.random.once(in: 8) ? nil : client, draw.random.once(in: 8) ? nil : server)
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
      case (.merged(let one, _), .merged(let other, _)): #expect(one?.bytes == other?.bytes)
      case (.conflict, _), (_, .conflict), (.merged, _), (_, .merged):
        Issue.record("seed \(seed): \(one) against \(other)")
      default: break
      }
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
