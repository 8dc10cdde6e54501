import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What the lines of a table's journal add up to") struct TableStateTests {
  private let ids: [ItemID]
  private let table: TableName

  init() throws {
    ids = try ["a", "b", "c"].map { try ItemID($0) }
    table = try TableName("t")
  }

  private func fact(_ random: inout SplitMix64) -> Fact {
    let (id, other) = (ids[random.below(3)], ids[random.below(3)])
    let row = Row(id: id, item: Item(JSONObject()), version: nil, updatedAt: nil)
    let anchors = [Anchor(id, since: Int64(random.below(9)))]
    let feed = Feed(table, query: ["q", "r", nil][random.below(3)])
    let digest = Digest(of: [UInt8(random.below(9))])
    return switch random.below(14) {
    case 0: .base(row, ends: random.once(in: 2) ? id : nil)
    case 1: .arrived(Arrival(row, was: random.once(in: 2) ? other : nil))
    case 2: .token(feed, random.once(in: 3) ? nil : DeltaToken("x"), of: random.below(9))
    case 3: .pulled
    case 4: .left(id)
    case 5: .back(id)
    case 6: .forgot(id)
    case 7: .anchors(anchors)
    case 8: .learnt(anchors)
    case 9: .mayLeave(random.below(9))
    case 10: .marked(id, .removed(after: other, time: 1_000))
    case 11: .marked(id, random.once(in: 2) ? nil : .undelete)
    default: .laid(id, Laid(file: random.once(in: 2) ? nil : digest, row: digest))
    }
  }

  @Test("the lines that sum a state up lead to it, and it goes on alike", arguments: UInt64(0)..<50)
  func summary(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = TableState()
    for _ in 0..<60 {
      let fact = self.fact(&random)
      state.add(fact)
      var again = TableState()
      for fact in state.facts(in: table) { again.add(fact) }
      #expect(again == state, "seed \(seed), after \(fact)")
      if random.once(in: 5) { state = again }
    }
  }

  @Test("a conflict's sides are laid until its row is the base, whichever id the item had")
  func laid() {
    let (id, other) = (ids[0], ids[1])
    let sides = Laid(file: nil, row: Digest(of: [1]))
    var state = TableState()
    state.add(.laid(id, sides))
    state.add(.laid(other, sides))
    state.add(.base(.gone(other)))
    #expect(state.laid == [id: sides])
    state.took(id, from: other)
    #expect(state.laid.isEmpty)
  }
}
