import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What is open in the journal") struct JournalStateTests {
  private let keys: [ItemKey]

  init() throws {
    keys =
      try ["a", "b"].map { ItemKey(try TableName("t"), try ItemID($0)) }
      + [ItemKey(try TableName("other"), try ItemID("a"))]
  }

  private func conflict(_ key: ItemKey, _ field: Text = "a") -> OpenConflict {
    OpenConflict(kind: .modified, fields: [field], digest: Digest(of: [1]), server: .gone(key.id))
  }

  @Test("an empty journal has nothing open, and closing what isn't open changes nothing")
  func empty() {
    var state = JournalState()
    state.add(.closed(keys[0]))
    #expect(state.records.isEmpty)
  }

  @Test("a journal written anew says the same, and goes on alike", arguments: UInt64(0)..<20)
  func rotation(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = JournalState()
    var open: [ItemKey: OpenConflict] = [:]
    for number in 0..<60 {
      let key = keys[random.below(3)]
      let new = random.once(in: 2) ? conflict(key, Text("f\(number)")) : nil
      open[key] = new
      state.add(new.map { .conflict(key, $0) } ?? .closed(key))
      var rotated = JournalState()
      for record in state.records { rotated.add(record) }
      #expect(rotated == state && state.conflicts == open, "seed \(seed)")
      if random.once(in: 5) { state = rotated }
    }
  }
}
