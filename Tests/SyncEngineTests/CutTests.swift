import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Commands cut off at every step, and run again") struct CutTests {
  // MARK: - Pull

  @Test("a pull", arguments: Cut.End.allCases)
  func pull(_ end: Cut.End) throws {
    try Cut { bench in
      for number in 0..<8 { try bench.elsewhere("n\(number)", #"{"a":1,"b":1}"#) }
      try bench.pull()
      // Conflicts of each kind, a merge, an update, a deletion, a new row.
      try bench.save("n0", #"{"a":2,"b":1}"#)
      try bench.elsewhere("n0", #"{"a":3,"b":1}"#)
      try bench.save("n1", #"{"a":2,"b":1}"#)
      try bench.elsewhere("n1", nil)
      try bench.save("n2", nil)
      try bench.elsewhere("n2", #"{"a":3,"b":1}"#)
      try bench.save("n3", #"{"a":2,"b":1}"#)
      try bench.elsewhere("n3", #"{"a":1,"b":2}"#)
      try bench.elsewhere("n4", #"{"a":5,"b":1}"#)
      try bench.elsewhere("n5", nil)
      try bench.save("new", #"{"a":1}"#)
      try bench.elsewhere("new", #"{"a":2}"#)
      try bench.elsewhere("other", #"{"a":1}"#)
    } command: { bench in
      try bench.pull()
    }.check(end)
  }

  @Test("a full pull that finds rows gone", arguments: Cut.End.allCases)
  func fullPull(_ end: Cut.End) throws {
    try Cut { bench in
      for number in 0..<5 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
      try bench.pull()
      for number in 0..<2 { bench.server.deleteForGood(try bench.key("n\(number)")) }
      try bench.elsewhere("n3", #"{"a":2}"#)
      try bench.save("n4", #"{"a":3}"#)
    } command: { bench in
      try bench.pull(full: true)
    }.check(end)
  }

  @Test(
    "a pull that ends a conflict, and replaces the server's side of another",
    arguments: Cut.End.allCases)
  func conflictsMoveOn(_ end: Cut.End) throws {
    try Cut { bench in
      for id in ["over", "open"] {
        try bench.share(id, #"{"a":1,"b":1}"#)
        try bench.save(id, #"{"a":2,"b":1}"#)
        try bench.elsewhere(id, #"{"a":3,"b":1}"#)
      }
      try bench.pull()
      try bench.elsewhere("over", #"{"a":1,"b":5}"#)
      try bench.elsewhere("open", #"{"a":4,"b":1}"#)
    } command: { bench in
      try bench.pull()
    }.check(end)
  }

  @Test("a command that takes rows which have waited", arguments: Cut.End.allCases)
  func waiting(_ end: Cut.End) throws {
    try Cut { bench in
      for id in ["x", "y"] { try bench.share(id, #"{"a":1,"b":1}"#) }
      for id in ["x", "y"] { bench.disk.save(Array("{".utf8), as: try bench.key(id)) }
      try bench.elsewhere("x", #"{"a":3,"b":1}"#)
      try bench.elsewhere("y", #"{"a":3,"b":1}"#)
      try bench.pull()
      try bench.save("x", #"{"a":1,"b":2}"#)
      try bench.save("y", #"{"a":2,"b":1}"#)
    } command: { bench in
      try bench.pull()
    }.check(end)
  }

  // MARK: - Push

  @Test("a push of every kind of change", arguments: Cut.End.allCases)
  func push(_ end: Cut.End) throws {
    try Cut { bench in
      for id in ["edited", "deleted", "removed", "revived"] { try bench.share(id, #"{"a":1}"#) }
      try bench.elsewhere("revived", nil)
      try bench.pull()
      try bench.save("new", #"{"a":1}"#)
      try bench.save("edited", #"{"a":2}"#)
      try bench.save("deleted", nil)
      _ = try bench.disk.remove(bench.key("removed"))
      try bench.save("revived", #"{"a":3}"#)
    } command: { bench in
      try bench.push()
    }.check(end)
  }

  @Test("a push that meets other people's changes", arguments: Cut.End.allCases)
  func pushMeets(_ end: Cut.End) throws {
    try Cut { bench in
      for id in ["merged", "conflict", "gone", "deleted"] { try bench.share(id, #"{"a":1,"b":1}"#) }
      try bench.elsewhere("merged", #"{"a":1,"b":2}"#)
      try bench.elsewhere("conflict", #"{"a":3,"b":1}"#)
      try bench.elsewhere("gone", nil)
      try bench.elsewhere("deleted", #"{"a":3,"b":1}"#)
      for id in ["merged", "conflict", "gone"] { try bench.save(id, #"{"a":2,"b":1}"#) }
      try bench.save("deleted", nil)
    } command: { bench in
      try bench.push()
    }.check(end)
  }

  @Test("a push of which the server changes what it gets", arguments: Cut.End.allCases)
  func pushChanged(_ end: Cut.End) throws {
    // A row is known to be ours by what was sent, also where the server has it as a text.
    let random = "8d5e1b0c-6b3f-4e0b-9f3c-0a1b2c3d4e5f"
    try Cut { bench in
      try bench.share("edited", #"{"a":1}"#)
      try bench.save(random, #"{"a":1}"#)
      try bench.save("edited", #"{"a":2}"#)
    } command: { bench in
      // Whichever of them is sent first, after a cut too.
      let changed = { (sent: Item) in
        sent["a"] == 2
          ? Item(JSONObject([.init(name: "a", value: 2), .init(name: "stamp", value: "now")]))
          : Item(JSONObject([.init(name: "a", value: "1")]))
      }
      bench.line.fates = [.changing(changed), .changing(changed)]
      try bench.push()
      bench.line.fates = []
    } afterwards: { bench in
      try bench.push()
      try bench.pull()
    }.check(end)
  }

  @Test("a push of refused items", arguments: Cut.End.allCases)
  func pushRefused(_ end: Cut.End) throws {
    try Cut { bench in
      try bench.share("x", #"{"a":1}"#)
      try bench.save("x", #"{"text":"refuse me"}"#)
      try bench.save("y", #"{"text":"refuse me"}"#)
      try bench.save("z", #"{"a":1}"#)
    } command: { bench in
      try bench.push()
    }.check(end)
  }

  @Test("a push that settles writes of unknown outcome", arguments: Cut.End.allCases)
  func pushUnknown(_ end: Cut.End) throws {
    try Cut { bench in
      for id in ["a", "b", "c"] { try bench.share(id, #"{"a":1}"#) }
      for id in ["a", "b", "new"] { try bench.save(id, #"{"a":2}"#) }
      try bench.save("c", nil)
      for id in ["a", "b", "new", "c"] {
        bench.line.fates = [.replyLost]
        try bench.push(only: [id])
      }
      try bench.save("b", #"{"a":3}"#)
      try bench.save("new", nil)
    } command: { bench in
      try bench.push()
    }.check(end)
  }

  // MARK: - Resolve

  /// A kind of conflict and a choice.
  struct Decision: CustomTestStringConvertible, Sendable {
    let kind: Conflict.Kind
    let choice: Int
    let end: Cut.End

    var testDescription: String {
      "\(kind.rawValue), \(["client", "server", "both", "item"][choice]), \(end)"
    }
  }

  static let decisions = Conflict.Kind.allCases.flatMap { kind in
    (0..<4).flatMap { choice in
      Cut.End.allCases.map { Decision(kind: kind, choice: choice, end: $0) }
    }
  }

  @Test("a resolution, and the push after it", arguments: decisions)
  func resolve(_ decision: Decision) throws {
    try Cut { bench in
      let kind = decision.kind
      if kind != .added { try bench.share("x", #"{"a":1,"b":1}"#) }
      try bench.save("x", kind == .deletedHere ? nil : #"{"a":2,"b":1}"#)
      try bench.elsewhere("x", kind == .deletedThere ? nil : #"{"a":3,"b":2}"#)
      try bench.pull()
    } command: { bench in
      _ = try Recovery.run([bench.table], on: &bench.disk, settings: bench.settings)
      // What was finished by the recovery needs no second decision.
      guard bench.disk.inConflict[try bench.key("x")] != nil else { return }
      let choices: [Choice] = [
        .client, .server, .both(try ItemID("copy")), .item(try Item(text: #"{"a":4,"b":4}"#)),
      ]
      try bench.resolve("x", choices[decision.choice])
    } afterwards: { bench in
      try bench.push()
    }.check(decision.end)
  }

  // MARK: - Removing, restoring, forgetting

  @Test("a purge never sends a delete", arguments: Cut.End.allCases)
  func purge(_ end: Cut.End) throws {
    try Cut { bench in
      for number in 0..<6 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
      try bench.pull()
      try bench.save("n0", #"{"a":2}"#)
      try bench.elsewhere("n0", #"{"a":3}"#)
      try bench.pull()
      try bench.save("n1", #"{"a":2}"#)
      try bench.save("new", #"{"a":2}"#)
    } command: { bench in
      _ = try Recovery.run([bench.table], on: &bench.disk, settings: bench.settings)
      try bench.disk.purge(bench.table, edits: true)
    } afterwards: { bench in
      try bench.push()
      #expect(bench.line.log.writes == [])
    }.check(end)
  }

  /// Pulls six items, and purges them until a step.
  private func cutPurge(at step: Int) throws -> Bench {
    var bench = try Bench()
    for number in 0..<6 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    try bench.pull()
    try bench.cut(at: step) { try $0.disk.purge($0.table, edits: true) }
    return bench
  }

  @Test(
    "a purge that was cut off deletes nothing; a pull brings all back, and a purge does the rest",
    arguments: 0..<9)
  func purgeThenPush(step: Int) throws {
    for isAgain in [true, false] {
      var bench = try cutPurge(at: step)
      try bench.push()
      #expect(bench.writes() == [] && bench.standings == [])
      if isAgain {
        try bench.disk.purge(bench.table, edits: false)
        #expect(try bench.disk.files.isEmpty && bench.disk.liveIDs(in: bench.table) == [])
      }
      try bench.pull()
      #expect(bench.differences == [] && bench.disk.files.count == 6)
    }
  }

  @Test("what is edited or made after a purge was cut off stays", arguments: 0..<9)
  func purgeThenEdit(step: Int) throws {
    var bench = try cutPurge(at: step)
    try bench.save("n5", #"{"a":2}"#)
    try bench.save("new", #"{"a":1}"#)
    try bench.pull()
    #expect(bench.item("n5") == #"{"a":2}"#)
    #expect(bench.item("new") == #"{"a":1}"#)
    #expect(bench.disk.files.count == 7)
  }

  @Test("a restored item is never deleted at the server", arguments: [true, false])
  func restore(byCommand: Bool) throws {
    for end in Cut.End.allCases {
      try Cut { bench in
        for id in ["x", "y"] { try bench.share(id, #"{"a":1}"#) }
        try bench.save("y", #"{"a":2}"#)
        if byCommand {
          _ = try bench.disk.remove(bench.key("x"))
        } else {
          try bench.save("x", nil)
        }
      } command: { bench in
        _ = try Recovery.run([bench.table], on: &bench.disk, settings: bench.settings)
        for id in ["x", "y"] { _ = try bench.disk.restore(bench.key(id)) }
      } afterwards: { bench in
        try bench.push()
        #expect(bench.line.log.writes == [])
      }.check(end)
    }
  }

  @Test("a removed item is deleted at the server, once", arguments: [Cut.End.killed, .killedTwice])
  func remove(_ end: Cut.End) throws {
    try Cut { bench in
      for id in ["x", "y", "z"] { try bench.share(id, #"{"a":1}"#) }
    } command: { bench in
      _ = try Recovery.run([bench.table], on: &bench.disk, settings: bench.settings)
      for id in ["x", "y"] { _ = try bench.disk.remove(bench.key(id)) }
    } afterwards: { bench in
      try bench.push()
    }.check(end)
  }
}
