import SyncEngine
import SyncModel
import TestSupport
import Testing

/// What is said of writes and their answers.
extension DiskContract {
  private func attempt(_ id: Text, tries: Int = 1) throws -> Attempt {
    Attempt(
      key: try key(id), kind: .update, version: Version("1"), item: item("sent"),
      digest: Digest(of: [1]), tries: tries, time: 7)
  }

  private var rejection: Rejection {
    Rejection(
      kind: .update, refusal: Refusal(status: 400, words: "no \"x\""), digest: Digest(of: [1]),
      tries: 2, time: 8)
  }

  mutating func anAttemptOutlivesReopening() throws {
    let (first, again) = (try attempt("a"), try attempt("a", tries: 2))
    var other = try attempt("b")
    (other.kind, other.version, other.item, other.digest) = (.delete, nil, nil, nil)
    try disk.append([.sent(other), .sent(first)], to: table, durably: true)
    let table = table
    try twice { disk throws in
      #expect(try disk.attempts(in: table) == [first, other])
      #expect(try disk.attempt(of: first.key) == first)
    }
    try disk.append([.sent(again), .ended(other.key.id)], to: table, durably: false)
    try twice { disk throws in #expect(try disk.attempts(in: table) == [again]) }
  }

  mutating func aPullsEndIsKept() throws {
    let table = table
    #expect(try !disk.state(of: table).isPulled)
    try disk.append([.pulled], to: table, durably: true)
    try twice { disk throws in #expect(try disk.state(of: table).isPulled) }
    try disk.forget(table)
    try twice { disk throws in #expect(try !disk.state(of: table).isPulled) }
  }

  mutating func anAnswerEndsItsAttempt() throws {
    let (a, b) = (try attempt("a"), try attempt("b"))
    try disk.append([.sent(a), .sent(b)], to: table, durably: true)
    try disk.append([.base(row("a", "sent"), ends: a.key.id)], to: table, durably: true)
    let answer = Arrival(try row("b", "changed"), over: item("sent"), isMine: true)
    let table = table
    try twice { disk throws in #expect(try disk.attempts(in: table) == [b]) }
    try disk.append([.arrived(answer, ends: b.key.id)], to: table, durably: true)
    try twice { disk throws in
      #expect(try disk.attempts(in: table).isEmpty)
      #expect(try disk.arrival(of: b.key) == answer)
    }
  }

  mutating func aRefusalEndsItsAttempt() throws {
    let (a, rejection) = (try attempt("a"), rejection)
    try disk.append([.sent(a), .refused(a.key.id, rejection)], to: table, durably: true)
    let table = table
    try twice { disk throws in
      #expect(try disk.attempts(in: table).isEmpty)
      #expect(try disk.rejection(of: a.key) == rejection)
      #expect(try disk.rejectedIDs(in: table) == [a.key.id])
    }
    // It counts until the next attempt is over.
    try disk.append([.sent(a)], to: table, durably: true)
    try twice { disk throws in #expect(try disk.rejection(of: a.key) == rejection) }
    try disk.append([.base(row("a", "sent"), ends: a.key.id)], to: table, durably: true)
    try twice { disk throws in #expect(try disk.rejectedIDs(in: table).isEmpty) }
  }

  mutating func aPulledRowEndsNone() throws {
    let (a, b) = (try attempt("a"), try attempt("b"))
    try disk.append([.sent(a), .sent(b)], to: table, durably: true)
    try disk.bring([row("a", "theirs"), row("b", "theirs")], to: table)
    try disk.take(in: table, but: [a.key.id])
    let table = table
    try twice { disk throws in #expect(try disk.attempts(in: table) == [a, b]) }
  }

  mutating func anArrivalIsMeasuredAgainstWhatItSays() throws {
    let (a, over) = (try key("a"), item("sent"))
    try disk.setBase([row("a", "old")], in: table)
    let arrival = Arrival(try row("a", "kept", version: "2"), over: over, isMine: true)
    try disk.append([.arrived(arrival)], to: table, durably: true)
    try disk.userSaves(Array(#"{"id":"a","text":"sent"}"#.utf8), as: a)
    let table = table
    try twice { disk throws in
      #expect(try disk.base(of: a).item == over)
      #expect(try disk.base(of: a).row?.version == Version("1"))
      #expect(try disk.candidates(in: table).isEmpty)
      #expect(try disk.liveIDs(in: table) == [a.id])
      #expect(try disk.liveCount(in: table) == 1)
    }
    try disk.take(in: table)
    try twice { disk throws in #expect(try disk.base(of: a) == .row(arrival.row)) }
  }

  mutating func aNewerArrivalInheritsOver() throws {
    let (a, over) = (try key("a"), item("sent"))
    let arrival = Arrival(try row("a", "kept"), over: over, isMine: true)
    let newer = try row("a", "theirs", version: "2")
    try disk.append([.arrived(arrival)], to: table, durably: true)
    try disk.bring([newer], to: table)
    try twice { disk throws in
      #expect(try disk.arrival(of: a) == Arrival(newer, over: over))
      #expect(try disk.base(of: a).item == over)
    }
  }

  mutating func takenLeavesTheNamed() throws {
    let (a, b) = (try key("a"), try key("b"))
    let held = Arrival(try row("b", "kept"), over: item("sent"), isMine: true)
    try disk.append([.arrived(held)], to: table, durably: true)
    try disk.bring([row("a", "x"), row("c", "y")], to: table)
    try disk.take(in: table, but: [b.id, ItemID("d")], token: DeltaToken("t"))
    let table = table
    try twice { disk throws in
      #expect(try disk.arrivals(in: table) == [held])
      #expect(try disk.base(of: a).item != nil)
      #expect(try disk.token(of: table) == DeltaToken("t"))
    }
  }

  mutating func anArrivalUnderANewIDIsItsItems() throws {
    let (hello, new, over) = (try key("hello"), try key("17"), item("sent"))
    let attempt = try attempt("hello")
    let arrival = Arrival(try row("17", "sent"), over: over, isMine: true, was: hello.id)
    try disk.append([.sent(attempt)], to: table, durably: true)
    try disk.append([.arrived(arrival, ends: hello.id)], to: table, durably: true)
    let table = table
    try twice { disk throws in
      #expect(try disk.arrival(of: hello) == arrival)
      #expect(try disk.arrival(of: new) == nil)
      #expect(try disk.base(of: hello).item == over)
      #expect(try disk.base(of: new) == .neverSeen)
      #expect(try disk.attempts(in: table).isEmpty)
    }
    let newer = try row("17", "theirs", version: "2")
    try disk.bring([newer], to: table)
    try twice { disk throws in
      #expect(try disk.arrivals(in: table) == [Arrival(newer, over: over, was: hello.id)])
    }
    try disk.take(in: table)
    try twice { disk throws in
      #expect(try disk.arrivals(in: table).isEmpty)
      #expect(try disk.base(of: hello) == .neverSeen)
      #expect(try disk.base(of: new) == .row(newer))
      #expect(try disk.liveIDs(in: table) == [new.id])
    }
  }
}
