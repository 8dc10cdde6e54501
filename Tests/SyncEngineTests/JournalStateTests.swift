import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What is open in the journal") struct JournalStateTests {
  private let a: ItemKey
  private let b: ItemKey
  private let elsewhere: ItemKey

  init() throws {
    a = ItemKey(try TableName("t"), try ItemID("a"))
    b = ItemKey(try TableName("t"), try ItemID("b"))
    elsewhere = ItemKey(try TableName("other"), try ItemID("a"))
  }

  private func state(_ records: JournalRecord...) -> JournalState {
    var state = JournalState()
    for record in records { state.add(record) }
    return state
  }

  private func conflict(_ key: ItemKey) -> OpenConflict {
    OpenConflict(kind: .modified, fields: ["a"], digest: Digest(of: [1]), server: .gone(key.id))
  }

  private func resolution(_ key: ItemKey) -> Resolution {
    Resolution(item: nil, digest: nil, server: .gone(key.id), client: nil)
  }

  @Test("an empty journal has nothing open")
  func empty() {
    #expect(JournalState().records.isEmpty)
    #expect(JournalState().isQuiet)
  }

  @Test("a resolution is open until its conflict is closed, or it alone")
  func resolutions() {
    let open = state(.conflict(a, conflict(a)), .resolve(a, resolution(a)))
    #expect(open.resolutions == [a: resolution(a)] && !open.isQuiet)
    var failed = open
    failed.add(.closed(.resolution(a)))
    #expect(failed.resolutions.isEmpty && failed.conflicts.count == 1)
    var done = open
    done.add(.closed(.conflict(a)))
    #expect(done.records.isEmpty)
  }

  @Test(
    "a purge takes all but the conflicts of its table with it when it is over, and nothing of others"
  )
  func purges() {
    var state = state(
      .conflict(b, conflict(b)), .resolve(b, resolution(b)),
      .conflict(elsewhere, conflict(elsewhere)), .purge(a.table))
    #expect(state.purges == [a.table])
    state.add(.closed(.purge(a.table)))
    #expect(state.purges.isEmpty)
    #expect(state.conflicts.keys.sorted() == [elsewhere, b].sorted())
    state.add(.closed(.conflict(b)))
    #expect(state.records == [.conflict(elsewhere, conflict(elsewhere))])
  }

  @Test("closing what isn't open changes nothing")
  func closings() {
    let open = state(.conflict(b, conflict(b)))
    for subject: JournalRecord.Subject in [
      .conflict(a), .resolution(b), .purge(elsewhere.table),
    ] {
      var state = open
      state.add(.closed(subject))
      #expect(state == open)
    }
  }

  /// Draws a record.
  private func draw(_ random: inout SplitMix64) -> JournalRecord {
    let key = [a, b, elsewhere][random.below(3)]
    switch random.below(6) {
    case 2: return .conflict(key, conflict(key))
    case 3: return .resolve(key, resolution(key))
    case 4: return random.once(in: 3) ? .closed(.purge(key.table)) : .purge(key.table)
    case 5: return .closed(.resolution(key))
    default: return .closed(.conflict(key))
    }
  }

  @Test("a journal written anew says the same, and goes on alike", arguments: UInt64(0)..<50)
  func rotation(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = JournalState()
    for _ in 0..<60 {
      state.add(draw(&random))
      var rotated = JournalState()
      for record in state.records { rotated.add(record) }
      #expect(rotated == state, "seed \(seed)")
      #expect(rotated.conflicts == state.conflicts && rotated.resolutions == state.resolutions)
      #expect(rotated.purges == state.purges)
      #expect(rotated.isQuiet == state.isQuiet)
      if random.once(in: 5) { state = rotated }
    }
  }
}
