import SyncModel

// A plan as a text, one line an action:
//
//   world clients=2 policy=fields page=3 tick=1 rewrite=0 late=0 guards=0 whole=0 items=6
//   0 save 1a2b
//   1 push 99 kill@4 lostReply@1
extension Plan {
  /// What a text has that is no plan.
  package struct NotAPlan: Error {
    /// The line.
    package let line: String
  }

  /// The plan, to be stored and read again.
  package var text: String {
    var lines = [
      "world clients=\(world.clients) policy=\(world.policy.rawValue) page=\(world.pageSize)"
        + " tick=\(world.tick) rewrite=\(world.rewriteRate) late=\(world.lateCommit)"
        + " guards=\(world.guards ? 1 : 0) whole=\(world.undeletesWhole ? 1 : 0)"
        + " items=\(world.items) queries=\(world.queries ? 1 : 0)"
        + " counts=\(world.counts ? 1 : 0) hard=\(world.deletesForGood ? 1 : 0)"
        + " lists=\(world.lists ? 1 : 0)"
    ]
    for action in actions {
      let faults = action.faults.map { " \($0.kind.rawValue)@\($0.at)" }.joined()
      lines.append(
        "\(action.client) \(action.verb.rawValue) \(String(action.dice, radix: 16))\(faults)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads a plan; lines that begin with `#` are for people.
  ///
  /// - Throws: ``NotAPlan``.
  package init(text: String) throws {
    for line in text.split(separator: "\n") where line.utf8.first != UInt8(ascii: "#") {
      let words = line.split(separator: " ").map(String.init)
      guard let first = words.first else { continue }
      if first == "world" {
        for word in words.dropFirst() { try world.set(word) }
      } else {
        actions.append(try Action(words))
      }
    }
  }
}

extension Plan.World {
  mutating func set(_ word: String) throws {
    let sides = word.split(separator: "=").map(String.init)
    guard sides.count == 2 else { throw Plan.NotAPlan(line: word) }
    if sides[0] == "policy", let rule = MergePolicy.Rule(rawValue: sides[1]) {
      policy = rule
      return
    }
    guard let value = Int(sides[1]), value >= 0 else { throw Plan.NotAPlan(line: word) }
    if value == 0, ["clients", "page", "items"].contains(sides[0]) {
      throw Plan.NotAPlan(line: word)
    }
    switch sides[0] {
    case "clients": clients = value
    case "page": pageSize = value
    case "tick": tick = value
    case "rewrite": rewriteRate = value
    case "late": lateCommit = value
    case "guards": guards = value != 0
    case "whole": undeletesWhole = value != 0
    case "items": items = value
    case "queries": queries = value != 0
    case "counts": counts = value != 0
    case "hard": deletesForGood = value != 0
    case "lists": lists = value != 0
    default: throw Plan.NotAPlan(line: word)
    }
  }
}

extension Plan.Action {
  fileprivate init(_ words: [String]) throws {
    guard words.count >= 3, let client = Int(words[0]), let verb = Plan.Verb(rawValue: words[1]),
      let dice = UInt64(words[2], radix: 16)
    else { throw Plan.NotAPlan(line: words.joined(separator: " ")) }
    self.init(client: client, verb: verb, dice: dice)
    for word in words.dropFirst(3) {
      let sides = word.split(separator: "@").map(String.init)
      guard sides.count == 2, let kind = Plan.Fault.Kind(rawValue: sides[0]), let at = Int(sides[1])
      else { throw Plan.NotAPlan(line: word) }
      faults.append(Plan.Fault(at: at, kind: kind))
    }
  }
}
