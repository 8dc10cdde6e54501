import CommandSupport
import Glibc
import TestSupport
import Testing

/// A dry run prints what the command then does.
@Suite struct RehearsedTests {
  private static let words = [
    "would remove": "removed", "would change": "changed", "would rename": "renamed",
    "would restore": "restored", "would drop": "dropped", "would resolve": "resolved",
    "would leave": "left", "to forget": "forgotten",
  ]

  /// Does something that somebody might do.
  private func meddle(_ anna: Person, _ ben: Person, _ random: inout SplitMix64, _ number: Int) {
    let id = "i\(random.below(6))"
    let file = anna.file(id)
    switch random.below(9) {
    case 0, 1: anna.run("new", "-s", "id=\(id)", "-s", "n=\(number)", "Item \(id)")
    case 2: anna.directory.write(#"{"text": "By hand \#(number)"}"#, to: file)
    case 3: unlink(anna.directory.path(of: file))
    case 4: anna.directory.write("{", to: file)
    case 5: anna.run("push")
    case 6: anna.run("sync")
    case 7: anna.run("rm", id)
    default:
      ben.run("pull")
      ben.run("set", id, "text=Theirs \(number)")
      ben.run("push")
    }
  }

  @Test(
    "-n prints what the command does",
    arguments: ["rm", "set", "mv", "restore", "resolve", "purge", "undo"])
  func rehearses(word: String) throws {
    let server = try RunningServer()
    let (anna, ben) = (try Person(cloning: server.url), try Person(cloning: server.url))
    let seed: UInt64 = 20_261_129
    var random = SplitMix64(seed: seed)
    var done = 0
    for number in 0..<50 {
      for _ in 0...random.below(4) { meddle(anna, ben, &random, number) }
      // What waits is applied ahead of any command that writes.
      anna.run("pull")
      let id = "i\(random.below(6))"
      let rest =
        switch word {
        case "rm": [id]
        case "set": [id, "n=\(number)"]
        case "mv": [id, random.once(in: 2) ? "m\(number)" : "i\(random.below(6))"]
        case "restore": random.once(in: 3) ? ["-a"] : [id]
        case "resolve": ["-a", random.once(in: 2) ? "--client" : "--server"]
        case "purge": random.once(in: 2) ? ["--discard"] : []
        default: [String]()
        }
      let would = anna.run([word, "-n"] + rest)
      let did = anna.run([word] + rest)
      var output = would.output
      for (word, past) in Self.words { output = output.replacing(word, with: past) }
      #expect(output == did.output, "seed \(seed), \(number): \(rest)")
      #expect(would.status == did.status, "seed \(seed), \(number): \(rest) \(would) \(did)")
      if did.status == 0, !did.output.isEmpty { done += 1 }
    }
    #expect(done >= 5)
  }

  @Test("-n prints what an exchange does", arguments: ["pull", "push", "sync"])
  func rehearsesExchange(word: String) throws {
    let first = getenv("TSYNC_FIRST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_129
    var done = 0
    for seed in first..<first + 70 {
      let history = ExchangeHistory(word, seed: seed)
      let server = try RunningServer(["--no-auth"] + history.tables.flatMap { ["--table", $0] })
      let (would, did) = withExtendedLifetime(server) {
        let anna = history.play(at: server.url)
        return (anna.run(history.words + ["-n"]), anna.run(history.words))
      }
      let (foretold, told) = (ForetoldExchange(would), ForetoldExchange(did))
      #expect(foretold.output == told.output, "seed \(seed)\n\(history)\n\(would)\n\(did)")
      #expect(foretold.error == told.error, "seed \(seed)\n\(history)\n\(would)\n\(did)")
      #expect(would.status == did.status, "seed \(seed)\n\(history)\n\(would)\n\(did)")
      if !did.output.isEmpty { done += 1 }
    }
    #expect(done >= 20)
  }

  @Test("a refusal that is over when a newer row comes is not foretold again")
  func forgetsRefusal() throws {
    let server = try RunningServer()
    let (anna, ben) = (try Person(cloning: server.url), try Person(cloning: server.url))
    let proxy = try Proxy(before: server.url) { request in
      guard request.method == "PATCH" else { return .forward }
      return .answer(.json(#"{"error": "not now"}"#, status: 400))
    }
    anna.run("new", "-s", "id=milk", "Milk")
    anna.run("push")
    ben.run("pull")
    ben.run("set", "milk", "text=Oat milk")
    ben.run("push")
    anna.run("remote", "set", proxy.url)
    anna.run("set", "milk", "text=Oat milk", "n=1")
    #expect(anna.run("push").output.hasPrefix("rejected milk"))
    anna.run("remote", "set", server.url)
    let (would, did) = (anna.run("sync", "-n"), anna.run("sync"))
    #expect(ForetoldExchange(would).output == ForetoldExchange(did).output)
    #expect(did.output.hasSuffix("updated milk  Oat milk\n"), "\(did)")
    #expect(would.status == did.status, "\(would) \(did)")
  }
}

/// What an exchange prints, or its dry run, as far as both print the same.
private struct ForetoldExchange {
  private static let words = [
    "would add": "new", "would change": "changed", "would delete": "deleted",
    "would leave": "left", "would merge": "merged", "would conflict": "conflict",
    "would settle": "settled", "would hold": "held", "would create": "created",
    "would update": "updated", "would undelete": "undeleted", "would reject": "rejected",
    "would apply rows that have been": "applied rows that had been",
    "would end conflicts": "ended conflicts", "would be in conflict": "in conflict: tsync status",
  ]

  /// The lines of standard output.
  private(set) var output: [String]
  /// The lines of standard error.
  private(set) var error: [String]

  init(_ outcome: Outcome) {
    func lines(_ text: String) -> [String] {
      var text = text
      for (word, past) in Self.words { text = text.replacing(word, with: past) }
      return text.split(separator: "\n").map(String.init)
    }
    output = lines(outcome.output)
    error = lines(outcome.error.replacing(" to push", with: " pushed"))
    // What is to be done with a file is told as things are: a row may take the free name.
    error.removeAll { $0.hasPrefix("tsync: to fix it: ") }
    // A dry run shows the deletes that stop a pull, those that a rule takes over, too.
    if outcome.status == 6, outcome.error.contains("the server has deleted") {
      output.removeAll { line in ["deleted ", "left ", "merged "].contains { line.hasPrefix($0) } }
      error.removeAll { !$0.hasPrefix("tsync: ") || $0.hasPrefix("tsync: to see them: ") }
    }
    error = error.map { line in
      // Times, and the next command: after a dry run that is the command itself.
      guard !line.hasPrefix("tsync: "), let hint = line.ranges(of: "  ").last else { return line }
      return String(line[..<hint.lowerBound].reversed().drop { $0 == " " }.reversed())
    }
  }
}
